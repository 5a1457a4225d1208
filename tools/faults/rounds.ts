import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { agentClient } from '../../test/support/client.ts'
import { startReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { CommandLine, type Served } from '../agent/command-line.ts'
import { type Findings, judge } from './judge.ts'
import { type Arrival, makeMoody } from './moods.ts'
import { seeded } from './random.ts'

export interface RoundsOptions {
  readonly rounds: number
  readonly seed: number
  /** Orders placed in a round; every second one waits for the seller. */
  readonly orders?: number
  /** A line now and then. */
  readonly say?: (line: string) => void
}

/** An order that a buyer wants, and what it knows of it. */
export interface Wanted {
  readonly key: string
  readonly waits: boolean
  /** Its buyer cancels it later. */
  readonly cancels: boolean
  answer?: { readonly mediaBuyId?: string; readonly taskId?: string }
  canceled?: boolean
}

const APPROVER = fileURLToPath(new URL('./approver.ts', import.meta.url))
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
/** The demo buyer's own account. */
const ACCOUNT = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true }
const ENVIRONMENT = {
  SALES_AGENT_LOG_LEVEL: 'error',
  SALES_AGENT_MODE: 'development',
  // A claim whose owner was killed is taken over in the next round.
  SALES_AGENT_IDEMPOTENCY_LEASE_SECONDS: '2',
  SALES_AGENT_IDEMPOTENCY_WAIT_SECONDS: '1',
}
/** From the first call to the last kill of a round. */
const ROUND_MS = 900
/** The first server is killed while its first calls are on their way, so that even a few rounds cut some off. */
const FIRST_KILL_MS = 5
/** What a killed process was sending or approving waits for its lease: half a minute each. */
const SETTLE_MS = 150_000

/**
 * Rounds of buy → approve → book → notify on one store, each ended by `kill -9` of server and seller at random moments; then a calm round in
 * which every buyer asks again for what it has no answer to, and everything is told. Judges what the store and the receiver have.
 */
export async function runRounds({ rounds, seed, orders = 8, say = () => {} }: RoundsOptions): Promise<Findings> {
  const random = seeded(seed)
  const line = new CommandLine(ENVIRONMENT)
  const receiver = await startReceiver()
  const moody = makeMoody(receiver, random)
  const wanted: Wanted[] = []
  const kills = { server: 0, seller: 0, callsCutOff: 0, startMs: 0 }
  try {
    const { key } = await line.json('init', '--demo')
    await line.json('approvals', 'policy', 'set', '--task', 'create_media_buy', '--above', '1000')
    for (let round = 0; round < rounds; round++) {
      const server = await line.serve(['--sandbox'], ENVIRONMENT)
      kills.startMs += server.startMs
      const seller = await startSeller(line.data, server.mcpUrl)
      wanted.push(...Array.from({ length: orders }, (_, index) => order(`fault-order-${seed}-${round}-${index}`, index)))
      const calls = placeAll(server, key, receiver, wanted, kills)
      await Promise.all([
        killAt(random() * (round === 0 ? FIRST_KILL_MS : ROUND_MS), () => server.end('SIGKILL')).then(() => kills.server++),
        killAt(random() * ROUND_MS, () => end(seller)).then(() => kills.seller++),
      ])
      await calls
      if ((round + 1) % 10 === 0) say(progressOf(round + 1, wanted, moody.arrivals))
    }
    moody.calm()
    const settled = await settle(line, key, receiver, wanted, kills)
    return await judge({ ...settled, wanted, arrivals: moody.arrivals, kills, rounds, seed })
  } finally {
    await line.close()
    await receiver.close()
  }
}

function order(key: string, index: number): Wanted {
  return { key, waits: index % 2 === 0, cancels: index % 4 === 1 }
}

