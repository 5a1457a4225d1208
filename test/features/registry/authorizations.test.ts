import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../../src/features/directory/shared-documents.ts'
import { type FakeWeb, json, status, wellKnown } from '../../support/fake-web/fake-web.ts'
import { AGENT, grant, PUBLISHER, property, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const SHORT = 'short.example'
const HALF = 'half.example'

let web: FakeWeb
let agent: TestAgent
let deps: RefreshDeps
beforeAll(async () => {
  web = await startRegistryWorld()
  agent = await startAgent({ demo: true, safeFetch: web.fetch() })
  web.put(
    wellKnown(SHORT),
    json({ publisher: { name: 'Short', domain: SHORT }, agents: [{ url: AGENT, protocol: 'mcp', capabilities: [] }] }),
  )
  const properties = ['daily_site', 'other', 'third'].map((property_id) => property({ property_id }))
  web.put(wellKnown(HALF), json({ properties, authorized_agents: [grant()] }))
  deps = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock: () => new Date(),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  await addDomains(deps, [PUBLISHER, SHORT, HALF])
  await crawl(deps, { concurrency: 1 })
  const key = await agent.addBuyer({ principal: 'org', tenant: 'acme', scopes: ['registry'] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ agent_url: AGENT })
  const saved = await fetch(agent.url.replace('/mcp', '/api/registry/agents'), { method: 'POST', headers, body })
  expect(saved.status, await saved.text()).toBe(201)
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

type Row = Readonly<Record<string, unknown>>
interface Body {
  readonly code?: string
  readonly next_cursor?: string | null
  readonly rows: readonly Row[]
  readonly publishers: readonly Row[]
  readonly authorized_agents: readonly Row[]
  readonly agents: readonly Row[]
}

async function call(path: string) {
  const response = await fetch(agent.url.replace('/mcp', path))
  const body: Body = JSON.parse(await response.text())
  return { status: response.status, headers: response.headers, body }
}

describe('authorisations, in the form of the public registry', () => {
  const asked = (query: string) => call(`/api/registry/authorizations?agent_url=${encodeURIComponent(AGENT)}${query}`)
  const byPublisher = (domain: string, url = AGENT) =>
    call(`/api/registry/publisher/authorization?domain=${domain}&agent=${encodeURIComponent(url)}`)

  it('gives the rows of one agent, page by page, and tells files in the short form', async () => {
    const first = await asked('&limit=2')
    expect(first.body).toMatchObject({ agent_url: AGENT, evidence: ['adagents_json'], include: 'effective', count: 2 })
    const second = await asked(`&limit=2&cursor=${first.body.next_cursor}`)
    const rows = [...first.body.rows, ...second.body.rows]
    expect(second.body.next_cursor).toBeNull()
    expect(rows.map((row) => [row.publisher_domain, row.file_form, row.properties_authorized, row.properties_total])).toEqual([
      [PUBLISHER, 'official', 1, 1],
      [HALF, 'official', 1, 3],
      [SHORT, 'short', 1, 1],
    ])
    expect(rows[0]).toMatchObject({ evidence: 'adagents_json', property_rid: null, override_applied: false })
    expect(first.headers.get('x-sync-cursor')).toBeNull()
  })

  it('knows no claims of agents about themselves, no other rows, and nobody that no file names', async () => {
    expect((await asked('&evidence=agent_claim')).body).toMatchObject({ evidence: ['agent_claim'], rows: [], count: 0 })
    expect(await asked('&evidence=hearsay')).toMatchObject({ status: 400, body: { code: 'invalid_evidence' } })
    expect(await asked('&include=raw')).toMatchObject({ status: 403, body: { code: 'raw_not_offered' } })
    const nobody = await call('/api/registry/authorizations?agent_url=https%3A%2F%2Fnobody.example')
    expect(nobody).toMatchObject({ status: 200, body: { rows: [], count: 0, next_cursor: null } })
    expect((await call('/api/registry/authorizations?agent_url=nonsense')).body.code).toBe('invalid_agent_url')
  })

  it('says how much of one publisher an agent may sell, and what not', async () => {
    expect((await byPublisher(HALF)).body).toMatchObject({
      publisher_domain: HALF,
      agent_url: AGENT,
      authorized: 1,
      total: 3,
      publisher_wide: false,
      source: 'adagents_json',
      unauthorized_properties: [{ id: 'other' }, { id: 'third' }],
      file_form: 'official',
    })
    expect((await byPublisher(SHORT)).body).toMatchObject({ authorized: 1, total: 1, file_form: 'short' })
    expect(await byPublisher(HALF, 'https://nobody.example')).toMatchObject({ status: 404, body: { code: 'not_authorized' } })
  })

  it('keeps apart a publisher that does not authorise an agent and one of which that is not known', async () => {
    const [failing, stranger] = ['failing.example', 'stranger.example']
    web.put(wellKnown(failing), status(500))
    const properties = [property({ publisher_domain: failing })]
    web.put(wellKnown(stranger), json({ properties, authorized_agents: [grant()] }))
    await addDomains(deps, [failing, stranger])
    await crawl(deps, { concurrency: 1 })
    const unknown = { status: 404, body: { code: 'authorization_unknown', answered: false } }
    expect(await byPublisher(failing)).toMatchObject(unknown)
    expect(await byPublisher('never-heard-of.example')).toMatchObject(unknown)
    expect(await byPublisher(HALF, 'https://nobody.example')).toMatchObject({ status: 404, body: { answered: true } })
    // What a stranger says of it is no authorisation for who reads the member of that name.
    expect((await call(`/api/registry/publisher?domain=${failing}`)).body).toMatchObject({
      authorized_agents: [],
      other_claims: [{ url: AGENT, shown: false, hidden_because: expect.stringContaining('has not answered yet') }],
    })
  })

  it('gives agents at the host of an operator that publishers authorise and nobody registered', async () => {
    const [publisher, url] = ['unregistered.example', 'https://nobody-registered.example/mcp']
    const properties = [property({ publisher_domain: publisher })]
    web.put(wellKnown(publisher), json({ properties, authorized_agents: [grant({ url })] }))
    await addDomains(deps, [publisher])
    await crawl(deps, { concurrency: 1 })
    const { body } = await call('/api/registry/operator?domain=nobody-registered.example')
    const authorized_by = [{ publisher_domain: publisher, source: 'adagents_json' }]
    const name = 'nobody-registered.example'
    expect(body.agents).toEqual([{ url, name, type: 'unknown', authorized_by, authorized_by_count: 1 }])
    for (const other of ['nobody-registered.exampl', 'registered.example', 'nobody-registered.example.org'])
      expect((await call(`/api/registry/operator?domain=${other}`)).body.agents).toEqual([])
  })

  it('gives the agents of an operator with those who authorise them', async () => {
    const { body } = await call('/api/registry/operator?domain=agent.example')
    expect(body).toEqual({
      domain: 'agent.example',
      member: null,
      agents: [
        {
          url: AGENT,
          name: 'Daily Sales',
          type: 'sales',
          authorized_by: [PUBLISHER, HALF, SHORT].map((publisher_domain) => ({ publisher_domain, source: 'adagents_json' })),
          authorized_by_count: 3,
        },
      ],
    })
    expect((await call('/api/registry/operator?domain=agent.example&scope=private')).body.agents).toEqual([])
    expect((await call('/api/registry/operator?domain=agent.example&scope=membr')).body.code).toBe('invalid_scope')
  })

  it('lookups tell the form of a file to who asks for it, and have the official row otherwise', async () => {
    const path = `/v1/agents/${encodeURIComponent(AGENT)}/publishers`
    const forms = async (query: string) => (await call(path + query)).body.publishers.map((row) => row.file_form)
    expect(await forms('?include=file_form')).toEqual(['official', 'official', 'short'])
    expect(await forms('?include=file_form&include=properties')).toEqual(['official', 'official', 'short'])
    expect(await forms('')).toEqual([undefined, undefined, undefined])
    const view = (await call(`/api/registry/publisher?domain=${SHORT}`)).body
    expect(view.authorized_agents).toMatchObject([{ url: AGENT, file_form: 'short' }])
    const { publishers } = (await call(`/api/registry/agent?agent_url=${encodeURIComponent(AGENT)}`)).body
    expect(publishers.map((row) => row.file_form)).toEqual(['official', 'official', 'short'])
  })
})
