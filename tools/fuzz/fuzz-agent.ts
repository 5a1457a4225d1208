import { join } from 'node:path'
import fc from 'fast-check'
import { Pool } from 'undici'
import { Schemas } from '../../src/protocol/schemas.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { NOW } from '../../test/e2e/isolation/holdings.ts'
import { arbitraryRequest } from '../../test/support/arbitrary-request.ts'
import { CLOCK_PRELOAD } from '../agent/clock.ts'
import { type StartedAgent, startAgent } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { jsonOf } from './hostile-values.ts'
import { indexPublishers } from './index-publishers.ts'
import { type Reply, unhandledIn } from './judge.ts'
import { judgeCall } from './judge-call.ts'
import { TURNS_PRELOAD, watchLiveness } from './liveness.ts'
import { hostileMessage } from './messages.ts'
import { mutation, pick } from './mutations.ts'
import { acquireAll, OWN_TOKENS, type Own, withIds, worldOf } from './seed-world.ts'
import { type EngineReport, Tally } from './tally.ts'

export interface FuzzOptions {
  readonly engine: string
  /** Of PostgreSQL; undefined: the embedded store. */
  readonly database: string | undefined
  readonly calls: number
  readonly seed: number
  readonly concurrency: number
  /** Milliseconds of processor time for which a call may keep the main thread. */
  readonly mostTurnMs: number
  /** Ends the run early; what was found until then is reported. */
  readonly signal: AbortSignal
  /** A line about the run while it runs. */
  progress(line: string): void
}

/** Requests made from each tool's schema that the changes start from, and how often the valid example stands beside them. */
const BASES = { made: 30, example: 20 }
/** One call in this many is a message of MCP that calls no tool, or is no call. */
const MESSAGE_ONE_IN = 25
/**
 * Calls after which a new buyer with new things takes over: calls that delete, cancel and terminate leave less and less that others accept, and plans
 * and accounts of one buyer would grow with the run.
 */
const CALLS_OF_A_BUYER = 4_000
const PROGRESS_EVERY = 10_000

/** Calls that take away what others need: each is made this many times less often. */
const TAKES_AWAY: ReadonlySet<string> = new Set(['delete_property_list', 'delete_collection_list', 'si_terminate_session'])
const LESS_OFTEN = 10

interface Buyer {
  readonly key: string
  readonly own: Own
}

/** Starts an agent on a demo store and sends it hostile calls. Throws when the agent does not start or refuses what a buyer begins with. */
export async function fuzzAgent(options: FuzzOptions): Promise<EngineReport> {
  const { database } = options
  const agent = await startAgent({
    clockShiftMs: NOW.getTime() - Date.now(),
    environment: {
      SALES_AGENT_LOG_LEVEL: 'error',
      NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', `--import=${CLOCK_PRELOAD}`, `--import=${TURNS_PRELOAD}`].join(' ').trim(),
      ...(database !== undefined && { SALES_AGENT_DATABASE: database }),
    },
  })
  const pool = new Pool(agent.origin, { connections: options.concurrency })
  try {
    await indexPublishers(
      { data: join(agent.folder, 'data'), ...(database !== undefined && { database }), databaseConnections: 2 },
      NOW,
    )
    return await new Fuzz(options, agent, pool).run()
  } finally {
    await pool.destroy()
    await agent.stop()
  }
}

class Fuzz {
  readonly #options: FuzzOptions
  readonly #agent: StartedAgent
  readonly #pool: Pool
  readonly #schemas = new Schemas()
  readonly #random: () => number
  /** Those of later releases are for `npm run fuzz:releases`. */
  readonly #names = TASKS.map(({ name }) => name).filter((name) => this.#schemas.pathsOf(name) !== undefined)
  readonly #examples: Readonly<Record<string, object>>
  readonly #bases: ReadonlyMap<string, readonly object[]>
  readonly #tally: Tally
  #buyers = 0

