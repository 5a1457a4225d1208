import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAudit } from '../../../src/store/audit/audit.ts'
import { type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'
import type { OauthBrowser } from '../../support/oauth-browser.ts'

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent()
})
afterAll(() => agent.stop())

const WHO = { principal: 'buyer', credential: `oauth:${USER.username}`, transport: 'http' }

const entries = async (tenant: string) => {
  await agent.server.audit.settled()
  const all = await listAudit(agent.server.store.read, tenant, { limit: 100 })
  return all.filter(({ task }) => task.startsWith('oauth.')).reverse()
}
const told = async (tenant: string) => (await entries(tenant)).map(({ task, outcome }) => `${task} ${outcome}`)

it('has who connected which client, what was issued and what was ended', async () => {
  const { clientId, refresh_token: refresh = '' } = await agent.tokens()
  const renewed = await agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
  const body = new URLSearchParams({ token: String(renewed.body.refresh_token), client_id: clientId })
  expect((await fetch(`${agent.origin}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
  await agent.register()
  expect(await entries('')).toMatchObject([{ task: 'oauth.register', outcome: 'ok', subject: clientId }])
  expect(await entries('acme')).toMatchObject(
    ['oauth.authorize', 'oauth.token', 'oauth.token', 'oauth.revoke'].map((task) => ({
      ...WHO,
      task,
      outcome: 'ok',
      subject: clientId,
    })),
  )
  const text = JSON.stringify(await entries('acme'))
  expect(text).not.toContain(refresh)
})

it('has what was refused: clients, logins, codes, and what a person did not agree to', async () => {
  const before = { unknown: (await told('')).length, known: (await told('acme')).length }
  expect((await agent.register({ redirect_uris: ['http://evil.example/'] })).status).toBe(400)
  const clientId = String((await agent.register()).body.client_id)
  await agent.token({ grant_type: 'authorization_code', code: 'made-up', client_id: clientId, redirect_uri: REDIRECT })
  await refuseInBrowser(agent.browser(), clientId)
  expect((await told('')).slice(before.unknown).sort()).toEqual([
    'oauth.login AUTH_INVALID',
    'oauth.register INVALID_REQUEST',
    'oauth.token invalid_grant',
  ])
  expect((await told('acme')).slice(before.known)).toEqual(['oauth.authorize access_denied'])
})

it('has the end of a grant whose old refresh token comes back', async () => {
  const before = (await told('acme')).length
  const { clientId, refresh_token: refresh = '' } = await agent.tokens()
  const again = () => agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
  await again()
  await again()
  expect((await told('acme')).slice(before).sort()).toEqual([
    'oauth.authorize ok',
    'oauth.revoke ok',
    'oauth.token invalid_grant',
    'oauth.token ok',
    'oauth.token ok',
  ])
})

/** A wrong password first, then the right one, then no. */
async function refuseInBrowser(browser: OauthBrowser, clientId: string): Promise<void> {
  const login = await browser.open(agent.request(clientId).url)
  await browser.submit(login.html, 'login', { username: USER.username, password: 'wrong' })
  const consent = await browser.submit(login.html, 'login', USER)
  await browser.submit(consent.html, 'abort')
}
