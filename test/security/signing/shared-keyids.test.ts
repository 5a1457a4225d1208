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

it('asks for the publisher of an address once, and not where one key counts for all', async () => {
  const buyer = testAgent('ed25519')
  const asked: string[] = []
  const options = (keys: VerifyOptions['keys']) => ({
    ...verifier(REQUEST_PROFILE),
    keys,
    publisherAt: async (url: string) => {
      asked.push(url)
      return 'acme'
    },
  })
  expect(await statusOf(buyer, options(keysOfAgents([registeredKeys(BUYER, [buyer.jwk])])))).toBe(BUYER)
  expect(asked).toEqual([])
  const bound = keysOfAgents([
    keysFor(['globex'], registeredKeys('https://copy.example/mcp', [buyer.jwk])),
    keysFor(['acme'], registeredKeys(BUYER, [buyer.jwk])),
  ])
  expect(await statusOf(buyer, options(bound))).toBe(BUYER)
  expect(asked).toEqual([MESSAGE.url])
})

it('tries at most sixteen keys under one keyid, however many buyers of a publisher have one', async () => {
  const buyer = testAgent('ed25519')
  let verified = 0
  const counted = (source: VerifyOptions['keys']): VerifyOptions['keys'] => ({
    async find(keyid, now) {
      const key = await source.find(keyid, now)
      return (
        key && {
          ...key,
          publicKey() {
            verified += 1
            return key.publicKey()
          },
        }
      )
    },
  })
  const others = Array.from({ length: 60 }, (_, index) =>
    keysFor(['acme'], counted(registeredKeys(`https://other${index}.example/mcp`, [testAgent('ed25519').jwk]))),
  )
  expect(await statusOf(buyer, { ...verifier(REQUEST_PROFILE), keys: keysOfAgents(others) })).toBe('request_signature_invalid')
  expect(verified).toBe(16)
})
