import { parseArgs } from 'node:util'
import { startPostgres } from '../agent/postgres.ts'
import { fuzzAgent } from './fuzz-agent.ts'
import { type EngineReport, isClean, neverAccepted } from './tally.ts'

const USAGE = `npm run fuzz:calls [-- options]: hostile calls of every tool of every release, on both engines, beside a prober; every answer is
held against the official schema of its release

  --calls N                calls for each engine (default 20000)
  --engine NAME            sqlite, postgres or both (default)
  --seed N                 default 20260316
  --concurrency N          calls at a time (default 8)
  --most-ms N              how long the main thread may be kept at a time, in processor time (default 100)
  --json                   one JSON object on standard output

Faults and progress are written to standard error while it runs. SIGINT ends it early with a report. Exits 1 on a fault (an answer that
is not valid, a 5xx, a server that ends, a main thread that is kept too long), or when of some tool no call was accepted.
`
const { values: args } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    engine: { type: 'string', default: 'both' },
    seed: { type: 'string', default: '20260316' },
    concurrency: { type: 'string', default: '8' },
    'most-ms': { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const MAX_FAULTS_SHOWN = 40

process.exitCode = args.help ? usage() : await main()
process.exit()

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

async function main(): Promise<number> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const engines = args.engine === 'both' ? ['sqlite', 'postgres'] : [args.engine]
  const reports: EngineReport[] = []
  for (const engine of engines) {
    reports.push(
      engine === 'postgres' ? await onPostgres(interrupted.signal) : await fuzz('sqlite', undefined, interrupted.signal),
    )
  }
  if (args.json) process.stdout.write(`${JSON.stringify(reports)}\n`)
  else for (const report of reports) show(report)
  return reports.every(isClean) ? 0 : 1
}

async function onPostgres(signal: AbortSignal): Promise<EngineReport> {
  const postgres = await startPostgres()
  try {
    return await fuzz('postgres', await postgres.createDatabase('fuzz'), signal)
  } finally {
    await postgres.stop()
  }
}

function fuzz(engine: string, database: string | undefined, signal: AbortSignal): Promise<EngineReport> {
  const progress = (line: string) => process.stderr.write(`${engine}: ${line}\n`)
  return fuzzAgent({
    engine,
    database,
    calls: Number(args.calls),
    seed: Number(args.seed),
    concurrency: Number(args.concurrency),
    mostTurnMs: Number(args['most-ms']),
    signal,
    progress,
  })
}

function show(report: EngineReport): void {
  const { engine, calls, seconds, accepted, refused, faults, slowest, stall } = report
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, count) => total + count, 0)
  const listed = (counts: Readonly<Record<string, number>>) => Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  const faulty = faults.reduce((total, { count }) => total + count, 0)
  const write = (line: string) => process.stdout.write(`${line}\n`)
  write(
    `${engine}: ${calls} calls in ${seconds} s, ${sum(accepted)} accepted and valid, ${sum(refused)} refused, ${faulty} faulty; longest turn ${stall.longestTurn} ms of processor time; ${stall.probes} times /livez, ${stall.failed} failed, at most ${stall.worst} ms (99.9 %: ${stall.p999} ms)`,
  )
  write(`  accepted: ${listed(accepted).join(', ')}`)
  write(`  refused: ${listed(refused).join(', ')}`)
  const never = neverAccepted(report)
  if (never.length > 0) write(`  FAILED, never accepted: ${never.join(', ')}`)
  for (const { task, ms, example } of slowest) write(`  slow: ${ms} ms ${task}  ${example}`)
  for (const { fault, count, example } of faults.slice(0, MAX_FAULTS_SHOWN))
    write(`  FAILED ${count} × ${fault}\n      ${example}`)
}
