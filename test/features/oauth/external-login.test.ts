import { createHash, generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/security/auth/password.ts'
import { addBasicUser } from '../../../src/store/identity/basic-users.ts'
import { type OauthAgent, REDIRECT, startOauthAgent } from '../../support/oauth-agent.ts'

const EMAIL = 'dana@agency.example'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

/** What the provider puts into its ID tokens, and where it answers; tests bend it. */
interface Behaviour {
  claims: Record<string, unknown>
  issuer: string | undefined
  /** Extra parameters of its answer. */
  answer: Record<string, string>
  signer: typeof privateKey
}

let provider: Server
let issuer: string
let behaviour: Behaviour
const challenges = new Map<string, { challenge: string; nonce: string }>()
let agent: OauthAgent

beforeEach(() => {
  behaviour = { claims: { email: EMAIL, email_verified: true }, issuer: undefined, answer: {}, signer: privateKey }
})
beforeAll(async () => {
  provider = createServer(
    (request, response) =>
      void answer(request.url ?? '', request).then(
        ([status, headers, body]) => response.writeHead(status, headers).end(body),
        (error) => response.writeHead(500).end(String(error)),
      ),
  )
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  agent = await startOauthAgent({
    flags: { 'oauth.identityProvider': { issuer, clientId: 'sales agent', clientSecret: 'a secret:with/signs' } },
  })
  const passwordHash = await hashPassword('never used to log in', { N: 16, r: 1, p: 1 })
  await agent.server.store.transaction((tx) =>
    addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: EMAIL, passwordHash }, new Date()),
  )
})
afterAll(async () => {
  await agent.stop()
  provider.close()
})

/** An OpenID provider that logs everybody in as the same person. */
async function answer(
  target: string,
  request: import('node:http').IncomingMessage,
): Promise<[number, Record<string, string>, string]> {
  const url = new URL(target, issuer)
  const json = (body: object): [number, Record<string, string>, string] => [
    200,
    { 'content-type': 'application/json' },
    JSON.stringify(body),
  ]
  if (url.pathname === '/.well-known/openid-configuration') {
    return json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    })
  }
  if (url.pathname === '/jwks') return json({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' }] })
  if (url.pathname === '/authorize') {
    const code = `code-${challenges.size}`
    challenges.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', nonce: url.searchParams.get('nonce') ?? '' })
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    const parameters = { code, state: url.searchParams.get('state') ?? '', ...behaviour.answer }
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
    return [302, { location: back.href }, '']
  }
  let body = ''
  for await (const chunk of request) body += chunk
  const form = new URLSearchParams(body)
  const asked = challenges.get(form.get('code') ?? '')
  const pair = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString()
  const isRight =
    asked?.challenge ===
    createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
  if (!asked || !isRight || pair !== 'sales%20agent:a%20secret%3Awith%2Fsigns') return [400, {}, '{"error":"invalid_grant"}']
  const token = new SignJWT({ nonce: asked.nonce, ...behaviour.claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k1' })
    .setIssuer(behaviour.issuer ?? issuer)
    .setAudience('sales agent')
    .setSubject('person-1')
    .setIssuedAt()
    .setExpirationTime('5m')
  return json({ id_token: await token.sign(behaviour.signer), token_type: 'Bearer', access_token: 'x' })
}

/** Goes to the provider and back, and gives the page that follows. */
async function logIn() {
  const { body } = await agent.register()
  const clientId = String(body.client_id)
  const { url, verifier } = agent.request(clientId, { scope: 'adcp:accounts' })
  const browser = agent.browser()
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
  ] satisfies [string, Partial<Behaviour>][])('%s does not count', async (_name, change) => {
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
