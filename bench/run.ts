import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measure, median } from './measure.ts'
import { ourAgent } from './our-agent.ts'
import { exampleSeller, mcpSdk, plainHttp } from './peers.ts'
import { goalsOf, machine, type Report, render, rowsOf } from './report.ts'
import { measureSqlite } from './sqlite-floor.ts'
import { askOnce, Servers, type Subject } from './subject.ts'

const CONNECTIONS = 16
const OURS = ['get_products', 'get_products_compact', 'create_media_buy', 'create_media_buy_signed', 'replay']

const USAGE = `npm run bench [-- options]: measures the built server beside its peers; exits 1 when a row had a failed request

  --seconds N   length of one burst (default 4)
  --rounds N    bursts a row (default 3)
  --only ID,…   of http, mcp-sdk-1, mcp-sdk-2, adcp-sdk, ${OURS.join(', ')}
  --json        one JSON object on standard output
`

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stderr.write(`${line}\n`)

process.exitCode = args.help ? usage() : await main()

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

async function main(): Promise<number> {
  if (!existsSync('dist/cli/sales-agent.js')) {
    say('there is no built server: run "npm run build" first')
    return 2
  }
  const folder = await mkdtemp(join(tmpdir(), 'sales-agent-bench-'))
  const servers = new Servers()
  try {
    const report = await run(servers, folder)
    process.stdout.write(`${args.json ? JSON.stringify(report) : render(report)}\n`)
    return report.rows.some(({ failures, requests }) => failures > 0 || requests === 0) ? 1 : 0
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(servers: Servers, folder: string): Promise<Report> {
  const settings = { connections: CONNECTIONS, seconds: Number(args.seconds), rounds: Number(args.rounds) }
  const sqlite = measureSqlite(folder, CONNECTIONS, 1)
  const { subjects, startsMs } = await cast(servers, folder)
  const measured = await measure(subjects, { ...settings, warmUpSeconds: 1 }, say)
  const rows = rowsOf(measured)
  const startMs = startsMs.length > 0 ? median(startsMs) : null
  return { machine: machine(), settings, rows, startMs, sqlite, goals: goalsOf(measured, rows, startMs) }
}

/** Starts what was asked for. Our server comes first: the plain one answers with its bytes. */
async function cast(servers: Servers, folder: string): Promise<{ subjects: Subject[]; startsMs: readonly number[] }> {
  const only = args.only?.split(',')
  const wanted = (...ids: string[]) => only === undefined || ids.some((id) => only.includes(id))
  const subjects: Subject[] = []
  const ours = wanted('http', ...OURS) ? await ourAgent(servers, folder) : undefined
  if (ours && wanted('http')) subjects.push(await plainHttp(servers, folder, await askOnce(ours.getProducts.target)))
  if (wanted('mcp-sdk-1')) subjects.push(await mcpSdk(servers, 1))
  if (wanted('mcp-sdk-2')) subjects.push(await mcpSdk(servers, 2))
  if (wanted('adcp-sdk')) subjects.push(await exampleSeller(servers))
  if (ours)
    subjects.push(
      ...[ours.getProducts, ours.compactProducts, ours.createMediaBuy, ours.signedMediaBuy, ours.replay].filter(({ id }) =>
        wanted(id),
      ),
    )
  // A row that cannot answer once is not worth a minute of load.
  for (const { target } of subjects) await askOnce(target)
  return { subjects, startsMs: ours?.startsMs ?? [] }
}
