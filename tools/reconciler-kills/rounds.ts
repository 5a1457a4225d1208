import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadConfig } from '../../src/config/load-config.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { BUILT_COMMAND } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { isSettled, judgeOrders } from './judge.ts'
import { OrderStream, PRODUCTS } from './orders.ts'

export interface ReconcilerKillOptions {
  readonly rounds: number
  readonly seed: number
  readonly say: (text: string) => void
  /** Words of the command line; default: the built one. */
  readonly command?: readonly string[]
}

export interface ReconcilerKillFindings {
  /** Deaths at a random moment, and exactly before a step at an ad server. */
  readonly deaths: { readonly anywhere: number; readonly betweenSteps: number }
  readonly acknowledged: number
  /** Calls whose answer was lost and that were sent again. */
  readonly resent: number
  readonly refusals: Readonly<Record<string, number>>
  readonly orders: Readonly<Record<string, number>>
  /** What the HTTP ad server has, by its own list. */
  readonly upstream: { readonly orders: number; readonly lines: number }
  readonly seconds: number
  readonly problems: readonly string[]
}

/** A process lives this long at random after it serves, in milliseconds. */
const [SHORTEST, SPREAD] = [50, 1_500]
/** Most steps of a process that dies before a step, and how long it may take to get there. */
const MOST_STEPS = 8
const STEPS_WITHIN_MS = 6_000
const COMMAND_WITHIN_MS = 120_000
const SETTLE_WITHIN_MS = 180_000
const DAILY_CAPACITY = 1_000_000_000
const API_KEY = 'key-of-the-seller'
const NETWORK = 'net_remnant_us'
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))

/**
 * Whether a process that is killed at any moment, or between any two steps of its reconciler, doubles or loses an order at the embedded ad server or at one behind HTTP (the
 * mock server of the SDK, in a process of its own). Everything runs on this machine.
 */
export async function runReconcilerKills(options: ReconcilerKillOptions): Promise<ReconcilerKillFindings> {
  const { rounds, seed, say, command = BUILT_COMMAND } = options
  const isBuilt = command.some((word) => word.includes('dist/'))
  const runner = [process.execPath, ...(isBuilt ? [] : ['--import', 'tsx']), SERVER, isBuilt ? 'dist' : 'src']
  const folder = mkdtempSync(join(tmpdir(), 'reconciler-kills-'))
  const chance = seeded(seed)
  const started = performance.now()
  let [child, seller]: (Child | undefined)[] = []
  try {
    const sellerPort = await freePort()
    const sellerUrl = `http://127.0.0.1:${sellerPort}`
    seller = await startSeller(sellerPort)
    const at = { folder, data: join(folder, 'data'), file: join(folder, 'publisher.json') }
    const token = await prepare(command, at, sellerUrl)
    const port = await freePort()
    const start = (steps: number) =>
      startChild({
        command: [...runner, at.file, at.data, String(port), String(steps)],
        readyUrl: `http://127.0.0.1:${port}/readyz`,
      })
    const stream = new OrderStream(`http://127.0.0.1:${port}`, token, chance)
    const deaths = { anywhere: 0, betweenSteps: 0 }
    for (let round = 0; round < rounds; round++) {
      const isStep = round % 2 === 1
      child = await startOrDie(() => start(isStep ? Math.floor(chance() * MOST_STEPS) : -1))
      if (child) {
        if (round === 0) await stream.declareAccount()
        const load = stream.run()
        const died = isStep && (await Promise.race([child.ended.then(() => true), sleep(STEPS_WITHIN_MS, false)]))
        if (!isStep) await sleep(SHORTEST + chance() * SPREAD)
        await child.end('SIGKILL')
        await load.stop()
        deaths[died ? 'betweenSteps' : 'anywhere'] += 1
      } else deaths.betweenSteps += 1
      if ((round + 1) % 20 === 0)
        say(`${round + 1} rounds, ${stream.acknowledged} calls acknowledged, ${stream.orders.size} orders`)
    }
    child = await start(-1)
    await stream.settle()
    const config = loadConfig(new Schemas(), { file: at.file, flags: { data: at.data } })
    const until = performance.now() + SETTLE_WITHIN_MS
    while (performance.now() < until && !(await isSettled(config))) await sleep(500)
    await child.end('SIGTERM')
    const { orders, problems } = await judgeOrders(config, stream.orders)
    const upstream = await ordersAt(sellerUrl)
    return {
      deaths,
      acknowledged: stream.acknowledged,
      resent: stream.resent,
      refusals: Object.fromEntries(stream.refusals),
      orders,
      upstream,
      seconds: Math.round((performance.now() - started) / 1000),
      problems: [
        ...problems,
        ...(upstream.orders === orders.seller ? [] : [`the seller has ${upstream.orders} orders, not ${orders.seller}`]),
        ...(upstream.lines === 2 * upstream.orders
          ? []
          : [`the seller has ${upstream.lines} lines in ${upstream.orders} orders`]),
        ...(stream.acknowledged === 0 ? ['no call was acknowledged: nothing was tried'] : []),
      ],
    }
  } finally {
    await child?.end('SIGKILL')
    await seller?.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A process may reach its last step before it answers. */
async function startOrDie(start: () => Promise<Child>): Promise<Child | undefined> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof Error && error.message.includes('SIGKILL')) return undefined
    throw error
  }
}

