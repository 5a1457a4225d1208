import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { type OauthAgent, startOauthAgent } from '../support/oauth-agent.ts'
import { listAuditEntries } from '../support/operator.ts'

let agent: OauthAgent
let everywhere: ConsoleClient
let administrator: ConsoleClient
let viewer: ConsoleClient
let base: string

beforeAll(async () => {
  agent = await startOauthAgent()
  base = `/console/t/${agent.tenant}`
  everywhere = await signedIn(agent, 'root', 'administrator')
  administrator = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  viewer = await signedIn(agent, 'vic', 'viewer', agent.tenant)
})
afterAll(() => agent.stop())

describe('a publisher', () => {
  const form = { name: 'Daily News', domain: 'daily.example', id: 'daily' }

  it('is added by those whose role is for every publisher, and by no one else', async () => {
    expect((await administrator.get('/console/publishers')).text).not.toContain('Add a publisher')
    expect((await administrator.post('/console/publishers', form)).status).toBe(403)
    const wrong = await everywhere.post('/console/publishers', { ...form, domain: 'no domain' })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('value="Daily News"')])
    expect((await everywhere.post('/console/publishers', form)).location).toBe('/console/t/daily/home?done=added')
    const home = await everywhere.get('/console/t/daily/home')
    expect(home.text).toContain('Products are for sale')
    expect(home.text).toContain('No order runs now')
    const { text: entering } = await everywhere.get('/console/t/daily/direct-orders/~enter')
    expect(entering).toContain('<a href="/console/t/daily/products/import">import products</a> first')
    expect((await administrator.get('/console/t/daily/home')).status).toBe(404)
  })

  it('gets its name, domain, time zone, and currency by a form; review of creatives is a rule of what needs approval', async () => {
    const change = {
      name: 'Acme Media',
      domain: 'acme-media.example',
      time_zone: 'Europe/Berlin',
      currency: 'EUR',
    }
    expect((await viewer.get(`${base}/settings`)).text).not.toContain('/settings/publisher"')
    const save = (values: Record<string, string>) => administrator.fillIn(`${base}/settings`, 'settings/publisher', values)
    expect((await save({ ...change, time_zone: 'Mars' })).status).toBe(400)
    expect((await save({ ...change, public: 'yes' })).status).toBe(403)
    const saveAsRoot = (values: Record<string, string>) =>
      everywhere.fillIn('/console/t/daily/settings', 'settings/publisher', {
        name: 'Daily News',
        domain: 'daily.example',
        ...values,
      })
    expect((await saveAsRoot({ public: 'yes', time_zone: 'Mars' })).status).toBe(400)
    expect((await everywhere.get('/console/t/daily/settings')).text).toContain('name="public"')
    expect((await saveAsRoot({ public: 'yes', name: 'Daily' })).status).toBe(303)
    const daily = await everywhere.get('/console/t/daily/settings')
    expect([daily.text.includes('name="public"'), daily.text.includes('value="Daily"')]).toEqual([false, true])
    expect((await everywhere.fillIn(`${base}/settings`, 'settings/publisher', { public: 'yes' })).status).toBe(303)
    expect((await save(change)).status).toBe(303)
    const settings = (await administrator.get(`${base}/settings`)).text
    const own = settings.slice(settings.lastIndexOf('<form', settings.indexOf('value="sync_creatives"')))
    const rule = filledIn(formFields(own, 'settings/approvals'), { when: 'always' })
    expect((await administrator.postAll(`${base}/settings/approvals`, rule)).status).toBe(303)
    const { text } = await administrator.get(`${base}/settings`)
    expect(text).not.toContain('Creatives are reviewed')
    for (const shown of [
      'Acme Media',
      'value="acme-media.example"',
      '"Europe/Berlin" selected',
      '"EUR" selected',
      'always: a person decides',
    ])
      expect(text).toContain(shown)
    expect(text).toMatch(/Members of audiences[\s\S]{0,60}180 days/)
  })
})

describe('connections', () => {
  it('show what a buyer needs, and the assistants that people connected, until they are disconnected', async () => {
    const page = await viewer.get(`${base}/connections`)
    expect(page.text).toContain(`<code>${agent.url}</code>`)
    expect(page.text).toContain('No assistant is connected')
    const tokens = await agent.tokens()
    const call = () =>
      fetch(agent.url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.access_token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }),
      })
    expect((await call()).status).toBe(200)
    const connected = await viewer.get(`${base}/connections`)
    expect(connected.text).toMatch(/Assistant<\/td><td>dana<\/td>/)
    expect(connected.text).not.toContain('Disconnect')
    const [, end = ''] = /action="([^"]+\/end)"/.exec((await administrator.get(`${base}/connections`)).text) ?? []
    expect((await everywhere.post(end.replace(`/t/${agent.tenant}/`, '/t/daily/'))).status).toBe(404)
    expect((await administrator.post(end)).location).toBe(`${base}/connections?done=disconnected`)
    expect((await call()).status).toBe(401)
    await agent.server.audit.settled()
    const [entry] = await listAuditEntries(operatorOn(agent.server.store, agent.config), agent.tenant, {
      task: 'oauth.revoke',
      limit: 1,
    })
    expect(entry).toMatchObject({ principal: 'person:ada', outcome: 'ok' })
  })
})

describe('directory', () => {
  it('shows whether the crawler knows the publisher, and what buyers find at the agent', async () => {
    expect((await viewer.get(`${base}/directory`)).text).toContain('is not on the crawl list')
    const examined = await administrator.post(`${base}/directory/examine`)
    expect(examined.text).toContain('Something keeps buyers from reaching')
    expect(examined.text).toMatch(/Address<\/td><td><span class="badge warn">/)
    expect(examined.text).not.toContain('daily.example')
  })
})
