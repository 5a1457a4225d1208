import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { RefreshDeps } from '../../src/features/directory/shared-documents.ts'
import type { SafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { LARGEST_NETWORK, managedNetwork } from '../../test/support/fake-web/worlds.ts'

// Indexes a manager's file of 6,800 domains; the fetch gives it from memory, so that the time is ours alone.
const body = Buffer.from(JSON.stringify(managedNetwork(LARGEST_NETWORK)))
const fetch: SafeFetch = async (url) => {
  const found = url.startsWith('https://manager.example/')
  return {
    status: found ? 200 : 404,
    url,
    body: found ? body : Buffer.from(''),
    contentType: 'application/json',
    etag: undefined,
    lastModified: undefined,
    retryAfter: undefined,
  }
}
const folder = mkdtempSync(join(tmpdir(), 'directory-ingest-'))
const store = await openSqlite(join(folder, 'store.sqlite'))
const deps: RefreshDeps = {
  store,
  fetch,
  clock: () => new Date(),
  random: Math.random,
  limits: FRESHNESS,
  worker: 'bench',
  warn: () => undefined,
}
const timed = async () => {
  const started = performance.now()
  await crawl(deps, { concurrency: 1, domain: 'manager.example' })
  return performance.now() - started
}
await addDomains(deps, ['manager.example'])
const firstMs = await timed()
await store.transaction((tx) =>
  tx
    .updateTable('directory_publishers')
    .set({ next_attempt_at: '2000-01-01' })
    .where('publisher_domain', '=', 'manager.example')
    .execute(),
)
const againMs = await timed()
const { rows } = await store.read
  .selectFrom('directory_claims')
  .select((eb) => eb.fn.countAll<number>().as('rows'))
  .where('shown', '=', 'authorized')
  .executeTakeFirstOrThrow()
await store.close()
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify({ bytes: body.length, rows, firstMs, againMs, peakRssMb: process.resourceUsage().maxRSS / 1024 }))
