import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ConsoleClient, signedIn } from '../support/console-client.ts'
import { OPENID_CLIENT, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'
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
