import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { Schemas } from '../../src/protocol/schemas.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { NOW } from '../../test/e2e/isolation/holdings.ts'
import { arbitraryRequest } from '../../test/support/arbitrary-request.ts'
import { startPostgres } from '../agent/postgres.ts'
import { startAgent } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { jsonOf } from './hostile-values.ts'
import { type Reply, unhandledIn } from './judge.ts'
import { judgeCall } from './judge-call.ts'
import { hostileMessage } from './messages.ts'
import { mutation, pick } from './mutations.ts'
import { seedWorld } from './seed-world.ts'

const USAGE = `npm run fuzz:calls [-- options]: hostile calls of every tool, on both engines; every answer is held against its official schema

  --calls N                calls for each engine (default 20000)
  --engine NAME            sqlite, postgres or both (default)
  --seed N                 default 20260316
  --concurrency N          calls at a time (default 8)
  --json                   one JSON object on standard output
`
const { values: args } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    engine: { type: 'string', default: 'both' },
    seed: { type: 'string', default: '20260316' },
    concurrency: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** Requests made from each tool's schema that the changes start from. */
const BASES = 30
/** One call in this many is a message of MCP that calls no tool, or is no call. */
const MESSAGE_ONE_IN = 25
const LIVENESS_MS = 100
const MAX_FAULTS_SHOWN = 40

interface EngineReport {
  readonly engine: string
  readonly calls: number
  readonly seconds: number
  readonly accepted: Readonly<Record<string, number>>
  readonly refused: number
  readonly faults: readonly { readonly fault: string; readonly count: number; readonly example: string }[]
  /** Longest and 99.9th percentile of how long /livez took to answer, in ms, while calls ran. */
  readonly stall: { readonly worst: number; readonly p999: number }
}

process.exitCode = args.help ? usage() : await main()
process.exit()

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

async function main(): Promise<number> {
  const engines = args.engine === 'both' ? ['sqlite', 'postgres'] : [args.engine]
  const reports: EngineReport[] = []
  for (const engine of engines) reports.push(engine === 'postgres' ? await onPostgres() : await fuzz('sqlite', {}))
  if (args.json) process.stdout.write(`${JSON.stringify(reports)}\n`)
  else for (const report of reports) show(report)
  return reports.every(({ calls, faults }) => calls > 0 && faults.length === 0) ? 0 : 1
}

async function onPostgres(): Promise<EngineReport> {
  const postgres = await startPostgres()
  try {
    return await fuzz('postgres', { SALES_AGENT_DATABASE: await postgres.createDatabase('fuzz') })
  } finally {
    await postgres.stop()
  }
}

async function fuzz(engine: string, environment: Readonly<Record<string, string>>): Promise<EngineReport> {
  const agent = await startAgent({
    clockShiftMs: NOW.getTime() - Date.now(),
    environment: { SALES_AGENT_LOG_LEVEL: 'error', ...environment },
  })
  try {
    const schemas = new Schemas()
    const random = seeded(Number(args.seed))
    const words = await seedWorld(agent.mcpUrl, agent.key)
    const bases = new Map(
      TASKS.map(({ name }) => {
        const arbitrary = arbitraryRequest(schemas, schemas.requestDocument(name), words.fields)
        const made = fc.sample(arbitrary, { numRuns: BASES, seed: Number(args.seed) }).filter(isObject)
        return [name, [...made, ...Array(20).fill(words.examples[name] ?? {})]] as const
      }),
    )
    const names = [...bases.keys()]
    const faults = new Map<string, { count: number; example: string }>()
    const accepted: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]))
    let refused = 0
    let sent = 0
    const total = Number(args.calls)
    const http = new Agent({ keepAlive: true })
    const liveness = watchLiveness(`${agent.origin}/livez`)
    const started = performance.now()

    const one = async (): Promise<void> => {
      const isMessage = random() * MESSAGE_ONE_IN < 1
      const task = isMessage ? undefined : pick(names, random)
      const message =
        task === undefined
          ? hostileMessage(random)
          : call(task, mutation(pick(bases.get(task) ?? [], random), random, isChange(task)))
      const body = jsonOf(message)
      const reply = await post(agent.mcpUrl, body, agent.key, http)
      const verdict = judgeCall(schemas, task, reply)
      if ('fault' in verdict) {
        const kind = `${task ?? 'message'}: ${verdict.fault.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')}`
        const known = faults.get(kind)
        if (known) known.count += 1
        else faults.set(kind, { count: 1, example: body.slice(0, 1500) })
      } else if (verdict.outcome === 'accepted' && task !== undefined) accepted[task] = (accepted[task] ?? 0) + 1
      else refused += 1
    }
    const worker = async () => {
      while (sent < total) {
        sent += 1
        await one()
      }
    }
    await Promise.all(Array.from({ length: Number(args.concurrency) }, worker))
    for (const line of unhandledIn(await agent.log())) faults.set(`log: ${line.slice(0, 200)}`, { count: 1, example: '' })
    http.destroy()
    return {
      engine,
      calls: sent,
      seconds: Math.round((performance.now() - started) / 1000),
      accepted,
      refused,
      faults: [...faults].map(([fault, { count, example }]) => ({ fault, count, example })),
      stall: await liveness.stop(),
    }
  } finally {
    await agent.stop()
  }
}

function isChange(task: string): boolean {
  return TASKS.find(({ name }) => name === task)?.mutating === true
}

function call(name: string, request: object): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: request } }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function post(url: string, body: string, key: string, agent: Agent): Promise<Reply> {
  return new Promise((resolve) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
    }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }))
      response.on('error', (error) => resolve({ status: 599, body: `the connection broke: ${error.message}` }))
    })
    sent.on('error', (error) => resolve({ status: 599, body: `the connection broke: ${error.message}` }))
    sent.end(body)
  })
}

/** Asks a path that needs no work again and again: what it takes is how long the server did nothing else. */
function watchLiveness(url: string): { stop(): Promise<EngineReport['stall']> } {
  const took: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now()
      await fetch(url)
        .then((response) => response.text())
        .catch(() => '')
      took.push(performance.now() - started)
      await sleep(LIVENESS_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      took.sort((a, b) => a - b)
      const at = (share: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0)
      return { worst: at(1), p999: at(0.999) }
    },
  }
}

function show({ engine, calls, seconds, accepted, refused, faults, stall }: EngineReport): void {
  const total = Object.values(accepted).reduce((sum, count) => sum + count, 0)
  const never = Object.entries(accepted).flatMap(([name, count]) => (count === 0 ? [name] : []))
  process.stdout.write(
    `${engine}: ${calls} calls in ${seconds} s, ${total} accepted and valid, ${refused} refused, ${faults.reduce((sum, { count }) => sum + count, 0)} faulty; /livez at most ${stall.worst} ms (99.9 %: ${stall.p999} ms)\n`,
  )
  if (never.length > 0) process.stdout.write(`  never accepted: ${never.join(', ')}\n`)
  for (const { fault, count, example } of faults.slice(0, MAX_FAULTS_SHOWN))
    process.stdout.write(`  ${count} × ${fault}\n      ${example}\n`)
}
