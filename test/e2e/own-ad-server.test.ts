import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

/** A publisher with an ad server of its own: the one of the documentation. */
const line = new CommandLine()
const calls = join(line.folder, 'calls.jsonl')
const config = join(line.folder, 'publisher.yaml')
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
let server: Served
let buyer: ReturnType<typeof agentClient>

beforeAll(async () => {
  const page = readFileSync('docs/ad-servers.md', 'utf8')
  const [, code = ''] = /<!-- ad-server:start -->\n```js\n([\s\S]+?)```\n<!-- ad-server:end -->/.exec(page) ?? []
  writeFileSync(join(line.folder, 'my-ad-server.mjs'), code)
  const settings = { type: 'module', module: './my-ad-server.mjs', options: { file: calls } }
  writeFileSync(config, JSON.stringify({ tenants: { demo: { adServer: settings }, nowhere: { adServer: settings } } }))
  await line.json('init', '--demo')
  await line.json('buyers', 'add', 'buyer')
  const { token } = await line.json('keys', 'create', '--buyer', 'buyer')
  await line.json('approvals', 'policy', 'set', '--task', 'create_media_buy', '--above', '1000')
  server = await line.serve(['--config', config])
  buyer = agentClient(server.mcpUrl, token)
  await buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
}, 120_000)
afterAll(() => line.close())

const order = async (budget: number) => {
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget }]
  const request = { idempotency_key: randomUUID(), account: ACCOUNT, brand: ACCOUNT.brand, start_time, end_time, packages }
  return (await buyer.call('create_media_buy', request)).data
}
const recorded = () =>
  existsSync(calls)
    ? readFileSync(calls, 'utf8')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text))
    : []

test('an order approved at the command line is booked in it, and one that needs no approval by the server', async () => {
  const { task_id: taskId, status } = await order(2000)
  expect([status, recorded()]).toEqual(['submitted', []])
  const approved = await line.json('approvals', 'approve', taskId, '--config', config)
  expect(approved.status, JSON.stringify(approved)).toBe('completed')
  expect(recorded()).toEqual([
    {
      call: 'book',
      anchor: `approval:demo:${taskId}`,
      mediaBuyId: approved.result.media_buy_id,
      products: ['ros_display'],
      process: expect.any(Number),
    },
  ])
  expect(recorded()[0].process).not.toBe(server.pid)

  const direct = await order(500)
  expect(recorded()[1]).toMatchObject({ call: 'book', mediaBuyId: direct.media_buy_id, process: server.pid })

  // Both are changed where they are booked, with the ids that the ad server gave.
  for (const media_buy_id of [approved.result.media_buy_id, direct.media_buy_id]) {
    const paused = await buyer.call('update_media_buy', {
      idempotency_key: randomUUID(),
      account: ACCOUNT,
      media_buy_id,
      paused: true,
    })
    expect(paused.isError, JSON.stringify(paused.data)).toBe(false)
    expect(recorded().at(-1)).toMatchObject({
      call: 'change',
      orderId: expect.stringMatching(/^[0-9a-f]{16}$/),
      running: [false],
    })
  }
  const { data } = await buyer.call('get_media_buy_delivery', { account: ACCOUNT, media_buy_ids: [direct.media_buy_id] })
  expect(data.errors, JSON.stringify(data)).toBeUndefined()
}, 120_000)

test('the server says at its start which ad server serves whom, and the doctor looks at it', async () => {
  expect(server.output()).toMatch(/"adServer":"file","tenants":\["demo"\]/)
  expect(server.output()).toMatch(/"tenants":\["nowhere"\].*publishers that do not exist/)
  const { data } = await buyer.call('get_adcp_capabilities', {})
  expect(JSON.stringify(data.ext)).not.toContain('Simulated ad server')

  const port = Number(new URL(server.origin).port)
  const doctor = ['doctor', '--data', line.data, '--config', config, '--json']
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), port }))
  const { stdout } = await line.run(doctor)
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({ check: 'ad server', outcome: 'ok', text: expect.stringContaining('demo: file') }),
  )
  writeFileSync(config, JSON.stringify({ port, adServer: { type: 'module', module: './gone.mjs' } }))
  const broken = await line.run(doctor)
  expect(JSON.parse(broken.stdout).findings).toContainEqual(
    expect.objectContaining({ check: 'ad server', outcome: 'problem', text: expect.stringContaining('gone.mjs) is no file') }),
  )
  const refused = await line.run(['serve', '--data', line.data, '--port', '0', '--config', config])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('adServer.module')])
}, 120_000)