function startSeller(port: number): Promise<Child> {
  const bin = fileURLToPath(new URL('../../node_modules/@adcp/sdk/bin/adcp.js', import.meta.url))
  return startChild({
    command: [process.execPath, bin, 'mock-server', 'sales-non-guaranteed', '--port', String(port), '--api-key', API_KEY],
    readyUrl: `http://127.0.0.1:${port}/v1/inventory`,
  })
}

/** Makes a publisher with two ad servers, and gives the key of a buyer. */
async function prepare(
  command: readonly string[],
  { folder, data, file }: { readonly folder: string; readonly data: string; readonly file: string },
  url: string,
): Promise<string> {
  const seller = {
    type: 'upstream',
    name: 'seller',
    drift: 'heal',
    options: { url, network: NETWORK, sells: 'non_guaranteed', products: { [PRODUCTS.upstream]: 'display_ros' } },
  }
  const settings = {
    mode: 'development',
    log: { level: 'error' },
    adServer: { type: 'embedded', drift: 'heal', products: { [PRODUCTS.upstream]: seller } },
  }
  writeFileSync(file, JSON.stringify(settings))
  const keys = join(folder, 'keys.json')
  writeFileSync(keys, JSON.stringify({ apiKey: API_KEY }))
  const [executable = '', ...words] = command
  const run = async (...args: string[]) => {
    const all = [...words, ...args, '--data', data, '--config', file, '--json']
    return JSON.parse((await promisify(execFile)(executable, all, { timeout: COMMAND_WITHIN_MS })).stdout)
  }
  await run('init', '--demo')
  // What it has to sell lasts for every round: orders go on reaching the ad server behind HTTP.
  await run('products', 'set', PRODUCTS.upstream, `daily_capacity=${DAILY_CAPACITY}`)
  await run('buyers', 'add', 'buyer')
  await run('adservers', 'credentials', 'seller', '--file', keys)
  return (await run('keys', 'create', '--buyer', 'buyer')).token
}

async function ordersAt(url: string): Promise<{ orders: number; lines: number }> {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'x-network-code': NETWORK }
    return Object(await (await fetch(`${url}${path}`, { headers })).json())
  }
  const { orders } = await read('/v1/orders')
  let lines = 0
  for (const { order_id } of orders) lines += (await read(`/v1/orders/${order_id}/lineitems`)).line_items.length
  return { orders: orders.length, lines }
}
