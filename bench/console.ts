import { parseArgs } from 'node:util'
import { signedIn } from '../test/support/console-client.ts'
import { CONSOLE_PAGES } from '../test/support/console-pages.ts'
import { growPublisher, type PublisherSize } from '../test/support/grow-publisher.ts'
import { productDocument, startMediaBuyAgent } from '../test/support/media-buy-agent.ts'
import { median } from './measure.ts'

// Measures the pages of the console with one order and with many: npx tsx bench/console.ts [--orders 100000] [--products 10000].

const { values: options } = parseArgs({
  options: {
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

const size: PublisherSize = { orders: Number(options.orders), products: Number(options.products) }
const agent = await startMediaBuyAgent(Array.from({ length: 10 }, (_empty, n) => productDocument(n === 0 ? 'news' : `p${n}`)))
try {
  const client = await signedIn(agent, 'measurer', 'administrator', agent.tenant)
  await agent.create()
  const small = await measure()
  await growPublisher(agent.server.store, agent.tenant, size, agent.server.clock())
  await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'news' })
  const large = await measure()
  for (const [page, ms] of large) {
    const before = small.get(page) ?? Number.NaN
    const isMet = ms <= MOST_MS && (ms / before <= MOST_RATIO || ms - before <= NOTICEABLE_MS)
    const numbers = `${before.toFixed(1).padStart(7)} → ${ms.toFixed(1).padStart(7)} ms  × ${(ms / before).toFixed(2)}`
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${numbers}  ${page}`)
    if (!isMet) process.exitCode = 1
  }

  async function measure(): Promise<ReadonlyMap<string, number>> {
    const medians = new Map<string, number>()
    for (const page of CONSOLE_PAGES) {
      const taken: number[] = []
      for (let n = 0; n < WARM_UP + Number(options.samples); n += 1) {
        const started = performance.now()
        const { status } = await client.get(`/console/t/${agent.tenant}/${page}`)
        if (status !== 200) throw new Error(`${page}: ${status}`)
        if (n >= WARM_UP) taken.push(performance.now() - started)
      }
      medians.set(page, median(taken))
    }
    return medians
  }
} finally {
  await agent.stop()
}
