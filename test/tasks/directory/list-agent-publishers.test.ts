import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../../src/features/directory/shared-documents.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const AGENT = 'https://agent.example/mcp'
const property = {
  property_type: 'website',
  name: 'S',
  identifiers: [{ type: 'domain', value: 'x.example' }],
  property_id: 'home',
}
const file = {
  properties: [property],
  authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }],
}

/** Every publisher serves the same file. */
const fetch: SafeFetch = async (url) => ({
  status: 200,
  url,
  body: Buffer.from(JSON.stringify(file)),
  contentType: 'application/json',
  etag: undefined,
  lastModified: undefined,
  retryAfter: undefined,
})

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
  const clock = () => new Date('2026-03-01T00:00:00Z')
  const deps: RefreshDeps = {
    store: agent.server.store,
    fetch,
    clock,
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  await addDomains(deps, ['a.example', 'b.example', 'c.example'])
  await crawl(deps, { concurrency: 2 })
})
afterAll(() => agent.stop())

describe('list_agent_publishers', () => {
  const anyone = () => agent.client()

  it('needs no credentials and pages with a cursor', async () => {
    const first = await anyone().call('list_agent_publishers', {
      agent_url: 'HTTPS://agent.example:443/mcp/',
      limit: 2,
      include: ['properties'],
    })
    expect(first.data).toMatchObject({
      agent_url: AGENT,
      directory_indexed_at: '2026-03-01T00:00:00.000Z',
      publishers: [
        {
          publisher_domain: 'a.example',
          discovery_method: 'direct',
          manager_domain: null,
          property_ids: ['home'],
          status: 'authorized',
        },
        { publisher_domain: 'b.example' },
      ],
    })
    const next = { agent_url: AGENT, limit: 2, include: ['properties'], cursor: first.data.next_cursor }
    const last = await anyone().call('list_agent_publishers', next)
    expect(last.data).toMatchObject({ publishers: [{ publisher_domain: 'c.example' }], next_cursor: null })
  })

  it('tells an empty list from an agent that was never referenced', async () => {
    const revoked = await anyone().call('list_agent_publishers', { agent_url: AGENT, status: ['revoked'] })
    expect(revoked.data).toMatchObject({ publishers: [], directory_indexed_at: null, next_cursor: null })
  })

  it.each([
    [{ agent_url: 'https://nobody.example' }, 'REFERENCE_NOT_FOUND', 'agent_url'],
    [{ agent_url: 'foo' }, 'INVALID_REQUEST', 'agent_url'],
    [{ agent_url: AGENT, status: ['authorized,revoked'] }, 'INVALID_REQUEST', 'status[0]'],
    [{ agent_url: AGENT, status: 'authorized,revoked' }, 'INVALID_REQUEST', 'status'],
    [{ agent_url: AGENT, status: [] }, 'INVALID_REQUEST', 'status'],
    [{ agent_url: AGENT, limit: 1001 }, 'INVALID_REQUEST', 'limit'],
    [{ agent_url: AGENT, cursor: '!!!' }, 'INVALID_REQUEST', 'cursor'],
    [{ agent_url: AGENT, since: 'x' }, 'INVALID_REQUEST', 'since'],
  ])('%j is %s', async (args, code, field) => {
    const reply = await anyone().call('list_agent_publishers', args)
    expect(reply.isError).toBe(true)
    expect(reply.data.adcp_error ?? reply.data).toMatchObject({ code, field })
  })
})
