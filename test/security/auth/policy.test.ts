import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { type Credentials, callText, equip, post, signed } from '../../support/credentials.ts'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' }
const change = (extra: object = {}) => ({ idempotency_key: randomUUID(), accounts: [account], ...extra })
const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(32) }
const hook = { push_notification_config: { url: 'https://buyer.example.com/hook', authentication } }
const REQUIRED = 'Signature error="request_signature_required"'

let web: FakeWeb
let agent: TestAgent
let credentials: Credentials
beforeAll(async () => {
  web = await startFakeWeb()
  agent = await startAgent({
    sandbox: true,
    flags: { 'signing.requiredFor': ['sync_accounts'], 'signing.protocolMethodsRequiredFor': ['tasks/cancel', 'CancelTask'] },
    safeFetch: web.fetch(),
  })
  credentials = await equip(agent, web)
})
afterAll(async () => {
  await agent.stop()
  await web.close()
})

/** Calls a task with a signature. */
async function callSigned(name: string, args: object, extra: readonly string[] = []) {
  const body = callText(name, args)
  return post(agent.url, body, [...(await signed(agent.url, body, credentials.signer)), ...extra])
}

describe('what has to be signed', () => {
  it('a task of required_for: without any credential the challenge says so; a valid one stands in', async () => {
    const anonymous = await agent.client().call('sync_accounts', change())
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, REQUIRED])
    expect((await agent.client(credentials.key).call('sync_accounts', change())).isError).toBe(false)
    const unknown = await agent.client('sk_unknown').call('sync_accounts', change())
    expect(unknown.headers.get('www-authenticate')).toBe(REQUIRED)
  })

  it.each([
    ['mcp', 'tasks/cancel'],
    ['a2a', 'tasks/cancel'],
    ['a2a', 'CancelTask'],
  ])('a method of JSON-RPC on /%s: %s', async (door, method) => {
    const url = agent.url.replace(/\/mcp$/, `/${door}`)
    const version = method === 'CancelTask' ? ['A2A-Version', '1.0'] : []
    const headers = ['Content-Type', 'application/json', 'Accept', 'application/json', ...version]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { taskId: 't', id: 't' } })
    const anonymous = await post(url, body, headers)
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([401, REQUIRED])
    const known = await post(url, body, [...headers, 'Authorization', `Bearer ${credentials.key}`])
    expect([known.status, known.headers['www-authenticate']]).toEqual([200, undefined])
    const signature = await signed(url, body, credentials.signer)
    expect((await post(url, body, [...signature, ...version])).status).toBe(200)
    const other = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 't' } })
    expect((await post(url, other, headers)).headers['www-authenticate']).not.toBe(REQUIRED)
  })

  it('webhook credentials, even beside a valid key; a signature lets them through', async () => {
    const reply = await agent.client(credentials.key).call('sync_accounts', change(hook))
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, REQUIRED])
    expect(reply.data.adcp_error).toMatchObject({ code: 'AUTH_REQUIRED', recovery: 'correctable' })
    expect((await callSigned('sync_accounts', change(hook))).status).toBe(200)
  })

  it('but a known sandbox agent of a sandbox server may set them with its key', async () => {
    const sandbox = await agent.addBuyer({ principal: 'sandbox', sandbox: true })
    const reply = await agent.client(sandbox).call('sync_accounts', change(hook))
    expect([reply.status, reply.isError]).toEqual([200, false])
    expect((await agent.client('sk_unknown').call('sync_accounts', change(hook))).status).toBe(401)
  })

  it('under 3.1 of the publisher alone, with words that help', async () => {
    const key = await agent.addBuyer({ principal: 'buyer', tenant: 'globex' })
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'globex', { signingProfile: '3.1' }))
    const reply = await agent.client(key).call('sync_accounts', change())
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, REQUIRED])
    expect(reply.data.adcp_error.message).toContain('sync_accounts changes state: it must be signed (RFC 9421)')
    expect(reply.data.adcp_error.suggestion).toContain('adcp/request-signing/v1')
    expect((await agent.client(key).call('list_accounts')).status).toBe(200)
    expect((await agent.client(credentials.key).call('sync_accounts', change())).status).toBe(200)
  })

  it('and the capabilities say what holds for the caller’s publisher', async () => {
    const key = await agent.addBuyer({ principal: 'reader', tenant: 'globex' })
    const mine = (await agent.client(credentials.key).call('get_adcp_capabilities')).data.request_signing
    const theirs = (await agent.client(key).call('get_adcp_capabilities')).data.request_signing
    expect(mine).toMatchObject({ supported: true, covers_content_digest: 'required', required_for: ['sync_accounts'] })
    expect(mine.supported_for).toContain('create_media_buy')
    // 3.0 has no such member.
    expect(mine).not.toHaveProperty('protocol_methods_required_for')
    expect(mine.supported_for).not.toContain('list_accounts')
    // Some of its calls change a proposal, and only those have to be signed.
    expect([...theirs.required_for, 'get_products'].sort()).toEqual(theirs.supported_for)
  })
})