/** Every buyer that has no answer yet asks (again, under the same key), and some cancel what they have. */
async function placeAll(
  { mcpUrl }: Served,
  key: string,
  receiver: WebhookReceiver,
  wanted: readonly Wanted[],
  kills: { callsCutOff: number },
): Promise<void> {
  const buyer = agentClient(mcpUrl, key)
  await Promise.all(
    wanted.map(async (one) => {
      try {
        if (!one.answer) {
          const { data, isError } = await buyer.call('create_media_buy', requestOf(one, receiver.origin))
          if (isError && !isTemporary(data)) throw new Error(`${one.key}: ${JSON.stringify(data)}`)
          if (!isError) one.answer = { mediaBuyId: data.media_buy_id, taskId: data.task_id }
        } else if (one.cancels && !one.canceled && one.answer.mediaBuyId !== undefined) {
          const cancel = {
            account: ACCOUNT,
            media_buy_id: one.answer.mediaBuyId,
            canceled: true,
            idempotency_key: `${one.key}-cancel`,
          }
          const { data, isError } = await buyer.call('update_media_buy', cancel)
          if (isError && !isTemporary(data)) throw new Error(`${one.key}: ${JSON.stringify(data)}`)
          if (!isError) one.canceled = true
        }
      } catch (error) {
        // The server is gone; anything else is a finding.
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error
        kills.callsCutOff++
      }
    }),
  )
}

function isTemporary(data: { readonly adcp_error?: { readonly recovery?: string } }): boolean {
  return data.adcp_error?.recovery === 'transient'
}

function requestOf({ key, waits }: Wanted, origin: string): object {
  const [start, end] = [30, 44].map((days) => new Date(FIXED_NOW + days * 86_400_000).toISOString())
  return {
    idempotency_key: key,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: start,
    end_time: end,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: waits ? 2000 : 500 }],
    push_notification_config: { url: `${origin}/${key}`, operation_id: key },
  }
}

/** A repeated request has to be the same request. */
const FIXED_NOW = Math.floor(Date.now() / 86_400_000) * 86_400_000

async function startSeller(data: string, agentUrl: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', TSX, APPROVER, data, agentUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the seller ended with code ${code}`)))
  })
  return child
}

function end(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
  child.kill('SIGKILL')
  return gone
}

async function killAt(ms: number, kill: () => Promise<unknown>): Promise<void> {
  await sleep(ms)
  await kill()
}

export interface Settled {
  /** Every media buy of the buyer. */
  readonly mediaBuys: readonly { readonly media_buy_id: string; readonly status: string }[]
  readonly tasks: ReadonlyMap<string, { readonly status: string; readonly result?: { readonly media_buy_id?: string } }>
  readonly keySet: unknown
  readonly undelivered: number
}

/** The calm round: until every buyer has its answer, every order is decided on, and nothing waits to be told. */
async function settle(
  line: CommandLine,
  key: string,
  receiver: WebhookReceiver,
  wanted: readonly Wanted[],
  kills: { callsCutOff: number },
): Promise<Settled> {
  const server = await line.serve(['--sandbox'], ENVIRONMENT)
  const seller = await startSeller(line.data, server.mcpUrl)
  try {
    const buyer = agentClient(server.mcpUrl, key)
    const deadline = Date.now() + SETTLE_MS
    let undelivered = Number.POSITIVE_INFINITY
    while (Date.now() < deadline) {
      await placeAll(server, key, receiver, wanted, kills)
      const open = wanted.some((one) => !one.answer || (one.cancels && !one.canceled))
      const { items: queue } = await line.json('approvals', 'list')
      const { items: webhooks } = await line.json('webhooks', 'list', '--state', 'pending')
      undelivered = webhooks.length
      if (!open && queue.length === 0 && undelivered === 0) break
      await sleep(500)
    }
    const tasks = new Map()
    for (const { answer } of wanted) {
      if (answer?.taskId !== undefined) tasks.set(answer.taskId, (await buyer.call('tasks/get', { task_id: answer.taskId })).data)
    }
    const keySet = await (await fetch(`${server.origin}/.well-known/jwks.json`)).json()
    return { mediaBuys: await allMediaBuys(buyer), tasks, keySet, undelivered }
  } finally {
    await Promise.all([end(seller), server.end()])
  }
}

async function allMediaBuys(buyer: ReturnType<typeof agentClient>) {
  const all: { media_buy_id: string; status: string }[] = []
  let cursor: string | undefined
  do {
    const { data } = await buyer.call('get_media_buys', {
      status_filter: ['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'],
      pagination: { max_results: 100, ...(cursor !== undefined && { cursor }) },
    })
    all.push(...data.media_buys)
    cursor = data.pagination?.cursor
  } while (cursor !== undefined)
  return all
}

function progressOf(round: number, wanted: readonly Wanted[], arrivals: readonly Arrival[]): string {
  const answered = wanted.filter(({ answer }) => answer).length
  return `round ${round}: ${answered} of ${wanted.length} orders answered, ${arrivals.length} webhooks came`
}
