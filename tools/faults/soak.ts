import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../agent/postgres.ts'
import { ACCOUNT, declareAccount, deploy, isRefusal, purchases, type Served } from '../measure/deployment.ts'
import { burst } from '../measure/load.ts'
import { machine } from '../measure/machine.ts'
import { Servers, type Target, toolCall } from '../measure/subject.ts'
import { type SoakResults, soakMarkdown, soakResults } from './soak-report.ts'
import type { Sample } from './trend.ts'

const USAGE = `npx tsx tools/faults/soak.ts [options]: discovery and purchases, three to one, at half of what the built server was measured to
bear; reports how memory, handles and p99 moved, and exits 1 when one of them rises beyond its bound, a call failed, or the rate was not held

  --minutes N        length of the soak, after the measurement of the maximum (default 30)
  --interval N       seconds of one sample (default 10)
  --measure N        seconds of load by which the maximum is measured, the middle of three (default 15)
  --postgres         on PostgreSQL instead of the embedded store
  --out FOLDER       write soak-DATE-ENGINE.json and .md there (bench/results)
  --json             one JSON object on standard output, instead of the page
  --heap             let the server take snapshots of its heap on SIGUSR2, into its working directory
`

const { values: args } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    interval: { type: 'string', default: '10' },
    measure: { type: 'string', default: '15' },
    postgres: { type: 'boolean', default: false },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
    heap: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const CONNECTIONS = 16
const WARM_UP_SECONDS = 5

if (args.help) process.stdout.write(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-soak-'))
  const servers = new Servers()
  const postgres = args.postgres ? await startPostgres() : undefined
  const clean = async () => {
    await servers.stop()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  // Whoever ends the run early leaves no server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void clean().then(() => process.exit(2)))
  try {
    const deployment = await deploy({
      data: join(folder, 'data'),
      database: await postgres?.createDatabase('soak'),
      environment: {
        SALES_AGENT_LIMITS_CHANGES: '100000000',
        SALES_AGENT_LIMITS_READS: '100000000',
        SALES_AGENT_LOG_LEVEL: 'error',
        ...(args.heap && { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' }),
      },
    })
    const served = await deployment.serve(servers)
    await declareAccount(served)
    const mediaBuys = async (): Promise<number> => JSON.parse(await deployment.cli('doctor', '--store')).answers
    const results = await soak(served, postgres?.bytes ?? (() => bytesOf(join(folder, 'data'))), mediaBuys)
    const date = new Date().toISOString().slice(0, 10)
    const page = soakMarkdown(results, machine(), date)
    if (args.out !== undefined) {
      const file = join(args.out, `soak-${date}-${results.engine.toLowerCase()}`)
      mkdirSync(args.out, { recursive: true })
      writeFileSync(`${file}.json`, `${JSON.stringify({ machine: machine(), ...results }, undefined, 2)}\n`)
      writeFileSync(`${file}.md`, page)
    }
    process.stdout.write(args.json ? `${JSON.stringify(results)}\n` : page)
    return results.problems.length === 0 ? 0 : 1
  } finally {
    await clean()
  }
}

async function soak(
  served: Served,
  bytes: () => number | Promise<number>,
  mediaBuys: () => Promise<number>,
): Promise<SoakResults> {
  const say = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  const target = mixed(served)
  const [minutes, interval] = [Number(args.minutes), Number(args.interval)]
  const { perSecond: most, failures: early } = await measured(target)
  const rate = Math.max(1, Math.round(most / 2))
  say(`pid ${served.server.pid}: ${most.toFixed(0)} a second at most; soaking at ${rate} for ${minutes} minutes`)
  const bytesBefore = await bytes()
  const samples: Sample[] = []
  const started = performance.now()
  const passed = () => (performance.now() - started) / 60_000
  let [failures, calls, told] = [early, 0, 0]
  while (passed() < minutes) {
    const one = await burst(target, CONNECTIONS, interval, rate)
    failures += one.failures
    calls += one.requests
    const rssMb = served.server.rssBytes() / 1e6
    const handles = readdirSync(`/proc/${served.server.pid}/fd`).length
    samples.push({ minute: passed(), rssMb, handles, p99Ms: one.p99Ms })
    if (passed() < told + 1) continue
    told = Math.floor(passed())
    say(
      `minute ${told} of ${minutes}: ${rssMb.toFixed(0)} MB, ${handles} handles, p99 ${one.p99Ms} ms, ${one.perSecond.toFixed(0)} a second, ${failures} failed`,
    )
  }
  const store = { bytesBefore, bytesAfter: await bytes(), mediaBuys: await mediaBuys() }
  const engine = args.postgres ? 'PostgreSQL' : 'SQLite'
  return soakResults({ engine, minutes: passed(), most, rate, calls, failures, store, samples })
}

/** What the server bears: the middle of three bursts, warm. */
async function measured(target: Target): Promise<{ perSecond: number; failures: number }> {
  await burst(target, CONNECTIONS, WARM_UP_SECONDS)
  const bursts = []
  for (let n = 0; n < 3; n++) bursts.push(await burst(target, CONNECTIONS, Math.max(1, Number(args.measure) / 3)))
  const [, middle] = bursts.map(({ perSecond }) => perSecond).toSorted((a, b) => a - b)
  return { perSecond: middle ?? 0, failures: bursts.reduce((sum, { failures }) => sum + failures, 0) }
}

function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

/** Three questions for each purchase. */
function mixed({ url, headers }: Served): Target {
  const purchase = purchases()
  const brief = { buying_mode: 'brief', account: ACCOUNT, pagination: { max_results: 4 } }
  let calls = 0
  return {
    url,
    headers,
    body() {
      calls += 1
      if (calls % 4 === 0) return typeof purchase.body === 'string' ? purchase.body : purchase.body()
      return toolCall('get_products', { ...brief, brief: `video for coffee drinkers ${calls % 1000}` })
    },
    succeeded: (reply) => purchase.succeeded(reply) || (reply.includes('"product_id"') && !isRefusal(reply)),
  }
}