  constructor(options: FuzzOptions, agent: StartedAgent, pool: Pool) {
    this.#options = options
    this.#agent = agent
    this.#pool = pool
    this.#random = seeded(options.seed)
    const { fields, examples } = worldOf(OWN_TOKENS, agent.mcpUrl)
    this.#examples = examples
    this.#bases = new Map(
      this.#names.map((name) => {
        const arbitrary = arbitraryRequest(this.#schemas, this.#schemas.requestDocument(name), fields)
        const made = fc.sample(arbitrary, { numRuns: BASES.made, seed: options.seed }).filter(isObject)
        return [name, [...made, ...Array(BASES.example).fill(examples[name] ?? {})]] as const
      }),
    )
    this.#tally = new Tally(this.#names, (fault, example) => options.progress(`${fault}\n      ${example}`))
  }

  async run(): Promise<EngineReport> {
    const { calls, concurrency, signal, engine, progress } = this.#options
    const liveness = await watchLiveness(this.#agent)
    const started = performance.now()
    const seconds = () => (performance.now() - started) / 1000
    const first = await this.#newBuyer()
    // Each as it stands, so that of every tool one answer is judged however short the run is.
    const last = this.#names.filter((name) => TAKES_AWAY.has(name))
    for (const name of [...this.#names.filter((name) => !TAKES_AWAY.has(name)), ...last])
      await this.#ask(name, mutation(this.#examples[name] ?? {}, never, isChange(name)), first)
    let sent = this.#names.length
    // Buyers are made by commands, each in a process of its own: one is made while another's calls run.
    let next = this.#otherBuyer(first)
    let buyer = first
    while (sent < calls && !signal.aborted) {
      const until = Math.min(calls, sent + CALLS_OF_A_BUYER)
      const worker = async () => {
        while (sent < until) {
          sent += 1
          if (sent % PROGRESS_EVERY === 0) progress(`${sent} calls, ${Math.round(sent / seconds())} a second`)
          await this.#one(buyer)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
      buyer = await next
      if (sent < calls) next = this.#otherBuyer(buyer)
    }
    await next
    for (const line of unhandledIn(await this.#agent.log())) this.#tally.fault(`log: ${line.slice(0, 200)}`, '')
    const stall = await liveness.stop()
    if (stall.failed > 0) this.#tally.fault(`/livez failed ${stall.failed} times`, '')
    if (!(stall.longestTurn <= this.#options.mostTurnMs))
      this.#tally.fault(`the main thread was kept for ${stall.longestTurn} ms`, '')
    return this.#tally.report(engine, seconds(), stall)
  }

  /** A new buyer, or the one there was: what the agent refuses to a new one is a fault, and ends no run of hours. */
  async #otherBuyer(present: Buyer): Promise<Buyer> {
    return await this.#newBuyer().catch((error: unknown) => {
      this.#tally.fault(`a new buyer: ${error instanceof Error ? error.message : String(error)}`, '')
      return present
    })
  }

  async #newBuyer(): Promise<Buyer> {
    this.#buyers += 1
    const id = `fuzzer-${this.#buyers}`
    await this.#agent.command(['principals', 'add', id, '--sandbox'])
    const made = await this.#agent.command(['keys', 'create', '--principal', id])
    if (!isObject(made) || !('token' in made) || typeof made.token !== 'string')
      throw new Error(`no key in ${JSON.stringify(made)}`)
    return { key: made.token, own: await acquireAll(this.#agent.mcpUrl, made.token) }
  }

  async #one(buyer: Buyer): Promise<void> {
    if (this.#random() * MESSAGE_ONE_IN < 1) return await this.#send(undefined, jsonOf(hostileMessage(this.#random)), buyer.key)
    const task = this.#task()
    await this.#ask(task, mutation(pick(this.#bases.get(task) ?? [], this.#random), this.#random, isChange(task)), buyer)
  }

  #task(): string {
    const task = pick(this.#names, this.#random)
    return TAKES_AWAY.has(task) && this.#random() * LESS_OFTEN > 1 ? this.#task() : task
  }

  async #ask(task: string, request: object, { key, own }: Buyer): Promise<void> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: task, arguments: request } }
    await this.#send(task, withIds(jsonOf(message), own), key)
  }

  async #send(task: string | undefined, body: string, key: string): Promise<void> {
    const started = performance.now()
    const reply = await post(this.#pool, body, key)
    this.#tally.count(task, judgeCall(this.#schemas, task, reply), body, performance.now() - started)
  }
}

/** A source of chance that leaves requests as they are, but for a new idempotency key. */
const never = () => 0

function isChange(task: string): boolean {
  return TASKS.find(({ name }) => name === task)?.mutating === true
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function post(pool: Pool, body: string, key: string): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
  }
  try {
    const reply = await pool.request({ path: '/mcp', method: 'POST', headers, body })
    return { status: reply.statusCode, body: await reply.body.text() }
  } catch (error) {
    return { status: 599, body: `the connection broke: ${error instanceof Error ? error.message : String(error)}` }
  }
}
