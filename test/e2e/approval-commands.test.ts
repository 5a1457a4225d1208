import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

/** The seller at its command line, the buyer at the running server. */
const line = new CommandLine({ SALES_AGENT_LOG_LEVEL: 'error' })
/** The demo buyer's own account. */
const ACCOUNT = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true }
let server: Served
let buyer: ReturnType<typeof agentClient>

beforeAll(async () => {
  const { key } = await line.json('init', '--demo')
  server = await line.serve(['--sandbox'])
  buyer = agentClient(server.mcpUrl, key)
}, 120_000)
afterAll(() => line.close())

const buy = async (budget: number): Promise<string> => {
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget }]
  const request = { idempotency_key: randomUUID(), account: ACCOUNT, brand: ACCOUNT.brand, start_time, end_time, packages }
  const { data } = await buyer.call('create_media_buy', request)
  expect(data.status, JSON.stringify(data)).toBe('submitted')
  return data.task_id
}

test('a policy, a queue, and every decision', async () => {
  expect(await line.json('approvals', 'policy', 'show')).toMatchObject({
    tasks: { create_media_buy: { when: 'rules', above: null, products: [] }, sync_accounts: { when: 'rules' } },
    expires_hours: 72,
  })
  const policy = ['approvals', 'policy', 'set', '--task', 'create_media_buy', '--above', '1000', '--expires-hours', '48']
  expect(await line.json(...policy)).toMatchObject({
    tasks: { create_media_buy: { above: 1000 } },
    currency: 'USD',
    expires_hours: 48,
  })
  const others = [...policy.slice(0, 5), '--above-in', 'SEK=11000,NOK=10500.5']
  expect(await line.json(...others)).toMatchObject({
    tasks: { create_media_buy: { above: 1000, above_in: { SEK: 11_000, NOK: 10_500.5 } } },
  })
  expect((await line.json(...policy.slice(0, 5), '--above-in', 'none')).tasks.create_media_buy).not.toHaveProperty('above_in')

  const [first, second, third] = [await buy(2000), await buy(3000), await buy(4000)]
  const { items: queue } = await line.json('approvals', 'list')
  expect(
    queue.map(({ task_id, budget, currency, state }: Record<string, unknown>) => [task_id, budget, currency, state]),
  ).toEqual([
    [first, 2000, 'USD', 'waiting'],
    [second, 3000, 'USD', 'waiting'],
    [third, 4000, 'USD', 'waiting'],
  ])
  expect(await line.json('approvals', 'show', first)).toMatchObject({
    document: { buy: { packages: [{ productId: 'ros_display' }] } },
  })

  const approve = ['approvals', 'approve', first, '--condition', 'no alcohol', '--condition', 'ads by Friday']
  const approved = await line.json(...approve)
  expect(approved).toMatchObject({ status: 'completed', message: expect.stringContaining('1) no alcohol 2) ads by Friday') })
  // Whoever approves again gets the same; nobody can take it back.
  expect(await line.json('approvals', 'approve', first)).toEqual(approved)
  const refused = async (...reason: string[]) => {
    const { code, stderr } = await line.run(['approvals', 'reject', first, ...reason, '--data', line.data, '--json'])
    return [code, JSON.parse(stderr).error.code]
  }
  expect(await refused('--reason', 'no room')).toEqual([1, 'INVALID_STATE'])
  expect(await refused()).toEqual([1, 'INVALID_REQUEST'])

  expect(await line.json('approvals', 'reject', second, '--reason', 'no room')).toMatchObject({ status: 'rejected' })
  expect(await line.json('approvals', 'ask', third, '--reason', 'Halve it?')).toMatchObject({ status: 'input-required' })
  const tasks = await Promise.all([first, second, third].map((id) => buyer.call('tasks/get', { task_id: id })))
  expect(tasks.map(({ data }) => [data.status, data.message])).toEqual([
    ['completed', approved.message],
    ['rejected', 'no room'],
    ['input-required', expect.stringContaining('Halve it?')],
  ])
  expect((await line.json('approvals', 'list')).items.map(({ state }: { state: string }) => state)).toEqual(['asked'])
}, 120_000)

test.each([
  [['approvals', 'show', 'task_nothing'], 'REFERENCE_NOT_FOUND'],
  [['approvals', 'policy', 'set', '--task', 'sync_accounts', '--above', '5'], 'INVALID_REQUEST'],
])(
  '%j is refused',
  async (args, code) => {
    const { code: exit, stderr } = await line.run([...args, '--data', line.data, '--json'])
    expect([exit, JSON.parse(stderr).error.code]).toEqual([1, code])
  },
  30_000,
)
