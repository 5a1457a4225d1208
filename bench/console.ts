import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { singleAdServer } from '../src/ad-serving/ad-servers.ts'
import { createSimulator } from '../src/ad-serving/simulator/simulator.ts'
import { settleDelivery } from '../src/tasks/media-buy/settle-delivery.ts'
import { signedIn } from '../test/support/console-client.ts'
import { CONSOLE_PAGES } from '../test/support/console-pages.ts'
import { growPublisher, type PublisherSize } from '../test/support/grow-publisher.ts'
import { productDocument, startMediaBuyAgent } from '../test/support/media-buy-agent.ts'
import { median } from './measure.ts'

// Measures the pages of the console with few orders and with many: npm run bench:console -- [--from 1000] [--orders 100000] [--products 10000]
// [--markdown FILE]. Orders that are over are in the daily sums, as the server's background job leaves them.

const { values: options } = parseArgs({
  options: {
    from: { type: 'string', default: '1000' },
    markdown: { type: 'string' },
    orders: { type: 'string', default: '100000' },
    products: { type: 'string', default: '10000' },
    samples: { type: 'string', default: '25' },
  },
})

/** The most that a page may take, in milliseconds, and the most that it may grow. */
const MOST_MS = 100
const MOST_RATIO = 1.5
/** Growth of less than this is the clock's. */
const NOTICEABLE_MS = 5
const WARM_UP = 5

/** Median of later requests, and the first one, in milliseconds. */
interface Taken {
  readonly ms: number
  readonly first: number
}

const size: PublisherSize = { orders: Number(options.orders), products: Number(options.products) }
const agent = await startMediaBuyAgent(Array.from({ length: 10 }, (_empty, n) => productDocument(n === 0 ? 'news' : `p${n}`)))
try {
  const client = await signedIn(agent, 'measurer', 'administrator', agent.tenant)
  await agent.create()
  await grow({ orders: Number(options.from), products: 10 })
  const small = await measure()
  await grow(size)
  await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'news' })
  const large = await measure()
  const lines: string[] = []
  for (const [page, { ms, first }] of large) {
    const before = small.get(page)?.ms ?? Number.NaN
    const isMet = ms <= MOST_MS && (ms / before <= MOST_RATIO || ms - before <= NOTICEABLE_MS)
    lines.push(`| ${page} | ${before.toFixed(1)} | ${ms.toFixed(1)} | ${(ms / before).toFixed(2)} | ${first.toFixed(1)} |`)
    const numbers = `${before.toFixed(1).padStart(7)} → ${ms.toFixed(1).padStart(7)} ms  × ${(ms / before).toFixed(2)}`
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${numbers}  ${page}`)
    if (!isMet) process.exitCode = 1
  }
  if (options.markdown !== undefined) await writeFile(options.markdown, page(lines))

  async function grow(to: PublisherSize): Promise<void> {
    const { store, clock } = agent.server
    await growPublisher(store, agent.tenant, to, clock())
    const adServers = singleAdServer(createSimulator())
    await settleDelivery({ store, adServers, conformance: false }, agent.tenant, { now: clock(), open: false })
  }

  async function measure(): Promise<ReadonlyMap<string, Taken>> {
    const medians = new Map<string, Taken>()
    for (const page of CONSOLE_PAGES) {
      const taken: number[] = []
      let first = 0
      for (let n = 0; n < WARM_UP + Number(options.samples); n += 1) {
        const started = performance.now()
        const { status } = await client.get(`/console/t/${agent.tenant}/${page}`)
        if (status !== 200) throw new Error(`${page}: ${status}`)
        if (n === 0) first = performance.now() - started
        if (n >= WARM_UP) taken.push(performance.now() - started)
      }
      medians.set(page, { ms: median(taken), first })
    }
    return medians
  }
} finally {
  await agent.stop()
}

function page(lines: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10)
  return `# Console, ${day}

Server time of whole pages over HTTP on loopback, SQLite, in milliseconds: median of ${options.samples} requests after ${WARM_UP}, one at a time, with
${options.from} orders and 10 products, and with ${options.orders} orders and ${options.products} products; 120 orders run. "first" is the first request of all.
Goal: at most ${MOST_MS} ms, and growth of at most ${MOST_RATIO} (growth of less than ${NOTICEABLE_MS} ms counts as none). Machine: ${cpus().length} cores of
${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}; load while it ran: ${loadavg()[0]?.toFixed(1)}.

| page | ${options.from} | ${options.orders} | growth | first |
| --- | ---: | ---: | ---: | ---: |
${lines.join('\n')}
`
}
