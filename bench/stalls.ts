import { parseArgs } from 'node:util'
import { Schemas } from '../src/protocol/schemas.ts'
import { TASKS } from '../src/tasks/index.ts'
import { type MeasuredAgent, startMeasuredAgent } from './stalls/agent.ts'
import { boundedWork } from './stalls/bounded-work.ts'
import { type Buyer, type HostileInput, hostileInputs, knownOf, prepareBuyer } from './stalls/hostile.ts'
import { largestRequests } from './stalls/largest.ts'
import { callOf, measureStall } from './stalls/stall.ts'

// Measures how long /livez has to wait while one request is answered: of inputs that are made to take long, and of the largest legal
// requests of every task. Exits 1 when a goal is missed. On a busy machine the processor time says more than the stall.

const USAGE = `npm run bench:stalls [-- options]

  --rounds N    of which the best counts (default 3)
  --part NAME   hostile, work or largest; may be given again (default all)
  --only TEXT   rows whose title contains it
  --all         every large request, instead of the worst one of each task
`
/** Milliseconds. */
const GOALS = { hostile: 50, work: 100, largest: 100 }

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    part: { type: 'string', multiple: true, default: ['hostile', 'work', 'largest'] },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

interface Row {
  readonly title: string
  readonly stallMs: number
  readonly requestMs: number
  readonly cpuMs: number
  readonly answer: string
}

if (options.help) process.stdout.write(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const agent = await startMeasuredAgent()
  try {
    const buyer = await prepareBuyer(agent)
    const missed: boolean[] = []
    if (options.part.includes('hostile')) missed.push(await measureInputs(agent, hostileInputs(agent, buyer), GOALS.hostile))
    if (options.part.includes('work')) missed.push(await measureInputs(agent, await boundedWork(agent, buyer), GOALS.work))
    if (options.part.includes('largest')) missed.push(await measureLargest(agent, buyer))
    return missed.some(Boolean) ? 1 : 0
  } finally {
    await agent.stop()
  }
}

async function measureInputs(agent: MeasuredAgent, inputs: readonly HostileInput[], goalMs: number): Promise<boolean> {
  print(`made to take long (goal ≤ ${goalMs} ms)`)
  const rows: Row[] = []
  for (const input of inputs.filter(({ title }) => title.includes(options.only))) {
    rows.push(await measured(agent, input, Number(options.rounds)))
    printRow(rows.at(-1), goalMs)
  }
  return rows.some(({ stallMs }) => stallMs > goalMs)
}

/** Each large request once; what misses the goal again, since most of it is what else the machine does. */
async function measureLargest(agent: MeasuredAgent, buyer: Buyer): Promise<boolean> {
  print(`largest legal requests (goal ≤ ${GOALS.largest} ms)`)
  const schemas = new Schemas()
  let missed = false
  for (const { name } of TASKS) {
    const rows: Row[] = []
    for (const { title, args } of largestRequests(schemas, name, knownOf(buyer))) {
      if (!`${name} ${title}`.includes(options.only)) continue
      const input = { title: `${name} ${title}`, ask: () => callOf(agent.key, name, args()) }
      const first = await measured(agent, input, 1)
      rows.push(first.stallMs > GOALS.largest ? await measured(agent, input, Number(options.rounds)) : first)
    }
    rows.sort((a, b) => b.stallMs - a.stallMs)
    for (const row of options.all ? rows : rows.slice(0, 1)) printRow(row, GOALS.largest)
    missed ||= rows.some(({ stallMs }) => stallMs > GOALS.largest)
  }
  return missed
}

async function measured(agent: MeasuredAgent, { title, ask }: HostileInput, rounds: number): Promise<Row> {
  const { stallMs, requestMs, cpuMs, reply } = await measureStall(agent, ask, rounds)
  const answer = /"code":"([A-Z_]+)"/.exec(reply.body)?.[1] ?? (reply.status === 200 ? 'ok' : `HTTP ${reply.status}`)
  const message = /"message":"((?:[^"\\]|\\.){0,100})/.exec(reply.body)?.[1]
  return { title, stallMs, requestMs, cpuMs, answer: answer === 'ok' ? answer : `${answer}: ${message ?? ''}` }
}

function printRow(row: Row | undefined, goalMs: number): void {
  if (!row) return
  const { title, stallMs, requestMs, cpuMs, answer } = row
  const [stall, request, cpu] = [stallMs, requestMs, cpuMs].map((ms) => ms.toFixed(0).padStart(6))
  print(
    `${stallMs <= goalMs ? 'met   ' : 'MISSED'} ${stall} ms stall ${request} ms request ${cpu} ms processor  ${title}  → ${answer}`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
