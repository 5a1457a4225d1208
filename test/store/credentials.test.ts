import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKeys } from '../../src/security/auth/agent-keys.ts'
import { basicVerifier } from '../../src/security/auth/basic.ts'
import { hashPassword } from '../../src/security/auth/password.ts'
import { signatureVerifier } from '../../src/security/auth/signature.ts'
import { REQUEST_PROFILE } from '../../src/security/signing/profile.ts'
import { operatorRevocations } from '../../src/security/signing/revocation.ts'
import { signMessage } from '../../src/security/signing/sign.ts'
import type { Store } from '../../src/store/database.ts'
import {
  addAgentKeySource,
  listAgentKeySources,
  removeAgentKeySource,
  revokeAgentKey,
} from '../../src/store/identity/agent-key-sources.ts'
import { addBasicUser, findBasicUser, revokeBasicUser } from '../../src/store/identity/basic-users.ts'
import { addJwtSubject, findJwtSubject } from '../../src/store/identity/jwt-subjects.ts'
import { sqlReplayStore } from '../../src/store/identity/nonces.ts'
import { addPrincipal, setPrincipalStatus } from '../../src/store/identity/principals.ts'
import { type RememberedAgents, rememberedAgents } from '../../src/store/identity/remembered-agents.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { basicHeader, transport } from '../security/auth/identities.ts'
import { NOW, testAgent } from '../security/signing/harness.ts'
import { hasDuplicateKey } from '../support/installed-vectors.ts'

const now = new Date(NOW * 1000)
const AGENT_URL = 'https://buyer.example.com/mcp'
const folder = mkdtempSync(join(tmpdir(), 'credentials-'))
let store: Store

beforeAll(async () => {
  store = await openSqlite(join(folder, 'a.db'))
  await store.transaction(async (tx) => {
    for (const tenantId of ['acme', 'globex']) {
      await addTenant(tx, { tenantId, name: tenantId, domain: `${tenantId}.example` }, now)
      const principal = {
        tenantId,
        principalId: 'buyer',
        name: 'Buyer',
        agentUrl: AGENT_URL,
        sandbox: false,
        scopes: ['adcp:products'],
      }
      await addPrincipal(tx, principal, now)
    }
    await addPrincipal(tx, { tenantId: 'acme', principalId: 'tool', name: 'Tool', sandbox: true, scopes: ['adcp:*'] }, now)
  })
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a registered agent', () => {
  const agent = testAgent('ed25519')
  const OUTGOING = { method: 'POST', url: 'https://ads.example.com/t/acme/mcp', body: Buffer.from('{}') }

  let remembered: RememberedAgents
  beforeAll(() => {
    remembered = rememberedAgents(store)
  })

  function verifier() {
    const keys = agentKeys({
      listSources: () => listAgentKeySources(store.read),
      fetchDocument: async () => ({ status: 404, body: Buffer.alloc(0) }),
      walkChain: async () => 'https://nowhere.example',
    })
    return signatureVerifier({
      profile: REQUEST_PROFILE,
      keys,
      replay: sqlReplayStore(store),
      revocations: operatorRevocations(remembered.isRevoked),
      hasDuplicateKey,
      publicOrigin: 'https://ads.example.com',
      findAgents: remembered.find,
      publicTenant: async () => 'acme',
    })
  }

  async function kindOf(judge = verifier(), at = now): Promise<string> {
    const headers = await signMessage(OUTGOING, agent.signer, REQUEST_PROFILE, at.getTime() / 1000)
    const rawHeaders = ['Host', 'ads.example.com', ...Object.entries(headers).flat()]
    const verdict = await judge.verify(transport({ target: '/t/acme/mcp', body: OUTGOING.body, rawHeaders }), at)
    if (verdict.kind === 'verified')
      return `${verdict.tenant.tenantId}/${verdict.principal.principalId} ${verdict.principal.scopes}`
    return verdict.kind === 'refused' ? verdict.challenge : verdict.kind
  }

  const source = (tenantId: string) => ({
    tenantId,
    principalId: 'buyer',
    kind: 'jwks' as const,
    value: JSON.stringify({ keys: [agent.jwk] }),
  })

  it('signs, is suspended, and has its key revoked', async () => {
    expect(await kindOf()).toBe('Signature error="request_signature_key_unknown"')
    await store.transaction((tx) => addAgentKeySource(tx, source('acme'), now))
    expect(await kindOf()).toBe('acme/buyer adcp:products')

    await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'buyer', 'suspended'))
    expect(await kindOf()).toBe('Signature error="request_signature_key_unknown"')
    await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'buyer', 'active'))
    expect(await kindOf()).toBe('acme/buyer adcp:products')

    await store.transaction((tx) => addAgentKeySource(tx, source('globex'), now))
    expect(await kindOf()).toBe('acme/buyer adcp:products')

    await store.transaction((tx) => revokeAgentKey(tx, agent.jwk.kid, now))
    expect(await kindOf()).toBe('Signature error="request_signature_key_revoked"')
  })

  it('a removed source stops to count within fifteen seconds, also where it was in use', async () => {
    await store.transaction((tx) => tx.deleteFrom('revoked_agent_keys').execute())
    const judge = verifier()
    expect(await kindOf(judge)).toBe('acme/buyer adcp:products')
    await store.transaction(async (tx) => {
      for (const tenantId of ['acme', 'globex']) await removeAgentKeySource(tx, tenantId, 'buyer', 'jwks')
    })
    const later = new Date(now.getTime() + 15_000)
    expect(await kindOf(judge, later)).toBe('Signature error="request_signature_key_unknown"')
  })

  it('needs an agent URL, and has to exist', async () => {
    await expect(
      store.transaction((tx) => addAgentKeySource(tx, { ...source('acme'), principalId: 'tool' }, now)),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'agent_url',
    })
    await expect(
      store.transaction((tx) => addAgentKeySource(tx, { ...source('acme'), principalId: 'nobody' }, now)),
    ).rejects.toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
  })
})

