import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/security/auth/password.ts'
import { listAudit } from '../../../src/store/audit/audit.ts'
import { addBasicUser } from '../../../src/store/identity/basic-users.ts'
import { allowPrincipal, disallowPrincipal } from '../../../src/store/identity/user-principals.ts'
import { agentClient } from '../../support/client.ts'
import { type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'
import type { OauthBrowser } from '../../support/oauth-browser.ts'

const ALICE = { username: 'alice', password: 'another long password' }
let agent: OauthAgent
let clientId: string

beforeAll(async () => {
  agent = await startOauthAgent()
  const keys = [await agent.addBuyer({ principal: 'second' }), await agent.addBuyer({ principal: 'third' })]
  for (const [index, key] of [agent.key, ...keys].entries()) {
    const account = { brand: { domain: `brand${index}.example` }, operator: 'agency.example', billing: 'operator' }
    await agentClient(agent.url, key).call('sync_accounts', { idempotency_key: randomUUID(), accounts: [account] })
  }
  const passwordHash = await hashPassword(ALICE.password, { N: 16, r: 1, p: 1 })
  await agent.server.store.transaction(async (tx) => {
    await addBasicUser(tx, { tenantId: 'acme', principalId: 'third', username: ALICE.username, passwordHash }, new Date())
    await allowPrincipal(tx, { tenantId: 'acme', username: USER.username, principalId: 'second' }, new Date())
  })
  clientId = String((await agent.register()).body.client_id)
})
afterAll(() => agent.stop())

/** Opens the authorization request as a person; stops at the page where they agree. */
async function consent(browser: OauthBrowser, change: Record<string, string> = {}, person = USER) {
  const { url, verifier } = agent.request(clientId, change)
  let page = await browser.open(url)
  if (page.html.includes('name="password"')) page = await browser.submit(page.html, 'login', person)
  return { html: page.html, status: page.status, verifier }
}

async function exchange(location: URL, verifier: string) {
  const code = location.searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: REDIRECT, code_verifier: verifier }
  const { status, body } = await agent.token(form)
  expect(status, JSON.stringify(body)).toBe(200)
  return { access: String(body.access_token), refresh: String(body.refresh_token) }
}

/** The brand of the one account that whoever holds the token has; the status where it lets nobody in. */
async function actsAs(token: string): Promise<string> {
  const { status, data } = await agentClient(agent.url, token).call('list_accounts', {})
  return status === 200 ? data.accounts.map(({ brand }: { brand: { domain: string } }) => brand.domain).join() : String(status)
}

describe('a person who may act as several agents', () => {
  it('chooses at the consent; tokens and their renewals are that agent’s', async () => {
    const browser = agent.browser()
    const page = await consent(browser)
    expect(
      [...page.html.matchAll(/type="radio" name="principal" value="(\w+)"( checked)?/g)].map(([, id, on]) => `${id}${on ?? ''}`),
    ).toEqual(['buyer checked', 'second'])
    const answer = await browser.submit(page.html, 'confirm', { principal: 'second' })
    const { access, refresh } = await exchange(answer.location, page.verifier)
    expect(await actsAs(access)).toBe('brand1.example')
    const renewed = await agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
    expect(await actsAs(String(renewed.body.access_token))).toBe('brand1.example')
    await agent.server.audit.settled()
    const audited = await listAudit(agent.server.store.read, 'acme', { limit: 100 })
    expect(audited.filter(({ task }) => task === 'oauth.token').map(({ principal }) => principal)).toEqual(['second', 'second'])
  })

  it('is the agent of the user without a choice', async () => {
    const browser = agent.browser()
    const page = await consent(browser)
    const answer = await browser.submit(page.html, 'confirm')
    expect(await actsAs((await exchange(answer.location, page.verifier)).access)).toBe('brand0.example')
  })

  it('chooses anew where the client asks; what was given out before stays what it was', async () => {
    const browser = agent.browser()
    const first = await consent(browser)
    const before = await exchange((await browser.submit(first.html, 'confirm', { principal: 'second' })).location, first.verifier)
    const again = await consent(browser, { prompt: 'consent' })
    expect(again.html).toContain('value="second" checked')
    const after = await exchange((await browser.submit(again.html, 'confirm', { principal: 'buyer' })).location, again.verifier)
    expect([await actsAs(before.access), await actsAs(after.access)]).toEqual(['brand1.example', 'brand0.example'])
  })

  it.each(['third', 'absent', ''])('cannot choose %j', async (principal) => {
    const browser = agent.browser()
    const page = await consent(browser)
    const refused = await browser.submit(page.html, 'confirm', { principal })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('name="principal"')
  })

  it('loses what was chosen as soon as the operator takes it back', async () => {
    const change = { tenantId: 'acme', username: USER.username, principalId: 'third' }
    await agent.server.store.transaction((tx) => allowPrincipal(tx, change, new Date()))
    const browser = agent.browser()
    const page = await consent(browser)
    const { access } = await exchange(
      (await browser.submit(page.html, 'confirm', { principal: 'third' })).location,
      page.verifier,
    )
    expect(await actsAs(access)).toBe('brand2.example')
    await agent.server.store.transaction((tx) => disallowPrincipal(tx, 'acme', USER.username, 'third'))
    expect(await actsAs(access)).toBe('401')
  })
})

describe('a person who is somebody else', () => {
  it('logs in anew from the consent page, for the same request', async () => {
    const browser = agent.browser()
    const page = await consent(browser)
    const login = await browser.submit(page.html, 'switch')
    expect(login.html).toContain('name="password"')
    const agreed = await browser.submit(login.html, 'login', ALICE)
    expect(agreed.html).toContain('<strong>alice</strong>')
    expect(agreed.html).not.toContain('type="radio"')
    const answer = await browser.submit(agreed.html, 'confirm')
    expect(answer.location.searchParams.get('state')).toBe('state-1')
    expect(await actsAs((await exchange(answer.location, page.verifier)).access)).toBe('brand2.example')
  })
})
