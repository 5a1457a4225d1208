import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesState } from '../../src/pipeline/mutating.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { isOwn } from '../../src/protocol/schema-paths.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { SETUP, START } from '../support/differential-corpus.ts'
import { MadeUpRelease } from '../support/made-up-release.ts'
import { requestsOf } from '../support/release-corpus.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

/** A release in which nothing can be answered: its response schemas refuse every value. */
const MUTE = '3.9'
const base = loadContracts([BASE_SOURCE]).base
const release = new MadeUpRelease(MUTE)
release.change('manifest.json', (manifest) => {
  manifest.adcp_version = `${MUTE}.0`
})
for (const [task, tool] of Object.entries(base.manifest.tools))
  for (const path of [
    base.schemas.pathsOf(task)?.response ?? tool.response_schema,
    ...(tool.async_response_schemas ?? []),
  ].filter((each) => !isOwn(each)))
    release.change(path, (schema) => {
      schema.not = {}
    })

/** What is written beside calls: their log, which names failed ones too, and the tables of background jobs, which have nothing to do with a task. */
const BESIDE_CALLS = /^(?:sqlite|audit|registry|directory|feed|rate_limits|kysely|account_change)/
/** The request of the corpus has no effect. */
const MORE: Readonly<Record<string, object>> = {
  sync_governance: {
    accounts: [
      {
        account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
        governance_agents: [
          { url: 'https://governance.example/mcp', authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(40) } },
        ],
      },
    ],
  },
}

describe('an answer that cannot be given in the release that was asked for', () => {
  const names = new Map<string, string>()
  let agent: TestAgent
  const refusals: string[] = []
  let tick = 0

  const rows = (): Promise<ReadonlyMap<string, string>> =>
    agent.server.store.transaction(async (tx) => {
      const { rows: tables } = await sql<{
        name: string
      }>`select name from sqlite_master where type = 'table' order by name`.execute(tx)
      const found = new Map<string, string>()
      for (const { name } of tables.filter((table) => !BESIDE_CALLS.test(table.name))) {
        const { rows: content } = await sql`select * from ${sql.table(name)}`.execute(tx)
        found.set(name, JSON.stringify(content))
      }
      return found
    })
  const ask = (task: string, request: object, line: string) => {
    tick += 1
    const text = [...names].reduce((all, [name, value]) => all.replaceAll(name, value), JSON.stringify(request))
    return agent.buyer.call(task, { ...JSON.parse(text), adcp_version: line })
  }

  beforeAll(async () => {
    agent = await startAgent({
      demo: true,
      conformance: true,
      contracts: loadContracts([BASE_SOURCE, release.source({ requests: {}, answers: {} })]),
      clock: () => new Date(START + tick * 1000),
      onLog: (record) => void (record.includes('unforeseen') && refusals.push(record)),
    })
    names.set('@agent@', agent.url).set('@origin@', new URL(agent.url).origin)
    for (const { task, request, names: found } of SETUP) {
      const { data } = await ask(task, request, '3.0')
      for (const [name, pattern] of Object.entries(found)) names.set(name, pattern.exec(JSON.stringify(data))?.[1] ?? '')
      if (data.governance_context) names.set('@governance@', data.governance_context)
    }
    for (const kind of ['property', 'collection']) {
      const { data } = await ask(`create_${kind}_list`, { idempotency_key: `spare-list-of-${kind}`, name: 'Spare' }, '3.0')
      names.set(`@spare_${kind}_list@`, data.list?.list_id ?? '')
    }
  })
  afterAll(async () => {
    await agent?.stop()
    release.remove()
  })

  // The controller of the sandbox is judged by a schema that belongs to no release, so its answer is never refused by one.
  const tasks = TASKS.filter(({ name }) => base.has(name) && !isOwn(base.schemas.pathsOf(name)?.response ?? ''))
  const calls = tasks.flatMap((task) =>
    requestsOf('3.0', task.name)
      .map((request) => ({ ...request, ...MORE[task.name] }))
      .filter((request) => changesState(task, request))
      .map((request, index) => ({ task: task.name, request: withOwnKey(request, `taken-back-${task.name}-${index}`) })),
  )

  test.each(calls)('$task takes its effect back', async ({ task, request }) => {
    const before = await rows()
    const { isError, data } = await ask(task, request, MUTE)
    expect(isError, JSON.stringify(data)).toBe(true)
    const changed = [...(await rows())].filter(([name, content]) => before.get(name) !== content)
    expect(changed, JSON.stringify(data)).toEqual([])
  })

  test('is tried with an effect of every task that changes something', () => {
    const mutating = tasks.filter(({ mutating }) => mutating).map(({ name }) => name)
    expect(mutating.length).toBeGreaterThan(25)
    expect(mutating.filter((name) => !refusals.some((record) => record.includes(`${name} made a response`)))).toEqual([])
  })
})

/** A key of its own: an answer that is stored would be given again. */
function withOwnKey(request: object, idempotency_key: string): object {
  return 'idempotency_key' in request ? { ...request, idempotency_key } : request
}
