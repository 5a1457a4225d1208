import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../src/features/directory/shared-documents.ts'
import { createSafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { startChild } from './child.ts'

// Crawls small publishers over loopback TLS; the web runs in a process of its own, so time and memory here are ours.
const publishers = Number(process.argv[2] ?? 20_000)
const folder = mkdtempSync(join(tmpdir(), 'directory-crawl-'))
const web = await startChild('web-server.ts', join(folder, 'ca.pem'))
const store = await openSqlite(join(folder, 'store.sqlite'))
const fetch = createSafeFetch({
  userAgent: 'directory-bench/1',
  mode: 'development',
  development: { port: web.port },
  lookup: async () => ['127.0.0.1'],
  ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
  // All publishers are names of one domain at one address, which limits would otherwise be measured instead.
  politeness: { perHost: 2, perDomain: 1_000, perAddress: 1_000, spacingMs: 0 },
})
const deps: RefreshDeps = {
  store,
  fetch,
  clock: () => new Date(),
  random: Math.random,
  limits: FRESHNESS,
  worker: 'bench',
  warn: () => undefined,
}
await addDomains(
  deps,
  Array.from({ length: publishers }, (_, index) => `pub-${index}.fleet.example`),
)
const marks: number[] = [performance.now()]
const cpuBefore = process.cpuUsage()
const totals = await crawl(deps, {
  concurrency: 32,
  onProgress: ({ done }) => {
    if (done % (publishers / 4) === 0) marks.push(performance.now())
  },
})
const cpu = process.cpuUsage(cpuBefore)
const quarterSeconds = marks.slice(1).map((mark, index) => (mark - (marks[index] ?? mark)) / 1000)
const seconds = ((marks.at(-1) ?? 0) - (marks[0] ?? 0)) / 1000
// Nothing has changed: every file is asked for again and answered 304.
await requestRefresh(deps, 'all')
const unchangedFrom = performance.now()
const unchangedCpuBefore = process.cpuUsage()
const again = await crawl(deps, { concurrency: 32, maxAgeMs: 0 })
const unchangedSeconds = (performance.now() - unchangedFrom) / 1000
const unchangedCpu = process.cpuUsage(unchangedCpuBefore)
await store.close()
await web.stop()
rmSync(folder, { recursive: true, force: true })
console.log(
  JSON.stringify({
    publishers,
    failed: totals.failed,
    perSecond: publishers / seconds,
    unchangedPerSecond: again.done / unchangedSeconds,
    unchangedFailed: again.failed,
    cpuMsPerPublisher: (cpu.user + cpu.system) / 1000 / publishers,
    unchangedCpuMsPerPublisher: (unchangedCpu.user + unchangedCpu.system) / 1000 / again.done,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    quarterSeconds,
  }),
)
