import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { ConsoleClient, signedIn } from '../support/console-client.ts'
import { OPENID_CLIENT, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'
import { performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const EMAIL = 'dana@publisher.example'
let provider: OpenIdProvider
let agent: TestAgent

beforeAll(async () => {
  provider = await startOpenIdProvider()
  agent = await startAgent({ flags: { 'oauth.identityProvider': { issuer: provider.issuer, ...OPENID_CLIENT } } })
  await signedIn(agent, EMAIL, 'finance', agent.tenant)
})
afterAll(async () => {
  await agent?.stop()
  await provider?.close()
})
beforeEach(() => provider.reset(EMAIL))

/** A browser that went to the provider and was sent back: its path here, with the provider's answer. */
async function sentBack(next = ''): Promise<{ client: ConsoleClient; back: string }> {
  const client = new ConsoleClient(new URL(agent.url).origin)
  const page = await client.get(`/console/sign-in?next=${encodeURIComponent(next)}`)
  const link = /href="([^"]*\/sign-in\/provider[^"]*)"/.exec(page.text)?.[1] ?? ''
  const there = await client.get(link.replaceAll('&amp;', '&'))
  const answer = await fetch(there.location ?? '', { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  return { client, back: back.pathname + back.search }
}

it('a person who is known by the verified address is signed in, where they wanted to be, with the role from the store', async () => {
  const reports = `/console/t/${agent.tenant}/reports`
  const { client, back } = await sentBack(reports)
  expect(back).toContain('/console/sign-in/callback?')
  const before = client.cookie
  const { status, location } = await client.get(back)
  expect([status, location]).toEqual([303, reports])
  expect(client.cookie).not.toBe(before)
  expect((await client.get(reports)).status).toBe(200)
  expect((await client.get(`/console/t/${agent.tenant}/products/x/archive`)).status).toBe(403)
  await client.get('/console/account')
  expect((await client.post('/console/sign-out')).status).toBe(303)
  expect((await client.get(reports)).location).toContain('/console/sign-in')
})

it('no session begins for an address that is not verified, or for somebody without an account', async () => {
  provider.behaviour.claims = { email: EMAIL, email_verified: false }
  const unverified = await sentBack()
  expect(await unverified.client.get(unverified.back)).toMatchObject({ status: 401, location: null })
  provider.reset('stranger@publisher.example')
  const stranger = await sentBack()
  const refused = await stranger.client.get(stranger.back)
  expect(refused.status).toBe(401)
  expect(refused.text).toContain('no account here')
  expect((await stranger.client.get('/console/account')).location).toContain('/console/sign-in')
})

it('an answer counts in the browser that began alone, once, and only as the provider made it', async () => {
  const { client, back } = await sentBack()
  const other = new ConsoleClient(client.origin)
  await other.get('/console/sign-in')
  expect((await other.get(back)).text).toContain('begun in another browser')
  expect((await client.get(back.replace('code=', 'code=x'))).status).not.toBe(303)
  expect((await client.get(back.replace(/state=[^&]*/, 'state=v1.x.y.z'))).status).toBe(401)
  expect((await client.get(back)).status).toBe(303)
  provider.behaviour.issuer = 'https://elsewhere.example'
  const forged = await sentBack()
  expect((await forged.client.get(forged.back)).status).toBe(401)
})

describe('a second factor', () => {
  const policy = (second_factor: readonly string[], second_factor_at_provider: boolean) =>
    performAs(operatorOn(agent.server.store, agent.config), agent.tenant, setSettings, {
      second_factor,
      second_factor_at_provider,
    })
  const signIn = async () => {
    const { client, back } = await sentBack()
    const { location } = await client.get(back)
    return { client, location }
  }
  const isIn = async (client: ConsoleClient) => (await client.get('/console/account')).status === 200

  it('is the provider’s own, unless the settings ask for one here too', async () => {
    await policy(['finance'], false)
    const before = await signIn()
    expect([before.location, await isIn(before.client)]).toEqual(['/console', true])
    await policy(['finance'], true)
    expect((await before.client.get('/console/account')).location, 'at once, and first to set it up').toBe(
      '/console/account/second-factor',
    )
    const { text } = await before.client.get('/console/account/second-factor/authenticator')
    const [, secret = ''] = /secret=([A-Z2-7]+)/.exec(text) ?? []
    const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(text) ?? []
    const code = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
    const set = await before.client.post('/console/account/second-factor/authenticator', { ticket, code: code(0) })
    expect([set.status, await isIn(before.client)]).toEqual([200, true])

    const asked = await signIn()
    expect(asked.location).toMatch(/^\/console\/sign-in\/second-factor/)
    await asked.client.get('/console/sign-in/second-factor')
    expect(await isIn(asked.client)).toBe(false)
    await asked.client.get('/console/sign-in/second-factor')
    expect((await asked.client.post('/console/sign-in/second-factor', { kind: 'totp', code: code(1) })).location).toBe('/console')
    expect((await asked.client.get('/console/account')).text).toContain('identity provider and code')

    await policy(['finance'], false)
    const free = await signIn()
    expect([free.location, await isIn(free.client)]).toEqual(['/console', true])
    await policy(['finance'], true)
    expect((await free.client.get('/console/account')).location, 'who has one signs in again, with it').toMatch(
      /^\/console\/sign-in\?/,
    )
    await policy([], false)
  })
})

it('leads nowhere but into the console', async () => {
  const { client, back } = await sentBack('https://evil.example/')
  expect((await client.get(back)).location).toBe('/console')
})

it('a password may be used beside it, and without a provider there is none to sign in at', async () => {
  const plain = await startAgent({})
  try {
    const client = new ConsoleClient(new URL(plain.url).origin)
    expect((await client.get('/console/sign-in')).text).not.toContain('/sign-in/provider')
    expect((await client.get('/console/sign-in/callback?code=x&state=y')).status).toBe(404)
  } finally {
    await plain.stop()
  }
})
