import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { OPERATIONS } from '../src/admin-api/operations.ts'
import { operatorOn } from '../src/compose/operator.ts'
import { createAdminKey } from '../src/operator/admin-keys/admin-keys.ts'
import { adminClient } from '../test/support/admin-client.ts'
import { signedIn } from '../test/support/console-client.ts'
import { CONSOLE_PAGES } from '../test/support/console-pages.ts'
import { growPublisher } from '../test/support/grow-publisher.ts'
import { productDocument, startMediaBuyAgent } from '../test/support/media-buy-agent.ts'
import { median } from './measure.ts'

// Measures every page of the console and every list of the admin API with few orders and with many: npm run bench:console --
// [--sizes 1000,10000,100000] [--samples 15] [--markdown FILE]. There is a product for each ten orders.

const { values: options } = parseArgs({
  options: {
    markdown: { type: 'string' },
    sizes: { type: 'string', default: '1000,10000,100000' },
    samples: { type: 'string', default: '15' },
  },
})

/** The most that an answer may take, in milliseconds, and the most that it may grow. */
const MOST_MS = 100
const MOST_RATIO = 1.5
/** Growth of less than this is the clock's. */
const NOTICEABLE_MS = 5
const WARM_UP = 3

/** Median of later requests, and the first one, in milliseconds. */
interface Taken {
  readonly ms: number
  readonly first: number
}

/** What lists and sums up, by the names of the operations. */
const LISTS = /^(list|report|showSettings|showApprovalPolicy)/

const sizes = options.sizes.split(',').map(Number)
const products = Array.from({ length: 10 }, (_empty, n) => productDocument(n === 0 ? 'news' : `p${n}`))
const agent = await startMediaBuyAgent(products, { flags: { 'limits.adminRequests': 1_000_000 } })
try {
  const asked = await questions()
  await agent.create()
  const results: ReadonlyMap<string, Taken>[] = []
  for (const orders of sizes) {
    const started = performance.now()
    await growPublisher(agent.server.store, agent.tenant, { orders, products: Math.max(10, orders / 10) }, agent.server.clock())
    await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'news' })
    console.log(`grown to ${orders} orders in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    results.push(await measure(asked))
  }
  const lines: string[] = []
  for (const name of asked.keys()) {
    const taken = results.map((each) => each.get(name) ?? { ms: Number.NaN, first: Number.NaN })
    const [before, after] = [taken[0]?.ms ?? Number.NaN, taken.at(-1)?.ms ?? Number.NaN]
    const isMet = after <= MOST_MS && (after / before <= MOST_RATIO || after - before <= NOTICEABLE_MS)
    const numbers = taken.map(({ ms }) => ms.toFixed(1))
    const growth = (after / before).toFixed(2)
    lines.push(`| ${[name, ...numbers, growth, taken.at(-1)?.first.toFixed(1), isMet ? '' : 'missed'].join(' | ')} |`)
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${numbers.map((each) => each.padStart(7)).join(' ')} ms  × ${growth}  ${name}`)
    if (!isMet) process.exitCode = 1
  }
  if (options.markdown !== undefined) await writeFile(options.markdown, page(lines))
} finally {
  await agent.stop()
}

/** What is asked: each page of the console, and each list of the admin API. Gives the status of its answer. */
async function questions(): Promise<ReadonlyMap<string, () => Promise<number>>> {
  const client = await signedIn(agent, 'measurer', 'administrator', agent.tenant)
  const asked = new Map<string, () => Promise<number>>()
  for (const path of CONSOLE_PAGES)
    asked.set(`/${path}`, async () => (await client.get(`/console/t/${agent.tenant}/${path}`)).status)
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  const key = { name: 'bench', role: 'administrator', deployment: false, expires: undefined }
  const { token } = await createAdminKey(operator, { tenantId: agent.tenant, ...key })
  const call = adminClient(agent.url, token)
  for (const { method, path, id, scope } of OPERATIONS)
    if (method === 'GET' && scope === 'publisher' && !path.includes('{') && LISTS.test(id))
      asked.set(`GET /admin/v1${path}`, async () => (await call('GET', path)).status)
  return asked
}

async function measure(asked: ReadonlyMap<string, () => Promise<number>>): Promise<ReadonlyMap<string, Taken>> {
  const medians = new Map<string, Taken>()
  for (const [name, ask] of asked) {
    const taken: number[] = []
    for (let n = 0; n < 1 + WARM_UP + Number(options.samples); n += 1) {
      const started = performance.now()
      const status = await ask()
      if (status !== 200) throw new Error(`${name}: ${status}`)
      taken.push(performance.now() - started)
    }
    medians.set(name, { ms: median(taken.slice(1 + WARM_UP)), first: taken[0] ?? Number.NaN })
  }
  return medians
}

function page(lines: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10)
  return `# Console and admin API, ${day}

Whole answers over HTTP on loopback, server and client in one process, SQLite, in milliseconds: median of ${options.samples} requests after ${WARM_UP + 1}, one at a
time, with ${sizes.join(', ')} orders and a product for each ten of them; 120 orders run, the others are over, and each has left a creative, a decided
approval, a webhook and an entry of the audit log. "first" is the first request at the largest size. Goal: at most ${MOST_MS} ms, and growth of at most ${MOST_RATIO}
(growth of less than ${NOTICEABLE_MS} ms counts as none). Machine: ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}; load while it ran:
${loadavg()[0]?.toFixed(1)}. Again: \`npm run bench:console -- --markdown bench/results/${day}-console.md\`.

| answer | ${sizes.join(' | ')} | growth | first | goal |
| --- |${' ---: |'.repeat(sizes.length + 2)} --- |
${lines.join('\n')}
`
}
