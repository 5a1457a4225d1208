import { expect, it } from 'vitest'
import { keysFor, keysOfAgents, registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { REQUEST_PROFILE } from '../../../src/security/signing/profile.ts'
import { signMessage } from '../../../src/security/signing/sign.ts'
import { type VerifyOptions, verifySignature } from '../../../src/security/signing/verify.ts'
import { NOW, type TestAgent, testAgent, verifier } from './harness.ts'

const MESSAGE = { method: 'POST', url: 'https://ads.example.com/mcp', body: Buffer.from('{}') }
const BUYER = 'https://buyer.example.com/mcp'

async function statusOf(agent: TestAgent, options: VerifyOptions): Promise<string | undefined> {
  const headers = await signMessage(MESSAGE, agent.signer, REQUEST_PROFILE, NOW)
  const message = { ...MESSAGE, rawHeaders: Object.entries(headers).flat() }
  return verifySignature(message, NOW, options).then(
    (signer) => signer?.agentUrl,
    (error) => error.signatureCode,
  )
}

it('whoever registers many keys under the keyid of another agent crowds its own out, and no other publisher’s', async () => {
  const buyer = testAgent('ed25519')
  const others = Array.from({ length: 40 }, (_, index) =>
    keysFor(['globex'], registeredKeys(`https://other${index}.example/mcp`, [testAgent('ed25519').jwk])),
  )
  const keys = keysOfAgents([...others, keysFor(['acme'], registeredKeys(BUYER, [buyer.jwk]))])
  expect(await statusOf(buyer, { ...verifier(REQUEST_PROFILE), keys })).toBe(BUYER)
})

it('signatures of another key under the same keyid use up nothing of an agent’s nonces', async () => {
  const [buyer, other] = [testAgent('ed25519'), testAgent('ed25519')]
  const keys = keysOfAgents([
    keysFor(['globex'], registeredKeys(BUYER, [other.jwk])),
    keysFor(['acme'], registeredKeys(BUYER, [buyer.jwk])),
  ])
  const options = { ...verifier(REQUEST_PROFILE), keys, replay: memoryReplayStore(() => 2) }
  for (const _ of [1, 2]) expect(await statusOf(other, options)).toBe(BUYER)
  expect(await statusOf(other, options)).toBe('request_signature_rate_abuse')
  expect(await statusOf(buyer, options)).toBe(BUYER)
})
