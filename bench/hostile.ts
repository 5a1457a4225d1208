import { parseArgs } from 'node:util'
import { type DoorPart, PARTS } from './hostile/doors.ts'
import { reportPage } from './hostile/report.ts'
import { type HostileReport, runHostile } from './hostile/run.ts'

// Derives hostile inputs from everything that names one: the schemas of every tool in every release, the operations of the admin API, the
// routes of the server and the pages and forms of the console. Measures what each costs the main thread.

const USAGE = `npm run bench:hostile [-- options]: inputs made to take long, derived from schemas, routes and forms; exits 1 on a fault

  --part NAME    ${PARTS.join(', ')}; may be given again (default all)
  --only TEXT    cases whose id contains it: the id of a fault repeats that case
  --door TEXT    doors whose title contains it, such as create_media_buy, admin importProducts or /ads/
  --seed N       order of the cases (default: a new one, which is printed)
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
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  process.stderr.write(`seed ${options.seed}\n`)
  const report = await runHostile({
    parts: options.part.filter(isPart),
    seed: Number(options.seed),
    only: options.only,
    ...(options.door !== undefined && { door: options.door }),
    goals: { mostMs: Number(options['most-ms']), growthFromMs: 50, mostRssBytes: 700_000_000, repetitions: 3 },
    ...(options.minutes !== undefined && { withinMs: Number(options.minutes) * 60_000 }),
    signal: interrupted.signal,
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : options.page ? reportPage(report) : summary(report))
  return report.faults.length > 0 || report.run === 0 ? 1 : 0
}

function isPart(name: string): name is DoorPart {
  return PARTS.some((part) => part === name)
}

function summary({ run, cases, doors, places, seconds, seed, mostRssMb, faults, worst }: HostileReport): string {
  const lines = [
    `${run} of ${cases} cases in ${seconds} s at ${places} places of ${doors} doors; seed ${seed}; at most ${mostRssMb} MB; ${faults.length} faults`,
    ...faults.map(({ id, fault }) => `FAULT ${id}: ${fault}`),
    ...worst.slice(0, 10).map(({ id, turns, answer }) => `${turns.at(-1)?.longestMs} ms  ${id}  → ${answer}`),
  ]
  return `${lines.join('\n')}\n`
}
