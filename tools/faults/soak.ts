import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ACCOUNT, declareAccount, deploy, isRefusal, purchases, type Served } from '../../bench/deployment.ts'
import { burst } from '../../bench/load.ts'
import { Servers, type Target, toolCall } from '../../bench/subject.ts'
import { type Sample, trendsOf } from './trend.ts'

const USAGE = `npx tsx tools/faults/soak.ts [--minutes 30] [--interval 10] [--json]: discovery and purchases at half of what the built server
was measured to bear; reports how memory, handles and p99 moved, and exits 1 when one of them rises beyond its bound or a call failed
`

const { values: args } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    /** Seconds of one sample. */
    interval: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const CONNECTIONS = 16

if (args.help) process.stdout.write(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-soak-'))
  const servers = new Servers()
  try {
    const deployment = await deploy({
      data: join(folder, 'data'),
      environment: { SALES_AGENT_LIMITS_CHANGES: '100000000', SALES_AGENT_LOG_LEVEL: 'error' },
    })
    const served = await deployment.serve(servers)
    await declareAccount(served)
    return await soak(served)
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function soak(served: Served): Promise<number> {
  const target = mixed(served)
  const [minutes, interval] = [Number(args.minutes), Number(args.interval)]
  await burst(target, CONNECTIONS, Math.min(interval, 5))
  const most = await burst(target, CONNECTIONS, interval)
  const rate = Math.max(1, Math.round(most.perSecond / 2))
  process.stderr.write(`${most.perSecond.toFixed(0)} a second at most; soaking at ${rate} for ${minutes} minutes\n`)
  const samples: Sample[] = []
  const started = performance.now()
  let failures = most.failures
  while (performance.now() - started < minutes * 60_000) {
    const one = await burst(target, CONNECTIONS, interval, rate)
    failures += one.failures
    samples.push({
      minute: (performance.now() - started) / 60_000,
      rssMb: served.server.rssBytes() / 1e6,
      handles: readdirSync(`/proc/${served.server.pid}/fd`).length,
      p99Ms: one.p99Ms,
    })
  }
  const trends = trendsOf(samples)
  if (args.json) process.stdout.write(`${JSON.stringify({ rate, failures, trends, samples })}\n`)
  else {
    for (const { name, slope, unit, rise, bound, flat } of trends)
      process.stdout.write(
        `${flat ? 'flat  ' : 'RISES '}  ${name}: ${slope.toFixed(4)} ${unit} a minute, ${rise.toFixed(2)} over the run (bound ${bound.toFixed(2)})\n`,
      )
    process.stdout.write(`${failures} failed calls, ${samples.length} samples at ${rate} a second\n`)
  }
  return failures === 0 && trends.every(({ flat }) => flat) ? 0 : 1
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
