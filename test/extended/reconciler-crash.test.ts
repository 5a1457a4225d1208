import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

/** The reconciled ad server of the documentation, which kills its process before the n-th write. */
const line = new CommandLine()
const file = join(line.folder, 'orders.json')
const countdown = join(line.folder, 'countdown')
const writes = join(line.folder, 'writes')
const config = join(line.folder, 'publisher.yaml')
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
let token: string

const KILLER = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import create from './my-backend.mjs'

const WRITES = ['putOrder', 'setOrderState', 'putCreative', 'putLine', 'associate', 'setLineState']
export default (setup) => {
  const { countdown, writes } = setup.options
  const backend = create(setup)
  const wrap = (name) => async (key, ...rest) => {
    if (existsSync(countdown)) {
      const left = Number(readFileSync(countdown, 'utf8'))
      writeFileSync(countdown, String(left - 1))
      if (left === 0) process.kill(process.pid, 'SIGKILL')
    }
    appendFileSync(writes, name + ' ' + key.externalId + '\\n')
    return backend[name](key, ...rest)
  }
  return { ...backend, ...Object.fromEntries(WRITES.map((name) => [name, wrap(name)])) }
}
`

beforeAll(async () => {
  const page = readFileSync('docs/ad-servers.md', 'utf8')
  const [, code = ''] = /<!-- backend:start -->\n```js\n([\s\S]+?)```\n<!-- backend:end -->/.exec(page) ?? []
  writeFileSync(join(line.folder, 'my-backend.mjs'), code)
  writeFileSync(join(line.folder, 'killer.mjs'), KILLER)
  const options = { file, countdown, writes }
  writeFileSync(config, JSON.stringify({ adServer: { type: 'module', module: './killer.mjs', options } }))
  await line.json('init', '--demo')
  await line.json('buyers', 'add', 'buyer')
  token = (await line.json('keys', 'create', '--buyer', 'buyer')).token
}, 120_000)
afterAll(() => line.close())

test('kill -9 before each write of an order: the next process goes on, nothing is doubled or lost', async () => {
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }]
  const ids: string[] = []
  // Three writes make such an order: the order, its line, the state of the line.
  for (const survived of [0, 1, 2]) {
    const server = await line.serve(['--config', config])
    const buyer = agentClient(server.mcpUrl, token)
    const call = (task: string, args: object) => buyer.call(task, { idempotency_key: randomUUID(), ...args })
    await call('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
    writeFileSync(countdown, String(survived))
    const request = { account: ACCOUNT, brand: ACCOUNT.brand, start_time, end_time, packages }
    const { data } = await call('create_media_buy', request)
    ids.push(data.media_buy_id)
    await vi.waitFor(() => expect(readFileSync(countdown, 'utf8')).toBe('-1'), 60_000)
    rmSync(countdown)
  }
  await line.serve(['--config', config])
  const orders = (): Record<string, { lines: { state: string }[] }> =>
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  // The lease of the process that died ends after a minute.
  await vi.waitFor(
    () => {
      for (const id of ids) expect(orders()[`demo/${id}`]?.lines.map(({ state }) => state)).toEqual(['active'])
    },
    { timeout: 150_000, interval: 1_000 },
  )
  const written = readFileSync(writes, 'utf8').trim().split('\n').toSorted()
  expect(written).toEqual(ids.flatMap((id) => ['putOrder', 'putLine', 'setLineState'].map((name) => `${name} ${id}`)).toSorted())
}, 300_000)
