import { parseArgs } from 'node:util'
import { joinConsole } from './hostile/console-doors.ts'
import { type MeasuredAgent, startMeasuredAgent } from './stalls/agent.ts'
import { boundedWork } from './stalls/bounded-work.ts'
import { type HostileInput, hostileInputs, prepareBuyer } from './stalls/hostile.ts'
import { hostileCreatives } from './stalls/hostile-creatives.ts'
import { largeInvoices } from './stalls/large-invoices.ts'
import { largeWork } from './stalls/large-work.ts'
import { manyDirectLines } from './stalls/many-direct-lines.ts'
import { measureStall } from './stalls/stall.ts'

// Measures how long /livez has to wait while one request is answered, and the longest turn of the main thread: of inputs that were found by hand to take long,
// with what they need beside them. Exits 1 when a turn misses the goal: it is processor time, which a busy machine does not lengthen as it does the wait. Inputs
// that are derived: `npm run bench:hostile`.

const USAGE = `npm run bench:stalls [-- options]

  --rounds N    of which the best counts (default 3)
  --part NAME   hostile or work; may be given again (default all)
  --only TEXT   rows whose title contains it
  --source      runs the source of the server instead of what npm run build made
`
/** Milliseconds. */
const GOALS = { hostile: 50, work: 100 }

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    part: { type: 'string', multiple: true, default: ['hostile', 'work'] },
    only: { type: 'string', default: '' },
    source: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

interface Row {
  readonly title: string
  readonly stallMs: number
  readonly requestMs: number
  readonly cpuMs: number
  readonly turnMs: number
  readonly answer: string
}

if (options.help) process.stdout.write(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const agent = await startMeasuredAgent({ isBuilt: !options.source })
  try {
    const buyer = await prepareBuyer(agent)
    const missed: boolean[] = []
    if (options.part.includes('hostile')) missed.push(await measureInputs(agent, hostileInputs(agent, buyer), GOALS.hostile))
    if (options.part.includes('work')) {
      const person = await joinConsole(agent)
      const rounds = Number(options.rounds)
      missed.push(
        await measureInputs(
          agent,
          [
            ...(await boundedWork(agent, buyer)),
            ...(await hostileCreatives(agent, person)),
            ...largeWork(agent, buyer),
            ...(await largeInvoices(agent, person, rounds)),
            ...(await manyDirectLines(agent, person)),
          ],
          GOALS.work,
        ),
      )
    }
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
  return rows.some(({ turnMs }) => turnMs > goalMs)
}

async function measured(agent: MeasuredAgent, { title, ask }: HostileInput, rounds: number): Promise<Row> {
  const { stallMs, requestMs, cpuMs, turnMs, reply } = await measureStall(agent, ask, rounds)
  const answer = /"code":"([A-Z_]+)"/.exec(reply.body)?.[1] ?? (reply.status === 200 ? 'ok' : `HTTP ${reply.status}`)
  const message = /"message":"((?:[^"\\]|\\.){0,100})/.exec(reply.body)?.[1]
  return { title, stallMs, requestMs, cpuMs, turnMs, answer: answer === 'ok' ? answer : `${answer}: ${message ?? ''}` }
}

function printRow(row: Row | undefined, goalMs: number): void {
  if (!row) return
  const { title, stallMs, requestMs, cpuMs, turnMs, answer } = row
  const [turn, stall, request, cpu] = [turnMs, stallMs, requestMs, cpuMs].map((ms) => ms.toFixed(0).padStart(6))
  print(
    `${turnMs <= goalMs ? 'met   ' : 'MISSED'} ${turn} ms turn ${stall} ms stall ${request} ms request ${cpu} ms processor  ${title}  → ${answer}`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
