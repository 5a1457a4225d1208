import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { FakeWeb } from '../support/fake-web/fake-web.ts'
import { findPython, pythonEnvironment, runScript } from '../support/python.ts'
import { AGENT, PUBLISHER, startRegistryWorld } from '../support/registry-world.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

/** The install of the client's packages, beside other work on two cores. */
const PATIENCE = 1_500_000

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The Python registry client is not tested: ${found.reason}.`)

/** The agent of the world as the client's list with everything has it. */
function agentIn(report: unknown): unknown {
  const { answer } = Object(Object(report).agents)
  return Array.isArray(answer) ? answer.find(({ url }) => url === AGENT) : undefined
}

describe.skipIf('reason' in found)('the official registry client for Python', () => {
  let web: FakeWeb
  let agent: TestAgent
  let python: string

  beforeAll(async () => {
    python = await pythonEnvironment('python' in found ? found.python : '')
    web = await startRegistryWorld()
    agent = await startAgent({ demo: true, safeFetch: web.fetch(), flags: { directory: { feed: true, export: true } } })
    const { store } = agent.server
    const crawler = { store, fetch: web.fetch(), clock: () => new Date(), random: () => 0.5, limits: FRESHNESS, worker: 'test' }
    await addDomains(crawler, [PUBLISHER])
    await crawl({ ...crawler, warn: () => undefined }, { concurrency: 1 })
    const key = await agent.addBuyer({ principal: 'org', tenant: 'acme', scopes: ['registry'] })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const body = JSON.stringify({ agent_url: AGENT })
    const saved = await fetch(new URL('/api/registry/agents', agent.url), { method: 'POST', headers, body })
    expect(saved.status, await saved.text()).toBe(201)
  }, PATIENCE)
  afterAll(async () => {
    await agent?.stop()
    await web?.close()
  })

  it(
    'reads who authorises an agent, and every refusal as an error of its own with the code',
    async () => {
      const args = ['--origin', new URL(agent.url).origin, '--agent', AGENT, '--publisher', PUBLISHER]
      const report = await runScript(python, 'registry_client.py', args, agent.key)
      expect(report).toMatchObject({
        authorizations: { answer: { count: 1, rows: [{ publisher_domain: PUBLISHER, agent_url: AGENT }] } },
        authorizations_raw: { status: 403, code: 'raw_not_offered' },
        authorizations_of_nonsense: { status: 400, code: 'invalid_agent_url' },
        authorization: { answer: { authorized: 1, total: 1, source: 'adagents_json' } },
        authorization_of_nobody: { status: 404, code: 'not_authorized' },
        operator: { answer: { domain: 'agent.example', member: null, agents: [{ url: AGENT, type: 'sales' }] } },
        operator_scope: { status: 400, code: 'invalid_scope' },
        not_served: { status: 404, code: 'not_found' },
      })
      const entry = { url: AGENT, name: 'Daily Sales', type: 'sales', protocol: 'mcp', mcp_endpoint: AGENT }
      const health = { online: true, tools_count: 2 }
      const capabilities = { tools_count: 2, tools: [{ name: 'create_media_buy' }, { name: 'get_products' }] }
      expect(report).toMatchObject({
        agents: { answer: expect.arrayContaining([expect.objectContaining(entry)]) },
        agents_plain: { answer: expect.arrayContaining([expect.objectContaining(entry)]) },
        agents_sales: { answer: expect.arrayContaining([expect.objectContaining(entry)]) },
        agents_verified: { status: 400, code: 'filter_not_served' },
        agents_measuring: { status: 400, code: 'filter_not_served' },
        publishers: { answer: [{ domain: PUBLISHER, agent_count: 1, has_valid_adagents: true }] },
        domain: { answer: { domain: PUBLISHER, authorized_agents: [{ url: AGENT }] } },
        domains: { answer: { domains: [PUBLISHER] } },
        search: { answer: { results: expect.arrayContaining([expect.objectContaining({ url: AGENT, type: 'sales' })]) } },
        snapshot: { rows: [{ publisher_domain: PUBLISHER, agent_url: AGENT, evidence: 'adagents_json' }] },
        snapshot_raw: { status: 403, code: 'raw_not_offered' },
        snapshot_claims: { status: 400, code: 'evidence_not_held' },
        stats: { answer: { publishers_with_adagents: 1 } },
        property: { answer: { publisher_domain: PUBLISHER, properties: [{ id: 'daily_site' }] } },
        publisher: { answer: { domain: PUBLISHER, adagents_valid: true } },
        validated: { answer: { valid: true, answered: true } },
        feed: { answer: { events: expect.arrayContaining([expect.objectContaining({ event_type: 'authorization.granted' })]) } },
      })
      expect(agentIn(report)).toMatchObject({ ...entry, health, capabilities })
    },
    PATIENCE,
  )
})
