import { readFileSync } from 'node:fs'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import { createSafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { ownerName } from '../../src/store/task/process-name.ts'

/** What the test tells a crawler of its own process. */
export interface CrawlerTask {
  readonly store: string
  readonly port: number
  readonly caFile: string
  /** Its name in leases, of another machine; with `here` that of its process. Also its user agent, by which a publisher tells the crawlers apart. */
  readonly worker: string
  readonly here?: boolean
  /** How far its clock is ahead, in milliseconds; null: it says `ready` and waits for the number on its standard input. */
  readonly aheadMs: number | null
}

// A crawler in a process of its own, so that it can be killed: it crawls what is due and says how far it is.
const task: CrawlerTask = JSON.parse(process.argv[2] ?? '')
const store = await openSqlite(task.store)
const fetch = createSafeFetch({
  userAgent: task.worker,
  mode: 'development',
  development: { port: task.port },
  lookup: async () => ['127.0.0.1'],
  ca: readFileSync(task.caFile, 'utf8'),
  politeness: { perHost: 8, perDomain: 64, perAddress: 64, spacingMs: 0 },
})
const aheadMs = task.aheadMs ?? Number(await firstLine())
const totals = await crawl(
  {
    store,
    fetch,
    clock: () => new Date(Date.now() + aheadMs),
    random: Math.random,
    limits: FRESHNESS,
    worker: task.here ? ownerName() : task.worker,
    warn: (details, message) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  },
  { concurrency: 4, onProgress: ({ done }) => process.stdout.write(`done ${done}\n`) },
)
await store.close()
process.stdout.write(`end ${JSON.stringify(totals)}\n`)

function firstLine(): Promise<string> {
  process.stdout.write('ready\n')
  return new Promise((resolve) => process.stdin.once('data', (data: Buffer) => resolve(data.toString().trim())))
}
