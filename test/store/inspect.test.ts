import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectChains } from '../../src/features/audit/inspect-chains.ts'
import type { Db } from '../../src/store/database.ts'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { inspectAnswers } from '../../src/store/inspect/inspect-answers.ts'
import { PARTS, RULES, WITHOUT_RULES } from '../../src/store/inspect/inspect-rules.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const AT = '2026-01-01T00:00:00.000Z'
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

let agent: TestAgent
let mediaBuyId: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  const { data } = await agent.buyer.call('create_media_buy', {
    idempotency_key: randomUUID(),
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  })
  mediaBuyId = data.media_buy_id
})
afterAll(() => agent.stop())

describe('the rules of the store', () => {
  it('are made, or consciously not, for every table', async () => {
    const tables = (await agent.server.store.read.introspection.getTables()).map(({ name }) => name).sort()
    const ruled = new Set(RULES.map(({ table }) => table))
    expect([...ruled, ...Object.keys(WITHOUT_RULES)].sort()).toEqual(tables)
  })

  it('are left to the schema only where the schema has a foreign key', async () => {
    const referring = sql<{ name: string }>`select distinct m.name from sqlite_master m join pragma_foreign_key_list(m.name)`
    const { rows } = await referring.execute(agent.server.store.read)
    const held = new Set(rows.map(({ name }) => name))
    const parts = Object.keys(WITHOUT_RULES).filter((table) => WITHOUT_RULES[table] === PARTS)
    expect(parts.length).toBeGreaterThan(20)
    expect(parts.filter((table) => !held.has(table))).toEqual([])
  })

  it('hold for what the agent writes', async () => {
    const { tables, rules, problems } = await inspectStore(agent.server.store.read)
    expect(problems).toEqual([])
    expect(tables).toBe(new Set([...RULES.map(({ table }) => table), ...Object.keys(WITHOUT_RULES)]).size)
    expect(rules).toBeGreaterThan(120)
    expect(await inspectAnswers(agent.server.store.read)).toEqual({ answers: 1, problems: [] })
  })

  it('are seen to be broken, with the rows that break them', async () => {
    const { store } = agent.server
    await store.transaction(async (tx) => {
      await tx.deleteFrom('packages').execute()
      await tx.insertInto('signature_nonces').values({ keyid: 'stray', nonce: 'n', expires_at: 1 }).execute()
      await tx.updateTable('creatives').set({ account_id: 'acc_gone' }).execute()
      await tx.updateTable('idempotency').set({ principal_id: 'nobody' }).execute()
    })
    const { problems } = await inspectStore(store.read)
    expect(problems).toEqual(
      expect.arrayContaining([
        { table: 'media_buys', rule: 'has a package', examples: [mediaBuyId] },
        { table: 'signature_nonces', rule: 'is counted', examples: ['stray'] },
        { table: 'idempotency', rule: 'principal_id is one of principals', examples: ['demo nobody'] },
      ]),
    )
    await store.transaction(async (tx) => {
      await tx.deleteFrom('media_buys').execute()
    })
    expect((await inspectAnswers(store.read)).problems).toEqual([
      {
        table: 'idempotency',
        rule: 'the media buy of a stored answer is in the store',
        examples: [`${agent.tenant} ${mediaBuyId}`],
      },
    ])
  })

  it.each<[string, string, (tx: Db) => Promise<unknown>]>([
    [
      'task_changes',
      'is a change of a task',
      (tx) =>
        tx
          .insertInto('task_changes')
          .values({ tenant_id: agent.tenant, principal_id: 'p', task_id: 'gone', revision: 1, at: AT, document: '{}' })
          .execute(),
    ],
    [
      'task_texts',
      'is what a task is found by',
      (tx) =>
        tx
          .insertInto('task_texts')
          .values({ tenant_id: agent.tenant, principal_id: 'p', task_id: 'gone', searched: '' })
          .execute(),
    ],
    [
      'scheduled_events',
      'notifies an endpoint that exists',
      (tx) =>
        tx
          .insertInto('scheduled_events')
          .values({
            event_id: 'e',
            tenant_id: agent.tenant,
            principal_id: 'p',
            kind: 'status',
            subject_id: 's',
            endpoint_id: 'gone',
            due_at: AT,
            state: '{}',
            revision: 1,
          })
          .execute(),
    ],
    [
      'registry_events',
      'has a number that was given out',
      (tx) =>
        tx
          .insertInto('registry_events')
          .values({
            sequence: 1_000_000,
            event_type: 't',
            entity_type: 'agent',
            entity_id: 'i',
            payload: '{}',
            actor: 'a',
            created_at: AT,
          })
          .execute(),
    ],
    [
      'auth_failures',
      'counts at least one',
      (tx) => tx.insertInto('auth_failures').values({ bucket: 'b', failures: 0, last_at: 1, wait_until: 1 }).execute(),
    ],
    [
      'directory_texts',
      'is of a file that is stored',
      (tx) => tx.insertInto('directory_texts').values({ document_id: 'gone', part: 0, body: '{}' }).execute(),
    ],
    [
      'registry_facets',
      'is of an agent that the registry knows',
      (tx) => tx.insertInto('registry_facets').values({ facet: 'f', domain: 'd.example', agent_id: 'gone' }).execute(),
    ],
  ])('see what is wrong in %s', async (table, rule, spoil) => {
    const { store } = agent.server
    await store.transaction(spoil)
    const { problems } = await inspectStore(store.read)
    expect(problems).toContainEqual(expect.objectContaining({ table, rule }))
  })

  it('see a link that was cut out of the log, and one that was rewritten', async () => {
    const { store, audit } = agent.server
    await audit.settled()
    expect((await inspectChains(store.read)).problems).toEqual([])
    await store.transaction((tx) => tx.updateTable('audit_log').set({ entry: '{}' }).where('seq', '=', 1).execute())
    expect((await inspectChains(store.read)).problems).toEqual([
      expect.objectContaining({ table: 'audit_log', examples: [expect.stringMatching(/number 1 was changed/)] }),
    ])
    await store.transaction((tx) => tx.deleteFrom('audit_log').where('seq', '=', 1).execute())
    const { problems } = await inspectStore(store.read)
    expect(problems).toContainEqual(expect.objectContaining({ table: 'audit_log', examples: [agent.tenant] }))
  })
})
