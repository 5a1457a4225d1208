import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

/** A publisher with the reconciled ad server of the documentation. */
const line = new CommandLine()
const file = join(line.folder, 'orders.json')
const config = join(line.folder, 'publisher.yaml')
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
let server: Served
let buyer: ReturnType<typeof agentClient>

beforeAll(async () => {
  const page = readFileSync('docs/ad-servers.md', 'utf8')
  const [, code = ''] = /<!-- backend:start -->\n```js\n([\s\S]+?)```\n<!-- backend:end -->/.exec(page) ?? []
  writeFileSync(join(line.folder, 'my-backend.mjs'), code)
  writeFileSync(config, JSON.stringify({ adServer: { type: 'module', module: './my-backend.mjs', options: { file } } }))
  await line.json('init', '--demo')
  await line.json('buyers', 'add', 'buyer')
  const { token } = await line.json('keys', 'create', '--buyer', 'buyer')
  server = await line.serve(['--config', config])
  buyer = agentClient(server.mcpUrl, token)
  await buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
}, 120_000)
afterAll(() => line.close())

interface FileOrder {
  readonly id: string
  readonly lines: readonly { readonly state: string; settings: { budgetMicros: number } }[]
}
const readOrders = (): Record<string, FileOrder> => JSON.parse(readFileSync(file, 'utf8'))
const orders = () => (existsSync(file) ? Object.values(readOrders()) : [])
const change = (task: string, args: object) => buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })

test('what a buyer orders and changes arrives there; what changes there is found, and adopted by command', async () => {
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }]
  const { data: buy } = await change('create_media_buy', { brand: ACCOUNT.brand, start_time, end_time, packages })
  expect(buy.media_buy_id, JSON.stringify(buy)).toBeDefined()
  await vi.waitFor(() => expect(orders()[0]?.lines[0]?.state).toBe('active'), 60_000)
  expect(orders()[0]).toMatchObject({ id: `demo/${buy.media_buy_id}`, lines: [{ settings: { budgetMicros: 500_000_000 } }] })

  const [{ package_id }] = buy.packages
  await change('update_media_buy', { media_buy_id: buy.media_buy_id, packages: [{ package_id, budget: 700, paused: true }] })
  const settled = { state: 'paused', settings: { budgetMicros: 700_000_000 } }
  await vi.waitFor(() => expect(orders()[0]?.lines[0]).toMatchObject(settled), 60_000)
  const inStep = async () => (await line.json('adservers', 'orders', '--config', config)).items
  await vi.waitFor(async () => expect(await inStep()).toMatchObject([{ in_step: true, reason: null }]), 60_000)

  const tampered = readOrders()
  for (const { settings } of tampered[`demo/${buy.media_buy_id}`]?.lines ?? []) settings.budgetMicros = 900_000_000
  writeFileSync(file, JSON.stringify(tampered))
  await line.json('adservers', 'sync', buy.media_buy_id, '--config', config)
  const { items: drift } = await line.json('adservers', 'drift', '--config', config)
  expect(drift).toMatchObject([{ field: 'budgetMicros', expected: 700_000_000, observed: 900_000_000, state: 'open' }])
  await line.json('adservers', 'adopt', drift[0].drift_id, '--config', config)
  await line.json('adservers', 'sync', '--config', config)
  expect((await line.json('adservers', 'drift', '--config', config)).items).toEqual([])
  expect(orders()[0]?.lines[0]?.settings.budgetMicros).toBe(900_000_000)

  const { items: entries } = await line.json('audit', 'list', '--config', config)
  const acts = entries.map(({ task }: { task: string }) => task).filter((task: string) => task.startsWith('adservers.'))
  expect(acts.toSorted()).toEqual(['adservers.adopt', 'adservers.sync', 'adservers.sync'])
}, 180_000)

test('it is listed, tested and asked for its inventory and its delivery', async () => {
  const { items: listed } = await line.json('adservers', 'list', '--config', config)
  expect(listed).toMatchObject([{ name: 'file', reconciled: true, drift: 'leave', capabilities: { booking: 'at_once' } }])
  expect(await line.json('adservers', 'test', '--config', config)).toMatchObject({ items: [{ name: 'file', ok: true }] })
  const { items: units } = await line.json('adservers', 'inventory', '--config', config)
  expect(units).toMatchObject([{ id: 'home', kind: 'ad_unit' }])
  expect(await line.json('adservers', 'report', '--config', config)).toMatchObject({
    items: [{ ad_server: 'file', orders: 1, rows: 0 }],
  })
  const module = join(line.folder, 'my-backend.mjs')
  writeFileSync(
    module,
    readFileSync(module, 'utf8').replace('async report() {', "async report() { throw new Error('out of order')"),
  )
  const failed = await line.run(['adservers', 'report', '--config', config, '--data', line.data])
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/file was not imported: file does not answer: out of order/),
  })
  expect(failed.stdout).toMatch(/^file +1 +0$/m)
}, 120_000)
