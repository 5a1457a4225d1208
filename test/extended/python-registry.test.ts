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

describe.skipIf('reason' in found)('the official registry client for Python', () => {
  let web: FakeWeb
  let agent: TestAgent
  let python: string

  beforeAll(async () => {
    python = await pythonEnvironment('python' in found ? found.python : '')
    web = await startRegistryWorld()
    agent = await startAgent({ demo: true, safeFetch: web.fetch() })
    const { store } = agent.server
    const crawler = { store, fetch: web.fetch(), clock: () => new Date(), random: () => 0.5, limits: FRESHNESS, worker: 'test' }
    await addDomains(crawler, [PUBLISHER])
    await crawl({ ...crawler, warn: () => undefined }, { concurrency: 1 })
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
        operator: { answer: { domain: 'agent.example', member: null, agents: [] } },
        operator_scope: { status: 400, code: 'invalid_scope' },
        not_served: { status: 404, code: 'not_found' },
      })
    },
    PATIENCE,
  )
})
