import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Child, freePort } from '../tools/agent/child.ts'
import type { Target } from './load.ts'
import { signedPurchase } from './signed.ts'
import { askOnce, type Servers, type Subject, toolCall } from './subject.ts'

const CLI = 'dist/cli/sales-agent.js'
/** A start is short, so one of three is off by whatever else the machine does. */
const STARTS = 3
const BUYER = 'bench-buyer'
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** Our rows, and how long each start took from process to `/readyz`. */
export interface OurAgent {
  readonly getProducts: Subject
  readonly compactProducts: Subject
  readonly createMediaBuy: Subject
  readonly signedMediaBuy: Subject
  readonly replay: Subject
  readonly startsMs: readonly number[]
}

/**
 * The built server on a fresh demo store, as a publisher runs it: a buyer that is no sandbox agent, its own key, the log at its
 * default level, `synchronous=FULL`.
 */
export async function ourAgent(servers: Servers, folder: string): Promise<OurAgent> {
  const data = join(folder, 'data')
  await cli('init', '--data', data, '--demo', '--json')
  await cli('principals', 'add', BUYER, '--data', data, '--json')
  const issued: { token: string } = JSON.parse(await cli('keys', 'create', '--principal', BUYER, '--data', data, '--json'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const start = () =>
    servers.start({
      command: [process.execPath, CLI, 'serve', '--data', data, '--port', String(port)],
      readyUrl: `${origin}/readyz`,
    })
  const startsMs: number[] = []
  let server = await start()
  while (startsMs.push(server.startMs) < STARTS) {
    await server.end()
    server = await start()
  }
  const url = `${origin}/mcp`
  const subjects = await subjectsOf(server, url, { authorization: `Bearer ${issued.token}` })
  const { body, succeeded } = subjects.createMediaBuy.target
  const account = { ...ACCOUNT, billing: 'operator' }
  const signedMediaBuy = await signedPurchase({
    folder,
    server,
    url,
    cli,
    data,
    account,
    body: typeof body === 'string' ? () => body : body,
    succeeded,
  })
  return { ...subjects, signedMediaBuy, startsMs }
}

async function subjectsOf(
  server: Child,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<OurAgent, 'startsMs' | 'signedMediaBuy'>> {
  const ask = (body: Target['body'], succeeded: Target['succeeded']): Target => ({ url, headers, body, succeeded })
  const isError = (reply: string) => reply.includes('"isError":true')
  const declared = { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] }
  await askOnce(ask(toolCall('sync_accounts', declared), (reply) => reply.includes('"status":"active"') && !isError(reply)))

  const brief = { buying_mode: 'brief', brief: 'video for coffee drinkers', pagination: { max_results: 4 } }
  const found = (reply: string) => reply.includes('"product_id"') && !isError(reply)
  const products = ask(toolCall('get_products', brief), found)
  const compact = ask(toolCall('get_products', { ...brief, fields: ['channels'] }), found)

  const [head, tail] = toolCall('create_media_buy', mediaBuy('KEY')).split('KEY')
  const bought = (reply: string) => reply.includes('"media_buy_id"') && !isError(reply)
  const create = ask(
    () => `${head}${randomUUID()}${tail}`,
    (reply) => bought(reply) && !reply.includes('"replayed":true'),
  )
  const again = toolCall('create_media_buy', mediaBuy(randomUUID()))
  await askOnce(ask(again, bought))
  const replayed = ask(again, (reply) => bought(reply) && reply.includes('"replayed":true'))
  return {
    getProducts: {
      id: 'get_products',
      title: 'ours: get_products, one question repeated (answered from memory)',
      target: products,
      server,
    },
    compactProducts: {
      id: 'get_products_compact',
      title: 'ours: get_products, repeated, required fields only',
      target: compact,
      server,
    },
    createMediaBuy: { id: 'create_media_buy', title: 'ours: create_media_buy, new key each', target: create, server },
    replay: { id: 'replay', title: 'ours: create_media_buy, replayed', target: replayed, server },
  }
}

/** One package of run-of-site display at a bid, a fortnight a month from now: nothing that needs a person or runs out. */
function mediaBuy(idempotencyKey: string): object {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: day(30),
    end_time: day(44),
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  }
}

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args])
  return stdout
}
