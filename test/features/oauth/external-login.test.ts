import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/security/auth/password.ts'
import { addBasicUser } from '../../../src/store/identity/basic-users.ts'
import { type OauthAgent, REDIRECT, startOauthAgent } from '../../support/oauth-agent.ts'
import { OPENID_CLIENT, type OpenIdBehaviour, type OpenIdProvider, startOpenIdProvider } from '../../support/openid-provider.ts'

const EMAIL = 'dana@agency.example'

let provider: OpenIdProvider
let behaviour: OpenIdBehaviour
let agent: OauthAgent

beforeEach(() => provider.reset(EMAIL))
beforeAll(async () => {
  provider = await startOpenIdProvider()
  behaviour = provider.behaviour
  agent = await startOauthAgent({ flags: { 'oauth.identityProvider': { issuer: provider.issuer, ...OPENID_CLIENT } } })
  const passwordHash = await hashPassword('never used to log in', { N: 16, r: 1, p: 1 })
  await agent.server.store.transaction((tx) =>
    addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: EMAIL, passwordHash }, new Date()),
  )
})
afterAll(async () => {
  await agent.stop()
  await provider.close()
})

/** Goes to the provider and back, and gives the page that follows. */
async function logIn(at: OauthAgent = agent) {
  const { body } = await at.register()
  const clientId = String(body.client_id)
  const { url, verifier } = at.request(clientId, { scope: 'adcp:accounts' })
  const browser = at.browser()
  const login = await browser.open(url)
  const link = /href="([^"]*\/external)"/.exec(login.html)?.[1] ?? ''
  const there = await browser.open(link)
  const back = (await fetch(there.location, { redirect: 'manual' })).headers.get('location') ?? ''
  return { browser, back, clientId, verifier, page: () => browser.open(back) }
}

describe('logging in at an identity provider', () => {
  it('a person who has an account here gets to the consent page, and the client its tokens', async () => {
    const { browser, page, clientId, verifier } = await logIn()
    const consent = await page()
    expect(consent.html).toContain(EMAIL)
    const { location } = await browser.submit(consent.html, 'confirm')
    const code = location.searchParams.get('code') ?? ''
    const tokens = await agent.token({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    })
    expect(tokens.status).toBe(200)
    const { status } = await agent.client(String(tokens.body.access_token)).call('list_accounts', {})
    expect(status).toBe(200)
  })

  it('a person without an account is told so', async () => {
    behaviour.claims = { email: 'stranger@agency.example', email_verified: true }
    const { page } = await logIn()
    expect((await page()).html).toContain('has no account here')
  })

  it.each([
    ['an address that nobody verified', { claims: { email: EMAIL, email_verified: false } }],
    ['another nonce', { claims: { email: EMAIL, email_verified: true, nonce: 'replayed' } }],
    ['another issuer in the token', { issuer: 'https://elsewhere.example' }],
    ['an answer of another server (mix-up)', { answer: { iss: 'https://elsewhere.example' } }],
    ['a token signed by somebody else', { signer: generateKeyPairSync('ed25519').privateKey }],
    ['a refusal at the provider', { answer: { code: '', error: 'access_denied' } }],
  ] satisfies [string, Partial<OpenIdBehaviour>][])('%s does not count', async (_name, change) => {
    Object.assign(behaviour, change)
    const { page } = await logIn()
    const { status, html } = await page()
    expect([status, html.includes('/confirm"')]).toEqual([401, false])
  })

  it('an answer with a state that was never given out, or a second time, is nothing', async () => {
    const { page, back } = await logIn()
    await page()
    expect((await fetch(back, { redirect: 'manual' })).status).toBe(400)
    const made = new URL(back)
    made.searchParams.set('state', 'made-up')
    expect((await fetch(made, { redirect: 'manual' })).status).toBe(400)
  })

  it('an answer that is opened in another browser logs nobody in there', async () => {
    const { back } = await logIn()
    const stranger = await agent.browser().open(back)
    expect([stranger.status, stranger.html.includes('/confirm"')]).toEqual([400, false])
  })
})

describe('a provider that announces that its answers name it (RFC 9207)', () => {
  it.each([
    ['without its name', () => ({}), 401],
    ['with another name', () => ({ iss: 'https://elsewhere.example' }), 401],
    ['with its name', (iss: string) => ({ iss }), 200],
  ])('an answer %s', async (_case, answerOf, status) => {
    const announcing = await startOpenIdProvider()
    announcing.behaviour.announcesIssuer = true
    const there = await startOauthAgent({ flags: { 'oauth.identityProvider': { issuer: announcing.issuer, ...OPENID_CLIENT } } })
    try {
      await there.server.store.transaction(async (tx) =>
        addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: EMAIL, passwordHash: 'never used' }, new Date()),
      )
      announcing.reset(EMAIL)
      announcing.behaviour.answer = answerOf(announcing.issuer)
      const { page } = await logIn(there)
      expect((await page()).status).toBe(status)
    } finally {
      await there.stop()
      await announcing.close()
    }
  })
})