describe('a Basic user', () => {
  it('logs in, is suspended, and is revoked', async () => {
    const passwordHash = await hashPassword('secret', { N: 1024, r: 8, p: 1 })
    const user = { tenantId: 'acme', principalId: 'tool', username: 'ann', passwordHash }
    await store.transaction((tx) => addBasicUser(tx, user, now))
    const judge = basicVerifier({
      realm: 'r',
      dummyHash: passwordHash,
      findUser: (username) => findBasicUser(store.read, username),
    })
    const kind = async () => (await judge.verify(transport({ authorization: basicHeader('ann:secret') }), now)).kind
    expect(await kind()).toBe('verified')
    await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'tool', 'suspended'))
    expect(await kind()).toBe('refused')
    await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'tool', 'active'))
    expect(await kind()).toBe('verified')
    await expect(
      store.transaction((tx) => addBasicUser(tx, { ...user, tenantId: 'globex', principalId: 'buyer' }, now)),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    await expect(store.transaction((tx) => revokeBasicUser(tx, 'globex', 'ann', now))).rejects.toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
    await store.transaction((tx) => revokeBasicUser(tx, 'acme', 'ann', now))
    expect(await kind()).toBe('refused')
  })
})

describe('a subject of a token issuer', () => {
  it('stands for one principal of one tenant', async () => {
    const entry = { tenantId: 'globex', principalId: 'buyer', issuer: 'https://login.example.com', subject: 's' }
    await store.transaction((tx) => addJwtSubject(tx, entry, now))
    const found = await findJwtSubject(store.read, 'globex', entry.issuer, 's')
    expect(found).toMatchObject({
      tenant: { tenantId: 'globex' },
      principal: { principalId: 'buyer', scopes: ['adcp:products'] },
    })
    expect(await findJwtSubject(store.read, 'acme', entry.issuer, 's')).toBeUndefined()
    expect(await findJwtSubject(store.read, 'globex', 'https://other.example.com', 's')).toBeUndefined()
    await store.transaction((tx) => setPrincipalStatus(tx, 'globex', 'buyer', 'suspended'))
    expect(await findJwtSubject(store.read, 'globex', entry.issuer, 's')).toBeUndefined()
  })
})