describe('signed messages over HTTP', () => {
  it.each(['3.0', '3.1'] as const)(
    'under %s, a body that the signature does not cover is not executed',
    async (signingProfile) => {
      await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { signingProfile }))
      const incomplete = [401, 'Signature error="request_signature_components_incomplete"']
      const body = callText('sync_accounts', change())
      const headers = await signed(agent.url, body, credentials.signer, { coverDigest: false })
      const reply = await post(agent.url, body, headers)
      expect([reply.status, reply.headers['www-authenticate']]).toEqual(incomplete)
      const other = await post(
        agent.url,
        callText('list_accounts'),
        await signed(agent.url, '{}', credentials.signer, { coverDigest: false }),
      )
      expect([other.status, other.headers['www-authenticate']]).toEqual(incomplete)
      expect((await callSigned('sync_accounts', change())).status).toBe(200)
      await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
    },
  )

  it('a nonce counts once', async () => {
    const body = callText('list_accounts')
    const headers = await signed(agent.url, body, credentials.signer)
    expect((await post(agent.url, body, headers)).status).toBe(200)
    const again = await post(agent.url, body, headers)
    expect([again.status, again.headers['www-authenticate']]).toEqual([401, 'Signature error="request_signature_replayed"'])
    expect(again.body.error.data.adcp_error).toMatchObject({ code: 'AUTH_INVALID', recovery: 'terminal' })
  })

  it('a batch is one message: its calls share the signature', async () => {
    const calls = [1, 2, 3].map((id) => ({ ...JSON.parse(callText('list_accounts')), id }))
    const body = JSON.stringify(calls)
    const reply = await post(agent.url, body, await signed(agent.url, body, credentials.signer))
    expect(reply.status).toBe(200)
    expect(reply.body).toHaveLength(3)
  })

  it('a listing and a call in one batch, too', async () => {
    const body = JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { ...JSON.parse(callText('list_accounts')), id: 2 },
    ])
    expect((await post(agent.url, body, await signed(agent.url, body, credentials.signer))).status).toBe(200)
  })

  it('a body with a key twice is refused after the signature, and its nonce is burned', async () => {
    const body = callText('list_accounts').replace('"id":1', '"id":1,"id":1')
    const headers = await signed(agent.url, body, credentials.signer)
    expect((await post(agent.url, body, headers)).headers['www-authenticate']).toBe('Signature error="request_body_malformed"')
    expect((await post(agent.url, body, headers)).headers['www-authenticate']).toBe(
      'Signature error="request_signature_replayed"',
    )
    const unsigned = await post(agent.url, body, ['Content-Type', 'application/json'])
    expect([unsigned.status, unsigned.headers['www-authenticate']]).toEqual([400, undefined])
  })

  it('bytes that are no JSON: the signature is judged first', async () => {
    const forged = await post(agent.url, '{"jsonrpc', await signed(agent.url, '{"jsonrpc":', credentials.signer))
    expect(forged.status).toBe(401)
    const honest = await post(agent.url, '{"jsonrpc', await signed(agent.url, '{"jsonrpc', credentials.signer))
    expect(honest.status).toBe(400)
  })
})

describe('the old header', () => {
  const old = (key: string) => ({ 'x-adcp-auth': key })
  const read = JSON.parse(callText('list_accounts'))

  it('stands for a Bearer token', async () => {
    expect((await agent.client().send(read, old(credentials.key))).status).toBe(200)
    expect((await agent.client().send(read, old(`Bearer ${credentials.key}`))).status).toBe(200)
    expect((await agent.client().send(read, old('sk_unknown'))).status).toBe(401)
  })

  it('beside Authorization it has to say the same', async () => {
    expect((await agent.client(credentials.key).send(read, old(credentials.key))).status).toBe(200)
    const reply = await agent.client(credentials.key).send(read, old(credentials.otherKey))
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  })

  it('is named nowhere', async () => {
    const capabilities = await agent.client().call('get_adcp_capabilities')
    const refusal = await agent.client().call('list_accounts')
    expect(JSON.stringify([capabilities.raw, refusal.raw, ...refusal.headers])).not.toContain('x-adcp-auth')
  })
})

describe('relays', () => {
  it('a brand’s signature that a relay passes through is the brand’s', async () => {
    const reply = await callSigned('sync_accounts', change({ context: { relay: 'relay.example' } }))
    expect(reply.body.result.structuredContent.accounts[0].action).toMatch(/created|unchanged/)
    const { rows } = { rows: await agent.server.store.read.selectFrom('accounts').select('principal_id').distinct().execute() }
    expect(rows.map(({ principal_id }) => principal_id)).toContain('signer')
  })

  it('a relay that puts its own key beside it is refused: who is calling?', async () => {
    const reply = await callSigned('list_accounts', {}, ['Authorization', `Bearer ${credentials.otherKey}`])
    expect([reply.status, reply.body.error.data.adcp_error.code]).toEqual([401, 'AUTH_INVALID'])
  })

  it('the brand’s own credential does not travel in the arguments', async () => {
    const reply = await callSigned('sync_accounts', change({ ext: { brand_access_token: credentials.key } }))
    expect(reply.body.result.structuredContent.adcp_error).toMatchObject({ code: 'CREDENTIAL_IN_ARGS', recovery: 'terminal' })
    expect(JSON.stringify(reply.body)).not.toContain(credentials.key)
  })
})
