import { expect, it } from 'vitest'
import { agentRevocations } from '../../../src/security/auth/agent-revocations.ts'
import { keysFor, registeredKeys } from '../../../src/security/signing/keys.ts'
import { AGENT_URL } from '../../support/installed-vectors.ts'
import { NOW, testAgent } from '../signing/harness.ts'

it('the list that a publisher registered for an agent is not asked about keys that another publisher registered', async () => {
  const { jwk } = testAgent('ed25519')
  const fetched: string[] = []
  const revocations = agentRevocations({
    listSources: async () => [
      { agentUrl: AGENT_URL, kind: 'jwks', value: '{"keys":[]}', tenantIds: ['own'] },
      { agentUrl: AGENT_URL, kind: 'jwks_uri', value: 'https://other.example/jwks.json', tenantIds: ['other'] },
    ],
    async fetchDocument(url) {
      fetched.push(url)
      throw new Error('it cannot be read')
    },
    walkChain: async (url) => url,
    parseJson: (body) => JSON.parse(Buffer.from(body).toString()),
  })
  const keyOf = async (tenantId: string) => {
    const key = await keysFor([tenantId], registeredKeys(AGENT_URL, [jwk])).find(jwk.kid, NOW)
    if (!key) throw new Error('there is no such key')
    return key
  }
  expect(await revocations.status(await keyOf('own'), NOW)).toBe('good')
  expect(fetched).toEqual([])
  await revocations.status(await keyOf('other'), NOW)
  expect(fetched).toContain('https://other.example/.well-known/governance-revocations.json')
})
