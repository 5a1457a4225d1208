import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { AdCPClient, type AgentConfig } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAgentKeySource } from '../../src/store/identity/agent-key-sources.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const AGENT_URL = 'https://buyer.example.com/mcp'
const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' as const }

const PAIRS = {
  ed25519: { alg: 'EdDSA', pair: generateKeyPairSync('ed25519') },
  'ecdsa-p256-sha256': { alg: 'ES256', pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
} as const

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ flags: { 'signing.profile': '3.1' } })
  const keys = Object.entries(PAIRS).map(([kid, { alg, pair }]) => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    kid,
    alg,
    use: 'sig',
    key_ops: ['verify'],
    adcp_use: 'request-signing',
  }))
  await agent.server.store.transaction(async (tx) => {
    const principal = {
      tenantId: 'acme',
      principalId: 'signer',
      name: 'signer',
      agentUrl: AGENT_URL,
      sandbox: false,
      scopes: ['adcp:*'],
    }
    await addPrincipal(tx, principal, new Date())
    const value = JSON.stringify({ keys })
    await addAgentKeySource(tx, { tenantId: 'acme', principalId: 'signer', kind: 'jwks', value }, new Date())
  })
})
afterAll(() => agent.stop())

/** The SDK's own buyer, with a signing key or with a Bearer key. */
function sdkBuyer(credentials: Partial<AgentConfig>) {
  const config: AgentConfig = { id: 'seller', name: 'seller', agent_uri: agent.url, protocol: 'mcp', ...credentials }
  return new AdCPClient([config]).agent('seller')
}

function signingWith(alg: keyof typeof PAIRS): Partial<AgentConfig> {
  const { alg: jose, pair } = PAIRS[alg]
  const privateKey = {
    ...pair.privateKey.export({ format: 'jwk' }),
    kid: alg,
    alg: jose,
    use: 'sig',
    key_ops: ['sign'],
    adcp_use: 'request-signing',
  }
  return {
    request_signing: { kid: alg, alg, private_key: privateKey as never, agent_url: AGENT_URL, always_sign: ['list_accounts'] },
  }
}

describe('the SDK as a buyer of a publisher that asks for signatures', () => {
  it.each(['ed25519', 'ecdsa-p256-sha256'] as const)(
    'learns from the capabilities what to sign, and is let in: %s',
    async (alg) => {
      const buyer = sdkBuyer(signingWith(alg))
      const synced = await buyer.syncAccounts({ idempotency_key: randomUUID(), accounts: [account] })
      expect(synced.success ? synced.data : synced.error).toMatchObject({ accounts: [{ status: 'active' }] })
      const listed = await buyer.listAccounts({})
      expect(listed.success ? listed.data : listed.error).toMatchObject({ accounts: [{ status: 'active' }] })
    },
  )

  it('with a key alone is told to sign', async () => {
    const synced = await sdkBuyer({ auth_token: agent.key }).syncAccounts({ idempotency_key: randomUUID(), accounts: [account] })
    expect(synced.success).toBe(false)
  })
})
