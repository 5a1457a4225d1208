import { parseArgs } from 'node:util'
import { type DoorPart, PARTS } from './hostile/doors.ts'
import { readShard, type Shard } from './hostile/order.ts'
import { perMinute, reportPage } from './hostile/report.ts'
import { type HostileReport, runHostile } from './hostile/run.ts'
import { merged, partsOf, runInWorkers } from './hostile/workers.ts'

// Derives hostile inputs from everything that names one: the schemas of every tool in every release, the operations of the admin API, the
// routes of the server and the pages and forms of the console. Measures what each costs the main thread.

const USAGE = `npm run bench:hostile [-- options]: inputs made to take long, derived from schemas, routes and forms; exits 1 on a fault

  --part NAME    ${PARTS.join(', ')}; may be given again (default all)
  --only TEXT    cases whose id contains it: the id of a fault repeats that case
  --door TEXT    doors whose title contains it, such as create_media_buy, admin importProducts or /ads/
  --seed N       order of the cases (default: a new one, which is printed)
  --shard I/N    the I-th of N parts of the cases: N runs with one seed try all of them, each once
  --workers N    so many processes at once, each with a server and a part of the cases of its own (default 1); one for each core
                 runs the whole in a fraction of the time
  --source       runs the source of the server instead of what npm run build made
  --minutes N    ends after so long (default: when all have been run)
  --most-ms N    longest turn of the main thread, in processor time (default 100)
  --page         a results page in Markdown on standard output
  --json         one JSON object on standard output

Progress and faults are written to standard error. SIGINT ends the run early with its report.
`
const { values: options } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: [...PARTS] },
    only: { type: 'string', default: '' },
    door: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    shard: { type: 'string' },
    workers: { type: 'string', default: '1' },
    source: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    'most-ms': { type: 'string', default: '100' },
    page: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

process.exitCode = options.help ? usage() : await main()

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

async function main(): Promise<number> {
  const unknown = options.part.find((name) => !isPart(name))
  if (unknown !== undefined) {
    process.stderr.write(`--part ${unknown} is none of ${PARTS.join(', ')}\n`)
    return 2
  }
  const shard = options.shard === undefined ? undefined : readShard(options.shard)
  if (options.shard !== undefined && !shard) {
    process.stderr.write(`--shard ${options.shard} is no part such as 1/8\n`)
    return 2
  }
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  process.stderr.write(`seed ${options.seed}\n`)
  const progress = (line: string) => void process.stderr.write(`${line}\n`)
  const workers = Number(options.workers)
  const report =
    workers > 1
      ? await inWorkers(workers, shard, { signal: interrupted.signal, progress })
      : await here(shard, interrupted.signal, progress)
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : options.page ? reportPage(report) : summary(report))
  return report.faults.length > 0 || report.run === 0 ? 1 : 0
}

/** The same arguments for each, but for what says how they are divided and shown. */
async function inWorkers(
  workers: number,
  shard: Shard | undefined,
  how: Parameters<typeof runInWorkers>[2],
): Promise<HostileReport> {
  const { part, only, door, seed, source, minutes, 'most-ms': mostMs } = options
  const words = [
    ...part.flatMap((name) => ['--part', name]),
    ...['--only', only, '--seed', seed, '--most-ms', mostMs],
    ...(door === undefined ? [] : ['--door', door]),
    ...(minutes === undefined ? [] : ['--minutes', minutes]),
    ...(source ? ['--source'] : []),
  ]
  return merged(await runInWorkers(partsOf(shard ?? { part: 1, of: 1 }, workers), words, how), shard)
}

function here(shard: Shard | undefined, signal: AbortSignal, progress: (line: string) => void): Promise<HostileReport> {
  return runHostile({
    parts: options.part.filter(isPart),
    seed: Number(options.seed),
    only: options.only,
    isBuilt: !options.source,
    ...(shard && { shard }),
    ...(options.door !== undefined && { door: options.door }),
    goals: { mostMs: Number(options['most-ms']), growthFromMs: 50, mostRssBytes: 700_000_000, repetitions: 3 },
    ...(options.minutes !== undefined && { withinMs: Number(options.minutes) * 60_000 }),
    signal,
    progress,
  })
}

function isPart(name: string): name is DoorPart {
  return PARTS.some((part) => part === name)
}

function summary(report: HostileReport): string {
  const { run, cases, derived, doors, places, seconds, seed, mostRssMb, faults, worst } = report
  const lines = [
    `${run} of ${cases} cases (of ${derived} in all) in ${seconds} s, ${perMinute(report)} a minute, at ${places} places of ${doors} doors; seed ${seed}; at most ${mostRssMb} MB; ${faults.length} faults`,
    ...faults.map(({ id, fault }) => `FAULT ${id}: ${fault}`),
    ...worst.slice(0, 10).map(({ id, turns, answer }) => `${turns.at(-1)?.longestMs} ms  ${id}  → ${answer}`),
  ]
  return `${lines.join('\n')}\n`
}
