import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractFolder } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { fieldOf } from '../../src/protocol/field-of.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { servedTools } from '../../tools/release-tools.ts'
import { a2aClient } from '../support/a2a-client.ts'
import { arbitraryRequest } from '../support/arbitrary-request.ts'
import { SETUP, START, WORDS } from '../support/differential-corpus.ts'
import { requestsOf } from '../support/release-corpus.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const contracts = loadContracts()
const LINES = ['3.0', '3.1', '3.2']
/** Generated requests of each task in each release over MCP; `npm run fuzz:releases` asks for more, with other seeds. Over A2A a fifth of them. */
const RUNS = Number(process.env.RELEASE_RUNS ?? 40)
const SEED = Number(process.env.RELEASE_SEED ?? 20_261_122)
/** What these requests cannot bring about here: each needs a state of its own, which the tests of the task make. */
const STATEFUL = new Set([
  'control_media_buy',
  'report_plan_adjustment',
  'sync_governance',
  'si_get_offering',
  'list_agent_publishers',
])

test.each(LINES)('the contract of %s is there', (line) => {
  expect(contracts.lines, `npm run build makes ${contractFolder(line)} (${existsSync(contractFolder(line))})`).toContain(line)
})

test('every task is one of the release that it says brought it', () => {
  const wrong = TASKS.filter(({ name, since }) => since !== undefined && !contracts.find(since)?.has(name))
  expect(wrong.map(({ name }) => name)).toEqual([])
})

describe.each(contracts.all.flatMap((contract) => (['MCP', 'A2A'] as const).map((transport) => ({ contract, transport }))))(
  'AdCP $contract.line over $transport',
  ({ contract, transport }) => {
    const { line, schemas } = contract
    const names = new Map<string, string>()
    const faults: string[] = []
    let agent: TestAgent
    let tick = 0

    const ask = async (task: string, request: object) => {
      tick += 1
      const own = [...names].reduce((all, [name, value]) => all.replaceAll(name, value), JSON.stringify(request))
      const args = JSON.parse(own)
      return transport === 'MCP' ? agent.buyer.call(task, args) : a2aClient(agent.url, agent.key).call(task, args)
    }
    /** What is wrong with an answer; undefined when nothing is. */
    const faultOf = (task: string, { data, isError }: { data: Record<string, unknown>; isError: boolean }) => {
      const { adcp_version: echo, adcp_error: error } = data ?? {}
      if (line !== '3.0' && echo !== line && !isVersionFault(error) && (isError || !contract.isClosed(task)))
        return `says adcp_version ${String(echo)}`
      if (isError) return isOwnFault(error) ? `${JSON.stringify(error)}; ${faults.at(-1)}` : undefined
      const interim = typeof data.status === 'string' ? schemas.interim(task, data.status) : undefined
      const issues = schemas.response(task)(data)
      const left = issues.length > 0 && interim ? interim(data) : issues
      return left.length === 0 ? undefined : left.map(({ pointer, message }) => `${fieldOf(pointer)} ${message}`).join('; ')
    }

    beforeAll(async () => {
      agent = await startAgent({
        demo: true,
        conformance: true,
        contracts,
        clock: () => new Date(START + tick * 1000),
        onLog: (record) => /refuses|unforeseen/.test(record) && faults.push(record.slice(0, 2_000)),
      })
      names.set('@agent@', agent.url).set('@origin@', new URL(agent.url).origin)
      for (const { task, request, names: found } of SETUP) {
        const { data } = await agent.buyer.call(task, JSON.parse(JSON.stringify(request).replaceAll('@agent@', agent.url)))
        const text = JSON.stringify(data)
        for (const [name, pattern] of Object.entries(found)) names.set(name, pattern.exec(text)?.[1] ?? '')
        if (data.governance_context) names.set('@governance@', data.governance_context)
      }
      if (contract.has('list_products')) {
        const { data } = await agent.buyer.call('list_products', { adcp_version: line })
        names.set('@feed@', data.feed_version)
      }
      if (contract.has('request_proposals')) {
        const call = async (task: string, request: object) =>
          (await agent.buyer.call(task, { adcp_version: line, idempotency_key: `release-setup-${task}`, ...request })).data
        const { proposals } = await call('request_proposals', {
          brand: { domain: 'acmeoutdoor.example' },
          brief: 'Outdoor video',
        })
        names.set('@draft@', proposals[0].proposal_id)
        const { results } = await call('refine_proposals', {
          refinements: [{ proposal_id: proposals[0].proposal_id, action: 'finalize' }],
        })
        const { proposal_id, terms_digest } = results[0].proposal
        names.set('@committed@', proposal_id).set('@digest@', terms_digest)
      }
      for (const kind of ['property', 'collection']) {
        const spare = {
          ...SETUP.find(({ task }) => task === `create_${kind}_list`)?.request,
          idempotency_key: `release-spare-${kind}`,
        }
        const { data } = await agent.buyer.call(`create_${kind}_list`, spare)
        names.set(`@spare_${kind}_list@`, data.list?.list_id ?? '')
      }
      const hook = { push_notification_config: { url: 'https://93.184.215.14/hook' } }
      await agent.buyer.call('activate_signal', {
        ...requestsOf(line, 'activate_signal')[0],
        ...hook,
        idempotency_key: 'release-with-a-task',
      })
      const { data } = await agent.buyer.call('list_tasks', {})
      names.set('@task@', data.tasks?.[0]?.task_id ?? '')
    })
    afterAll(() => agent.stop())

    const tasks = servedTools({ all: [contract] }).map(({ task }) => task.name)

    test.each(tasks)('%s is accepted, answered as its schema says, and names the release', async (task) => {
      let answered = 0
      let last = 'nothing was asked'
      for (const request of requestsOf(line, task)) {
        const reply = await ask(task, { ...request, adcp_version: line })
        if (!reply.isError) answered += 1
        last = JSON.stringify(reply.data)
        expect(faultOf(task, reply), last).toBeUndefined()
      }
      if (!STATEFUL.has(task)) expect(answered, last).toBeGreaterThan(0)
    })

    test.each(tasks)(
      '%s answers generated requests without a fault of its own',
      { timeout: 300_000 + RUNS * 2_000 },
      async (task) => {
        const arbitrary = arbitraryRequest(schemas, schemas.requestDocument(task), WORDS)
        const found = new Map<string, object>()
        const numRuns = transport === 'MCP' ? RUNS : Math.ceil(RUNS / 5)
        for (const request of fc.sample(arbitrary, { seed: SEED, numRuns })) {
          if (typeof request !== 'object' || request === null || Array.isArray(request)) continue
          const fault = faultOf(task, await ask(task, { ...request, adcp_version: line }))
          if (fault !== undefined && !found.has(fault)) found.set(fault, request)
        }
        expect([...found].map(([fault, request]) => `${fault}\n${JSON.stringify(request)}`)).toEqual([])
      },
    )
  },
)

/** A version that is not served is answered in the lowest release, which names none. */
function isVersionFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && /^(VERSION|CREDENTIAL|AUTH)/.test(String(error.code))
}

function isOwnFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'SERVICE_UNAVAILABLE'
}
