import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deploy } from '../tools/measure/deployment.ts'
import { machine } from '../tools/measure/machine.ts'
import { askOnce, Servers, type Subject } from '../tools/measure/subject.ts'
import { growthLine, MOST, measureGrowth, SIZES } from './growth/run.ts'
import { markdown, type Results } from './markdown.ts'
import { measure, median } from './measure.ts'
import { type OurAgent, ourAgent } from './our-agent.ts'
import { exampleSeller, mcpSdk, plainHttp } from './peers.ts'
import { rawSqlite } from './raw-statements.ts'
import { goalsOf, type Report, render, rowsOf, shareOfRawGoal } from './report.ts'
import { measureSqlite } from './sqlite-floor.ts'
import { scaleOfTwo, scaleOfTwoServers } from './two-processes.ts'
import { measureConnections, measureVariants } from './variants.ts'
import { wireSizes } from './wire.ts'

const CONNECTIONS = 16
const COUNTS = [1, 16, 256]
const OURS = [
  'get_products',
  'get_products_page',
  'get_products_repeated',
  'create_media_buy',
  'create_media_buy_signed',
  'replay',
]

const USAGE = `npm run bench [-- options]: measures the built server beside its peers; exits 1 when a row had a failed request.
The load comes from wrk where it is installed, else from autocannon, which takes as much of the processor as a server.

  --seconds N   length of one burst (default 4)
  --rounds N    bursts a row (default 3)
  --part NAME   of peers, variants (engines, workers, Node 24, limits), connections (1, 16, 256), wire, growth; may be given again.
                Default: peers; with --markdown all but growth
  --samples N   calls of each task and size in the part growth (default 80)
  --sizes JSON  instead of the sizes of the part growth, such as {"products":[1000],"mediaBuys":[100000],"tenants":[]}
  --markdown    write bench/results/DATE.md too
  --only ID,…   rows of the part peers, of http, mcp-sdk-1, mcp-sdk-2, adcp-sdk, ${OURS.join(', ')}
  --json        one JSON object on standard output
`

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    part: { type: 'string', multiple: true },
    samples: { type: 'string', default: '80' },
    sizes: { type: 'string' },
    markdown: { type: 'boolean', default: false },
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
    const results = await run(servers, folder)
    if (args.markdown) await writePage(results)
    print(results)
    return isWhole(results) ? 0 : 1
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(servers: Servers, folder: string): Promise<Results> {
  const asked = args.part ?? (args.markdown ? ['peers', 'variants', 'connections', 'wire'] : ['peers'])
  const rounds = { connections: CONNECTIONS, seconds: Number(args.seconds), rounds: Number(args.rounds), warmUpSeconds: 1 }
  const sizes = args.sizes === undefined ? SIZES : JSON.parse(args.sizes)
  const needsOurs = ['peers', 'connections', 'wire'].some((part) => asked.includes(part))
  const { subjects, ours } = needsOurs ? await cast(servers, folder) : { subjects: [], ours: undefined }
  const few = subjects.filter(({ id }) => ['http', 'get_products', 'create_media_buy'].includes(id))
  const wire = asked.includes('wire') && ours ? await wireSizes(ours.served) : undefined
  const peers = asked.includes('peers') ? await runPeers(subjects, folder, ours) : undefined
  const connections = asked.includes('connections') ? await measureConnections(few, COUNTS, rounds, say) : undefined
  await servers.stop()
  const bought = peers?.rows.find(({ id }) => id === 'create_media_buy')
  const raw = bought && rawSqlite(join(folder, 'data', 'sales-agent.sqlite'), CONNECTIONS, rounds.seconds)
  const scale = asked.includes('variants') ? await scaleOfTwo(rounds.seconds) : undefined
  const apart = asked.includes('variants') ? await scaleOfTwoServers(folder, rounds.seconds) : undefined
  const variants = asked.includes('variants') ? await measureVariants(folder, rounds, say) : undefined
  const growth = asked.includes('growth') ? await measureGrowth(folder, sizes, Number(args.samples), say) : undefined
  return {
    ...(peers && { peers: raw && bought ? { ...peers, goals: [...peers.goals, shareOfRawGoal(bought, raw)] } : peers }),
    ...(connections && { connections }),
    ...(wire && { wire }),
    ...(variants && { variants }),
    ...(scale !== undefined && { scaleOfTwo: scale }),
    ...(apart !== undefined && { scaleOfTwoServers: apart }),
    ...(growth && { growth }),
  }
}

async function runPeers(subjects: readonly Subject[], folder: string, ours: OurAgent | undefined): Promise<Report> {
  const settings = { connections: CONNECTIONS, seconds: Number(args.seconds), rounds: Number(args.rounds) }
  const sqlite = measureSqlite(folder, CONNECTIONS, 1)
  const measured = await measure(subjects, { ...settings, warmUpSeconds: 1 }, say)
  const rows = rowsOf(measured)
  const startMs = ours ? median(ours.startsMs) : null
  const goals = goalsOf(measured, rows, startMs, ours?.idleRssMb)
  return { machine: machine(), settings, rows, startMs, sqlite, goals }
}

function print(results: Results): void {
  if (args.json) {
    process.stdout.write(`${JSON.stringify(results)}\n`)
    return
  }
  const { peers, growth = [], ...others } = results
  if (peers) process.stdout.write(`${render(peers)}\n`)
  if (others.variants || others.connections || others.wire) process.stdout.write(`${markdown(others, machine(), today())}\n`)
  for (const row of growth) process.stdout.write(`${growthLine(row)}\n`)
}

/** No request failed, every row has some, and no task grew further than promised. */
function isWhole({ peers, growth = [], variants = [], connections = [] }: Results): boolean {
  const measured = [
    ...variants.flatMap(({ products, question, purchase }) => [products, question, purchase]),
    ...connections.flatMap((one) => one.measured),
  ]
  const bursts = [...(peers?.rows ?? []), ...measured.flatMap((one) => one.bursts)]
  const grown = growth.some(({ promised, ratio }) => promised && ratio > MOST)
  return !grown && bursts.every(({ failures, requests }) => failures === 0 && requests > 0)
}

async function writePage(results: Results): Promise<void> {
  const file = `bench/results/${today()}.md`
  await mkdir('bench/results', { recursive: true })
  await writeFile(file, markdown(results, machine(), today()))
  say(`written: ${file}`)
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Starts what was asked for. Our server comes first: the plain one answers with its bytes. */
async function cast(servers: Servers, folder: string): Promise<{ subjects: Subject[]; ours: OurAgent | undefined }> {
  const only = args.only?.split(',')
  const wanted = (...ids: string[]) => only === undefined || ids.some((id) => only.includes(id))
  const subjects: Subject[] = []
  const ours = wanted('http', ...OURS) ? await ourAgent(servers, await deploy({ data: join(folder, 'data') }), folder) : undefined
  if (ours && wanted('http')) subjects.push(await plainHttp(servers, folder, await askOnce(ours.question.target)))
  if (wanted('mcp-sdk-1')) subjects.push(await mcpSdk(servers, 1))
  if (wanted('mcp-sdk-2')) subjects.push(await mcpSdk(servers, 2))
  if (wanted('adcp-sdk')) subjects.push(await exampleSeller(servers))
  if (ours)
    subjects.push(
      ...[ours.question, ours.largeQuestion, ours.repeated, ours.createMediaBuy, ours.signedMediaBuy, ours.replay].filter(
        ({ id }) => wanted(id),
      ),
    )
  // A row that cannot answer once is not worth a minute of load.
  for (const { target } of subjects) await askOnce(target)
  return { subjects, ours }
}
