import { join } from 'node:path'
import { Pool } from 'undici'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { NOW } from '../../test/support/isolation/holdings.ts'
import { CLOCK_PRELOAD } from '../agent/clock.ts'
import { type StartedAgent, startAgent } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { type DrawnTool, drawnTools, drawRequest, drawTool, exampleRequest } from './drawn-tools.ts'
import { jsonOf } from './hostile-values.ts'
import { indexPublishers } from './index-publishers.ts'
import { type Reply, unhandledIn } from './judge.ts'
import { judgeCall } from './judge-call.ts'
import { TURNS_PRELOAD, type Watch, watchLiveness } from './liveness.ts'
import { hostileMessage } from './messages.ts'
import { RecentCalls } from './recent-calls.ts'
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

/** One call in this many is a message of MCP that calls no tool, or is no call. */
const MESSAGE_ONE_IN = 25
/**
 * Calls after which a new buyer with new things takes over: calls that delete, cancel and terminate leave less and less that others accept, and plans
 * and accounts of one buyer would grow with the run.
 */
const CALLS_OF_A_BUYER = 4_000
const PROGRESS_EVERY = 10_000

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
  readonly #random: () => number
  readonly #contracts = loadContracts()
  readonly #tools: readonly DrawnTool[]
  readonly #tally: Tally
  readonly #recent = new RecentCalls()
  #buyers = 0

  constructor(options: FuzzOptions, agent: StartedAgent, pool: Pool) {
    this.#options = options
    this.#agent = agent
    this.#pool = pool
    this.#random = seeded(options.seed)
    this.#tools = drawnTools(this.#contracts, worldOf(OWN_TOKENS, agent.mcpUrl), options.seed)
    const titles = this.#tools.map(({ title }) => title)
    this.#tally = new Tally(titles, (fault, example) => options.progress(`${fault}\n      ${example}`))
  }

  async run(): Promise<EngineReport> {
    const { calls, concurrency, signal, engine, progress } = this.#options
    const liveness = await watchLiveness(this.#agent)
    const started = performance.now()
    const seconds = () => (performance.now() - started) / 1000
    // Each as it stands, so that of every tool one answer is judged however short the run is.
    const first = await this.#examples()
    let sent = this.#tools.length
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
      await this.#judgeTurns(liveness)
      buyer = await next
      if (sent < calls) next = this.#otherBuyer(buyer)
    }
    await next
    for (const line of unhandledIn(await this.#agent.log())) this.#tally.fault(`log: ${line.slice(0, 200)}`, '')
    await this.#judgeTurns(liveness)
    const stall = await liveness.stop()
    if (stall.failed > 0) this.#tally.fault(`/livez failed ${stall.failed} times`, '')
    return this.#tally.report(engine, seconds(), stall)
  }

  async #judgeTurns(liveness: Watch): Promise<void> {
    const turn = await liveness.longestTurn()
    if (turn.ms <= this.#options.mostTurnMs) return
    this.#tally.fault(`the main thread was kept for ${turn.ms} ms`, this.#recent.during(turn))
  }

  /** Asks every tool of each release as it stands, for a buyer who has all of its own, and gives the last of these. */
  async #examples(): Promise<Buyer> {
    let buyer = await this.#newBuyer()
    for (const [at, tool] of this.#tools.entries()) {
      if (at > 0 && this.#tools[at - 1]?.contract !== tool.contract) buyer = await this.#newBuyer()
      await this.#ask(tool, exampleRequest(tool), buyer)
    }
    return buyer
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
    const agentUrl = `https://${id}.example/mcp`
    await this.#agent.command(['buyers', 'add', id, '--sandbox', '--agent-url', agentUrl])
    const made = await this.#agent.command(['keys', 'create', '--buyer', id])
    if (!isObject(made) || !('token' in made) || typeof made.token !== 'string')
      throw new Error(`no key in ${JSON.stringify(made)}`)
    return { key: made.token, own: await acquireAll(this.#agent.mcpUrl, made.token, this.#contracts, agentUrl) }
  }

  async #one(buyer: Buyer): Promise<void> {
    if (this.#random() * MESSAGE_ONE_IN < 1) return await this.#send(undefined, jsonOf(hostileMessage(this.#random)), buyer.key)
    const tool = drawTool(this.#tools, this.#random)
    await this.#ask(tool, drawRequest(tool, this.#random), buyer)
  }

  async #ask(tool: DrawnTool, request: object, { key, own }: Buyer): Promise<void> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.task.name, arguments: request } }
    const body = writable(message)
    if (body !== undefined) await this.#send(tool, withIds(body, own), key)
  }

  async #send(tool: DrawnTool | undefined, body: string, key: string): Promise<void> {
    const started = performance.now()
    const reply = await post(this.#pool, body, key)
    const verdict = judgeCall(tool?.contract ?? this.#contracts.base, tool?.task.name, reply)
    const ms = performance.now() - started
    this.#tally.count(tool?.title, verdict, body, ms)
    this.#recent.add(body, ms)
  }
}

/** The JSON of a message; undefined for one that is longer than a text of Node may be: large values within large values. */
function writable(message: object): string | undefined {
  try {
    return jsonOf(message)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
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
