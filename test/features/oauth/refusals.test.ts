import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerClient } from '../../../src/features/oauth/registrations.ts'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import { revokeBasicUser } from '../../../src/store/identity/basic-users.ts'
import { addOauthRecord, countOauthRecords, findOauthRecord, sweepOauth } from '../../../src/store/identity/oauth-records.ts'
import { agentClient } from '../../support/client.ts'
import { CLIENT, type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'

let agent: OauthAgent
let clientId: string
beforeAll(async () => {
  agent = await startOauthAgent()
  clientId = String((await agent.register()).body.client_id)
})
afterAll(() => agent.stop())

const listAccounts = async (token: string) => {
  const { status, headers, data } = await agentClient(agent.url, token).call('list_accounts', {})
  return { status, challenge: headers.get('www-authenticate'), code: data?.adcp_error?.code }
}
/** Logs in and agrees; gives the code. */
async function codeFor(change: Readonly<Record<string, string | undefined>> = {}) {
  const { url, verifier } = agent.request(clientId, change)
  const answer = await agent.browser().authorize(url, USER.username, USER.password)
  return { answer, code: answer.searchParams.get('code') ?? '', verifier }
}
const exchange = (code: string, verifier: string, change: Record<string, string> = {}) =>
  agent.token({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...change,
  })

describe('tokens', () => {
  it('let in with what was agreed to and no more', async () => {
    const { access_token: token, scope } = await agent.tokens({ scope: 'adcp:products' })
    expect(scope).toBe('adcp:products')
    const client = agentClient(agent.url, token)
    expect((await client.call('get_products', { buying_mode: 'wholesale' })).isError).toBe(false)
    expect((await client.call('list_accounts', {})).data.adcp_error.code).toBe('INSUFFICIENT_PERMISSIONS')
  })

  it('without a scope that is named give what an assistant needs, not everything', async () => {
    const { scope = '' } = await agent.tokens()
    expect(scope.split(' ')).toContain('adcp:media_buys')
    expect(scope).not.toContain('adcp:*')
  })

  it('of the registry are no credential of the agent, and are refused by their audience', async () => {
    const { access_token: token } = await agent.tokens({ resource: `${agent.origin}/api`, scope: 'registry' })
    expect(await listAccounts(token)).toMatchObject({ status: 401, challenge: expect.stringContaining('invalid_token') })
  })

  it('end when their refresh token is revoked', async () => {
    const { access_token: token, refresh_token: refresh = '', clientId: client } = await agent.tokens()
    expect((await listAccounts(token)).status).toBe(200)
    const body = new URLSearchParams({ token: refresh, client_id: client }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await fetch(`${agent.origin}/oauth/revoke`, { method: 'POST', headers, body })).status).toBe(200)
    expect((await listAccounts(token)).status).toBe(401)
    expect((await agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: client })).status).toBe(400)
  })

  it('are refreshed in rotation: the old refresh token used again ends the whole grant', async () => {
    const { refresh_token: first = '', clientId: client } = await agent.tokens()
    const refresh = (token: string) => agent.token({ grant_type: 'refresh_token', refresh_token: token, client_id: client })
    const second = await refresh(first)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first)
    expect((await listAccounts(String(second.body.access_token))).status).toBe(200)
    expect((await refresh(first)).status).toBe(400)
    expect((await refresh(String(second.body.refresh_token))).status).toBe(400)
    expect((await listAccounts(String(second.body.access_token))).status).toBe(401)
  })

  it('in the address are no credential', async () => {
    const { access_token: token } = await agent.tokens()
    const response = await fetch(`${agent.url}?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }),
    })
    expect(response.status).toBe(401)
  })

  it('with another issuer, or changed, are refused', async () => {
    const { access_token: token } = await agent.tokens()
    const [head, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = (change: object) =>
      [head, Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url'), signature].join('.')
    for (const change of [{ iss: 'https://elsewhere.example' }, { sub: 'root' }, { scope: 'adcp:*' }]) {
      expect((await listAccounts(forged(change))).status, JSON.stringify(change)).toBe(401)
    }
  })

  it('end with the user', async () => {
    const other = await startOauthAgent()
    const { access_token: token } = await other.tokens()
    const client = agentClient(other.url, token)
    expect((await client.call('list_accounts', {})).status).toBe(200)
    await other.server.store.transaction((tx) => revokeBasicUser(tx, 'acme', USER.username, new Date()))
    expect((await client.call('list_accounts', {})).status).toBe(401)
    await other.stop()
  })
})

describe('the authorization endpoint', () => {
  it('sends nobody to an address that the client did not register', async () => {
    for (const redirect of [
      'https://evil.example/cb',
      `${REDIRECT}/../evil`,
      `${REDIRECT}?x=1`,
      'http://127.0.0.1.evil.example:9/callback',
    ]) {
      const page = await agent.browser().open(agent.request(clientId, { redirect_uri: redirect }).url)
      expect([page.status, page.location.origin], redirect).toEqual([400, agent.origin])
    }
  })

  it('wants PKCE, with S256', async () => {
    for (const change of [{ code_challenge: undefined, code_challenge_method: undefined }, { code_challenge_method: 'plain' }]) {
      const { location } = await agent.browser().open(agent.request(clientId, change).url)
      expect(location.searchParams.get('error'), JSON.stringify(change)).toBe('invalid_request')
    }
  })

  it('makes no tokens for resources of others, and offers no implicit grant', async () => {
    const elsewhere = await agent.browser().open(agent.request(clientId, { resource: 'https://other.example/mcp' }).url)
    expect(elsewhere.location.searchParams.get('error')).toBe('invalid_target')
    const implicit = await agent.browser().open(agent.request(clientId, { response_type: 'token' }).url)
    expect(implicit.location.search + implicit.location.hash).toMatch(
      /error=(unsupported_response_type|invalid_request|unauthorized_client)/,
    )
  })

  it('says in its answer who it is, so that a client is not mixed up between two servers (RFC 9207)', async () => {
    expect((await codeFor()).answer.searchParams.get('iss')).toBe(agent.origin)
  })

  it('asks for consent with the name, the scopes and the address, and takes no for an answer', async () => {
    const browser = agent.browser()
    const login = await browser.open(agent.request(clientId, { scope: 'adcp:products adcp:media_buys' }).url)
    const consent = await browser.submit(login.html, 'login', USER)
    for (const text of ['Assistant', USER.username, 'adcp:products', 'adcp:media_buys', REDIRECT])
      expect(consent.html).toContain(text)
    expect(consent.html).not.toContain('adcp:creatives')
    const { location } = await browser.submit(consent.html, 'abort')
    expect(location.searchParams.get('error')).toBe('access_denied')
  })

  it('a wrong password is told, without saying which of the two was wrong', async () => {
    const browser = agent.browser()
    const { html } = await browser.open(agent.request(clientId).url)
    const wrong = await browser.submit(html, 'login', { username: USER.username, password: 'guess' })
    const unknown = await browser.submit(html, 'login', { username: 'nobody', password: 'guess' })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.html).toContain('do not go together')
    expect(unknown.html).toBe(wrong.html)
  })

  it('a form of another site, or of another browser, decides nothing', async () => {
    const browser = agent.browser()
    const { html } = await browser.open(agent.request(clientId).url)
    expect((await browser.submit(html, 'login', USER, { origin: 'https://evil.example' })).status).toBe(403)
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await browser.submit(html, 'login', USER, { 'sec-fetch-site': site })).status, site).toBe(403)
    }
    expect((await agent.browser().submit(html, 'login', USER)).status).toBe(400)
  })

  it('shows the name of a client as text', async () => {
    const named = await agent.register({ ...CLIENT, client_name: '<script>alert(1)</script>' })
    const { html } = await agent.browser().open(agent.request(String(named.body.client_id)).url)
    expect(html).not.toContain('<script')
  })
})

describe('pages', () => {
  it('let a form lead back to the client, from the login page too', async () => {
    const { headers } = await agent.browser().open(agent.request(clientId).url)
    expect(headers.get('content-security-policy')).toMatch(/form-action 'self' http:\/\/127\.0\.0\.1:9$/)
  })

  it('name an IPv6 loopback client by its scheme, since a policy has no form for its address', async () => {
    const redirect = 'http://[::1]:9/callback'
    const { body } = await agent.register({ ...CLIENT, redirect_uris: [redirect] })
    const { headers } = await agent.browser().open(agent.request(String(body.client_id), { redirect_uri: redirect }).url)
    expect(headers.get('content-security-policy')).toMatch(/form-action 'self' http:$/)
  })

  it('a native client gets its answer at any port of loopback, and nowhere else (RFC 8252 §7.3)', async () => {
    const redirect = 'http://127.0.0.1:4711/callback'
    expect((await codeFor({ redirect_uri: redirect })).answer.href).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?/)
    const web = await agent.register({ ...CLIENT, redirect_uris: ['https://assistant.example/cb'] })
    const asked = agent.request(String(web.body.client_id), { redirect_uri: 'https://assistant.example:4711/cb' })
    expect((await agent.browser().open(asked.url)).status).toBe(400)
  })

  it('a native client is asked for again each time, whoever is logged in', async () => {
    const browser = agent.browser()
    await browser.authorize(agent.request(clientId).url, USER.username, USER.password)
    expect((await browser.open(agent.request(clientId).url)).html).toContain('/confirm"')
    const double = await agent.register({ ...CLIENT, redirect_uris: ['https://evil.example/cb'] })
    const asked = agent.request(String(double.body.client_id), { redirect_uri: 'https://evil.example/cb' })
    expect((await browser.open(asked.url)).html).toContain('/confirm"')
  })

  it('a question mark in the state comes back with the rest of it', async () => {
    const { url } = agent.request(clientId)
    const asked = url.replace('state=state-1', 'state=a?b%3Dc')
    const answer = await agent.browser().authorize(asked, USER.username, USER.password)
    expect(answer.searchParams.get('state')).toBe('a?b=c')
  })

  it('one who guesses too often is told to wait, on the page', async () => {
    const guarded = await startOauthAgent({ flags: { 'limits.failuresPerCredential': 1, trustedProxies: ['127.0.0.1'] } })
    const id = String((await guarded.register()).body.client_id)
    const browser = guarded.browser()
    const { html } = await browser.open(guarded.request(id).url)
    const proxied = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const guess = () => browser.submit(html, 'login', { username: USER.username, password: 'guess' }, proxied)
    let held = await guess()
    // The wait grows with each guess: on a slow machine the first one may be over before the next.
    for (let count = 0; count < 8 && held.status !== 429; count++) held = await guess()
    expect([held.status, held.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(held.headers.get('retry-after')).toMatch(/^\d+$/)
    await guarded.stop()
  })

  it('cookies are for https where the public address is, whatever comes in at the proxy’s side', async () => {
    const origin = 'https://ads.example.com'
    const behind = await startOauthAgent({ flags: { publicUrl: origin } })
    const id = String((await behind.register()).body.client_id)
    const { url } = behind.request(id, { resource: `${origin}/mcp` })
    const response = await fetch(url, { redirect: 'manual' })
    const cookies = response.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i)
    await behind.stop()
  })
})

describe('the token endpoint', () => {
  it('takes a code once; the second use ends what the first gave out', async () => {
    const { code, verifier } = await codeFor()
    const first = await exchange(code, verifier)
    expect(first.status).toBe(200)
    expect((await listAccounts(String(first.body.access_token))).status).toBe(200)
    expect((await exchange(code, verifier)).body.error).toBe('invalid_grant')
    expect((await listAccounts(String(first.body.access_token))).status).toBe(401)
  })

  it('gives one token to a code that is raced', async () => {
    const { code, verifier } = await codeFor()
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code, verifier)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  it('wants the verifier, the redirect and the client of the request', async () => {
    const other = String((await agent.register({ ...CLIENT, client_name: 'Another' })).body.client_id)
    for (const change of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'http://127.0.0.1:9/elsewhere' },
      { client_id: other },
      { resource: `${agent.origin}/api` },
    ]) {
      const { code, verifier } = await codeFor()
      const { status, body } = await exchange(code, verifier, change)
      expect([status, body.error], JSON.stringify(change)).toEqual([400, expect.stringMatching(/invalid_(grant|target)/)])
    }
  })

  it('has no client_credentials and no password grant', async () => {
    for (const grant_type of ['client_credentials', 'password']) {
      expect((await agent.token({ grant_type, client_id: clientId })).body.error).toBe('unsupported_grant_type')
    }
  })
})

describe('registration', () => {
  it('the same metadata is the same client', async () => {
    const again = await agent.register()
    expect([again.status, again.body.client_id]).toEqual([201, clientId])
  })

  it('refuses redirects that others could receive, secrets and grants for machines, naming the member', async () => {
    for (const [change, text] of [
      [{ redirect_uris: ['http://shop.example/cb'] }, 'redirect_uris[0]'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'redirect'],
      [{ redirect_uris: [REDIRECT, 'data:text/html,x'] }, 'redirect'],
      [{ redirect_uris: ['https://a.example/cb#x'] }, 'redirect'],
      [{ redirect_uris: [] }, 'redirect_uris'],
      [{ grant_types: ['client_credentials'] }, 'grant_types'],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, 'token_endpoint_auth_method'],
      [{ scope: 'adcp:everything' }, 'scope'],
      [{ scope: 'constructor' }, 'scope'],
      [{ scope: 'toString adcp:products' }, 'scope'],
      [{ client_name: 'Bank\u202efdp.exe' }, 'client_name'],
      [{ client_name: 'Ba\u200bnk' }, 'client_name'],
      [{ client_name: 'A\u2066B' }, 'client_name'],
      [{ client_name: 'two\u2028lines' }, 'client_name'],
      [{ redirect_uris: ['https://a.example/c\tb'] }, 'redirect'],
      [{ redirect_uris: ['https://a.example/c b'] }, 'redirect'],
    ] as const) {
      const { status, body } = await agent.register({ ...CLIENT, ...change })
      expect(status, JSON.stringify(change)).toBe(400)
      expect(body.error).toMatch(/^invalid_(client_metadata|redirect_uri)$/)
      expect(String(body.error_description)).toContain(text.replace(/\[.*/, '').slice(0, 8))
    }
  })

  it('trims redirects, so that what the client sends later is what was registered', async () => {
    const { status, body } = await agent.register({ ...CLIENT, redirect_uris: [` ${REDIRECT}\n`] })
    expect([status, body.redirect_uris]).toEqual([201, [REDIRECT]])
  })

  it('answers 413 to a body that is too large, declared or not', async () => {
    const headers = { 'content-type': 'application/json' }
    const text = JSON.stringify({ ...CLIENT, client_name: 'x'.repeat(100_000) })
    const declared = await fetch(`${agent.origin}/oauth/register`, { method: 'POST', headers, body: text })
    expect([declared.status, await declared.json()]).toMatchObject([413, { error: 'invalid_request' }])
    const chunks = new Blob([text]).stream()
    const chunked = await fetch(`${agent.origin}/oauth/register`, { method: 'POST', headers, body: chunks, duplex: 'half' })
    expect(chunked.status).toBe(413)
  })

  it('takes a custom scheme of an app in reverse domain notation', async () => {
    expect((await agent.register({ ...CLIENT, redirect_uris: ['com.example.app:/callback'] })).status).toBe(201)
  })

  it('a flood from one address is held off', async () => {
    const flooded = await startOauthAgent()
    const statuses: number[] = []
    for (let n = 0; n < 25; n += 1) statuses.push((await flooded.register({ ...CLIENT, client_name: `bot ${n}` })).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    expect(statuses.at(-1)).toBe(429)
    const known = await flooded.register({ ...CLIENT, client_name: 'bot 1' })
    expect(known.status, 'the people of a hosted assistant share its address and its client').toBe(201)
    await flooded.stop()
  })

  it('a flood from many addresses keeps nobody out for longer than a login takes', async () => {
    const { store } = agent.server
    const box = createSecretBox('secret', 'oauth')
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    await store.transaction(async (tx) => {
      for (let n = 0; n < 10_000; n += 1) await addOauthRecord(tx, { kind: 'Client', id: `bot ${n}`, document: '' }, at(0))
    })
    const register = (name: string, minutes: number) => registerClient(store, box, { ...CLIENT, client_name: name }, at(minutes))
    await expect(register('late', 10)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 900 })
    await expect(register('Assistant', 10), 'one that is known').resolves.toMatchObject({ client_id: clientId })
    await expect(register('late', 20)).resolves.toMatchObject({ client_name: 'late' })
    await expect(register('later', 20)).resolves.toMatchObject({ client_name: 'later' })
    await store.transaction((tx) => sweepOauth(tx, at(2000)))
    expect(await countOauthRecords(store.read, 'Client')).toBeGreaterThan(0)
    expect(await findOauthRecord(store.read, 'Client', clientId, at(0)), 'one that is used').toBeDefined()
  })

  it('a client that registers again has its day again', async () => {
    const box = createSecretBox('secret', 'oauth')
    const { store } = agent.server
    const hours = (n: number) => new Date(Date.now() + n * 3_600_000)
    const register = (at: Date) => registerClient(store, box, { ...CLIENT, client_name: 'slow' }, at)
    const { client_id: id } = (await register(hours(0))) as { client_id: string }
    await register(hours(23))
    await store.transaction((tx) => sweepOauth(tx, hours(25)))
    expect(await findOauthRecord(store.read, 'Client', id, hours(25))).toBeDefined()
    await store.transaction((tx) => sweepOauth(tx, hours(48)))
    expect(await findOauthRecord(store.read, 'Client', id, hours(48))).toBeUndefined()
  })

  it('can be switched off', async () => {
    const closed = await startOauthAgent({ flags: { 'oauth.registration': false } })
    expect((await fetch(`${closed.origin}/oauth/register`, { method: 'POST' })).status).toBe(404)
    const metadata = await (await fetch(`${closed.origin}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).not.toHaveProperty('registration_endpoint')
    await closed.stop()
  })
})

it('a query of more parameters than OAuth has is refused before the library reads it', async () => {
  const ask = (path: string, count: number) =>
    fetch(`${agent.origin}${path}?${'a=1&'.repeat(count - 1)}b=2`, { redirect: 'manual' })
  const path = '/.well-known/oauth-authorization-server'
  expect((await ask(path, 100)).status).toBe(200)
  for (const each of [path, '/oauth/authorize', '/oauth/jwks']) {
    const answer = await ask(each, 101)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      error: 'invalid_request',
      error_description: 'the query has more than 100 parameters',
    })
  }
})
