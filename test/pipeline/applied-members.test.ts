import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertTask } from '../../src/store/task/tasks.ts'
import { startReleaseAgent } from '../support/release-agent.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
  await agent.server.store.transaction((tx) =>
    insertTask(
      tx,
      { tenantId: 'acme', principalId: 'buyer' },
      {
        taskId: 'task',
        accountId: 'acc_of_it',
        taskType: 'create_media_buy',
        protocol: 'media-buy',
        status: 'submitted',
        request: {},
        hasWebhook: false,
      },
      new Date(),
    ),
  )
})
afterAll(() => agent.stop())

const GARBAGE: readonly unknown[] = [1, null, true, '', [], [1], {}, { brand: 1 }, { account_id: [] }]
const account = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example' }
const key = () => crypto.randomUUID()

/** Members of later releases that calls of 3.0 carry out, and a request around each. */
const MEMBERS: readonly (readonly [string, string, (value: unknown) => object])[] = [
  ['get_task_status', 'account', (value) => ({ task_id: 'task', account: value })],
  ['list_tasks', 'account', (value) => ({ account: value })],
  ['list_accounts', 'account', (value) => ({ account: value })],
  ...['currency', 'timezone', 'operator_unit', 'notification_configs'].map(
    (name) =>
      [
        'sync_accounts',
        name,
        (value: unknown) => ({
          idempotency_key: key(),
          accounts: [
            { brand: { domain: `b${Math.random()}.example` }, operator: 'o.example', billing: 'operator', [name]: value },
          ],
        }),
      ] as const,
  ),
  ...[
    'format_kinds',
    'pricing_currencies',
    'pricing_structures',
    'required_metrics',
    'video_placement_types',
    'format_option_refs',
  ].map(
    (name) =>
      [
        'get_products',
        name,
        (value: unknown) => ({ buying_mode: 'brief', brief: 'sports', filters: { [name]: value } }),
      ] as const,
  ),
  ...[
    'config',
    'keep_mode',
    'max_creatives',
    'max_spend',
    'max_variants',
    'mode',
    'signal_conditions',
    'transformer_id',
    'variant_axis',
  ].map(
    (name) =>
      ['build_creative', name, (value: unknown) => ({ idempotency_key: key(), message: 'a banner', [name]: value })] as const,
  ),
  [
    'sync_creatives',
    'assignment_operations',
    (value) => ({ idempotency_key: key(), account, creatives: [], assignment_operations: value }),
  ],
  ['list_creatives', 'include_purged', (value) => ({ include_purged: value })],
  ['get_signals', 'discovery_mode', (value) => ({ signal_spec: 'sports', discovery_mode: value })],
  ['get_signals', 'if_wholesale_feed_version', (value) => ({ signal_spec: 'sports', if_wholesale_feed_version: value })],
]

it.each(MEMBERS)('%s of 3.0 answers any value of %s', async (task, _member, request) => {
  for (const value of GARBAGE) {
    const { data } = await agent.buyer.call(task, request(value))
    const code = data.adcp_error?.code ?? data.errors?.[0]?.code
    expect([JSON.stringify(value), code]).not.toContain('SERVICE_UNAVAILABLE')
  }
})

it('names what is wrong with such a member', async () => {
  const { data } = await agent.buyer.call('list_tasks', { account: 1 })
  expect(data.adcp_error ?? data.errors[0]).toMatchObject({ code: 'INVALID_REQUEST', field: 'account' })
})

it('holds it against the schema of a later release that is served', async () => {
  const releases = await startReleaseAgent()
  try {
    const refused = await releases.ask('3.0', 'get_products', {
      brief: 'sports',
      buying_mode: 'brief',
      filters: { pricing_currencies: 'EUR' },
    })
    expect(refused.data.adcp_error ?? refused.data.errors[0]).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'filters.pricing_currencies',
    })
    const kept = await releases.ask('3.0', 'get_products', {
      brief: 'sports',
      buying_mode: 'brief',
      filters: { pricing_currencies: ['EUR'] },
    })
    expect(kept.data.adcp_error).toBeUndefined()
  } finally {
    await releases.stop()
  }
})
