import { afterAll, beforeAll, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { type FakeWeb, json, wellKnown } from '../../support/fake-web/fake-web.ts'
import { AGENT, grant, PUBLISHER, property, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let web: FakeWeb
let agent: TestAgent
let origin: string

beforeAll(async () => {
  web = await startRegistryWorld()
  const flags = { directory: { feed: true, requestsPerAddress: 100_000 } }
  agent = await startAgent({ demo: true, safeFetch: web.fetch(), flags })
  origin = agent.url.replace('/mcp', '')
  const deps = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock: () => new Date(),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  web.put(wellKnown('empty.example'), json({ properties: [property()], authorized_agents: [] }))
  const several = Array.from({ length: 120 }, (_, n) => `p${String(n).padStart(3, '0')}.example`)
  for (const domain of several) web.put(wellKnown(domain), json({ properties: [property()], authorized_agents: [grant()] }))
  await addDomains(deps, [PUBLISHER, 'empty.example', ...several])
  await crawl(deps, { concurrency: 8 })
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

async function get(path: string, accept = 'text/html,*/*;q=0.8', init: RequestInit = {}) {
  const response = await fetch(`${origin}/directory${path}`, {
    redirect: 'manual',
    ...init,
    headers: { accept, ...init.headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const asJson = async (path: string, init?: RequestInit) => JSON.parse((await get(path, 'application/json', init)).text)
const agentPath = `/agent?agent_url=${encodeURIComponent(AGENT)}`

it('shows who authorises an agent, and since when, as a page and as JSON', async () => {
  const page = await get(agentPath)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.text).toContain(`<a href="/directory/publisher?domain=${PUBLISHER}">${PUBLISHER}</a>`)
  expect(page.text).toContain(`https://${PUBLISHER}/.well-known/adagents.json`)
  expect(page.text).toContain('the publisher’s own file')
  expect(page.text.match(/<tr>/g)).toHaveLength(1 + 100)
  const body = await asJson(agentPath)
  expect(body.publishers[0]).toMatchObject({ publisher_domain: PUBLISHER, status: 'authorized', since: expect.any(String) })
  const rest = await asJson(`${agentPath}&cursor=${encodeURIComponent(body.next_cursor)}`)
  expect([...body.publishers, ...rest.publishers]).toHaveLength(121)
  expect(rest.next_cursor).toBeNull()
})

it('shows a publisher with its visits and history, or why nothing is listed', async () => {
  const page = await get(`/publisher?domain=${PUBLISHER}`)
  expect(page.text).toContain('authorization.granted')
  expect(page.text).toContain('serves its own file')
  expect((await get('/publisher?domain=empty.example')).text).toContain('grants no agent any of its properties')
  const unknown = await get('/publisher?domain=unknown.example')
  expect([unknown.status, unknown.headers.get('vary')]).toEqual([404, 'Accept'])
  expect(await asJson('/publisher?domain=unknown.example')).toMatchObject({ code: 'publisher_not_found' })
})

it('leads from what somebody writes to the page that answers it', async () => {
  expect((await get('')).text).toContain('<input id="q" name="q"')
  expect((await get(`?q=${encodeURIComponent(AGENT)}`)).headers.get('location')).toBe(`/directory${agentPath}`)
  expect((await get('?q=news.example')).headers.get('location')).toBe('/directory/publisher?domain=news.example')
  expect((await get('/nothing')).status).toBe(404)
})

it('validates a file by its domain, pasted into a form and as JSON', async () => {
  expect((await get(`/validate?domain=${PUBLISHER}`)).text).toContain('The file is valid.')
  const form = (document: string) => ({ method: 'POST', body: new URLSearchParams({ document, domain: PUBLISHER }) })
  const good = JSON.stringify({ properties: [property()], authorized_agents: [grant()] })
  expect((await get('/validate', undefined, form(good))).text).toContain('The file is valid.')
  const bad = await get('/validate', undefined, form('{"authorized_agents":[{"url":"https://</textarea><script>"}]}'))
  expect(bad.text).toContain('authorized_agents[0].authorized_for is required')
  expect(bad.text).not.toContain('<script')
  expect((await get('/validate', undefined, form('{'))).status).toBe(400)
  expect((await get('/validate', undefined, form(`"${'x'.repeat(1024 * 1024)}"`))).status).toBe(413)
  const body = JSON.stringify({ document: JSON.parse(good) })
  expect(await asJson('/validate', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).toMatchObject({
    valid: true,
    authorized_agent_count: 1,
  })
})

it('judges a supply path', async () => {
  const asked = `owner_domain=${PUBLISHER}&host_domain=nothing.example&agent_url=${encodeURIComponent(AGENT)}`
  expect((await get('/supply-path')).text).toContain('name="owner_domain"')
  const page = await get(`/supply-path?${asked}`)
  expect(page.text).toContain('collection_not_declared')
  expect(await asJson(`/supply-path?${asked}`)).toMatchObject({ state: 'unverified', semantics_version: '1' })
})

it('runs no script, loads nothing, and escapes whatever is asked', async () => {
  const page = await get(`/agent?agent_url=${encodeURIComponent('https://"><script>x')}`)
  expect(page.status).toBe(400)
  const validate = await get(`/validate?domain=${encodeURIComponent('"><script>alert(1)</script>')}`)
  for (const { text, headers } of [page, validate]) {
    expect(text).not.toContain('<script')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/)
  }
  expect(await get('/agent', undefined, { method: 'DELETE' })).toMatchObject({ status: 405 })
})
