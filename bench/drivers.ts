/** `npx tsx bench/drivers.ts`: a server on each driver of SQLite, on the same Node 24, asked in turn; after `npm run build`. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declareAccount, deploy, isRefusal, purchases } from '../tools/measure/deployment.ts'
import { Servers, type Subject, toolCall } from '../tools/measure/subject.ts'
import { obtainNode } from '../tools/runtime/other-node.ts'
import { measure, median } from './measure.ts'

const BETTER_SQLITE3 = 'better-sqlite3@13.2.0'
const ROUNDS = { rounds: 7, seconds: 4, connections: 16, warmUpSeconds: 5 }

const node = obtainNode(24)
if (typeof node === 'string') throw new Error(node)
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-drivers-'))
const servers = new Servers()
try {
  execFileSync('npm', ['install', '--no-save', '--prefix', folder, BETTER_SQLITE3], { stdio: 'inherit' })
  const subjects = [
    ...(await subjectsOf('node:sqlite', {})),
    // Node looks there for what is not installed with the project.
    ...(await subjectsOf(BETTER_SQLITE3, { NODE_PATH: join(folder, 'node_modules') })),
  ]
  const measured = await measure(subjects, ROUNDS, (line) => process.stderr.write(`${line}\n`))
  process.stdout.write(`Node ${node.version}, ${ROUNDS.connections} connections, medians of ${ROUNDS.rounds} bursts\n`)
  for (const { subject, bursts } of measured) {
    const [perSecond, cpuUs, p50] = [bursts.map((b) => b.perSecond), bursts.map((b) => b.cpuUs), bursts.map((b) => b.p50Ms)].map(
      median,
    )
    const failures = bursts.reduce((sum, burst) => sum + burst.failures, 0)
    const figures = `${perSecond?.toFixed(0)}/s, ${cpuUs?.toFixed(0)} µs of processor time a call, p50 ${p50} ms, ${failures} failures`
    process.stdout.write(`${subject.title}: ${figures}\n`)
  }
} finally {
  await servers.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function subjectsOf(driver: string, environment: Readonly<Record<string, string>>): Promise<Subject[]> {
  const data = mkdtempSync(join(folder, 'data-'))
  const { executable } = node as Exclude<typeof node, string>
  const deployment = await deploy({ data, node: executable, environment })
  const served = await deployment.serve(servers)
  await declareAccount(served)
  const { server, url, headers } = served
  const question = {
    body: () => toolCall('get_products', { buying_mode: 'brief', brief: `video ${randomUUID()}` }),
    succeeded: (reply: string) => reply.includes('"products"') && !isRefusal(reply),
  }
  return [
    { id: `products-${driver}`, title: `get_products by ${driver}`, server, target: { url, headers, ...question } },
    { id: `purchase-${driver}`, title: `create_media_buy by ${driver}`, server, target: { url, headers, ...purchases() } },
  ]
}
