import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentKey } from '../../src/domain/directory/agent-url.ts'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import { expireStale } from '../../src/features/directory/expire.ts'
import type { RefreshOptions } from '../../src/features/directory/refresh.ts'
import type { RefreshDeps } from '../../src/features/directory/shared-documents.ts'
import type { SafeFetch } from '../../src/platform/net/safe-fetch.ts'
import type { Store } from '../../src/store/database.ts'
import { directoryId } from '../../src/store/directory/directory-agents.ts'
import { addPublishers } from '../../src/store/directory/directory-publishers.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** A directory on a store of its own with a clock that only the test moves. */
export interface TestDirectory {
  readonly store: Store
  readonly deps: RefreshDeps
  readonly warnings: { details: Readonly<Record<string, unknown>>; message: string }[]
  now(): Date
  /** Lets time pass and takes out what has run out. */
  pass(ms: number): Promise<void>
  add(...domains: string[]): Promise<void>
  /** Refreshes domains now (every known file is asked for again), whatever their schedule. */
  refresh(domains: readonly string[] | 'all', options?: RefreshOptions): Promise<void>
  /** Refreshes what is due, such as publishers that a file has just named. */
  visitDue(): Promise<void>
  /** Adds domains, refreshes them, and what their files have named. */
  crawled(...domains: string[]): Promise<void>
  /** Every row on show for an agent, as `domain → [method, manager, authorized/total, status]`. */
  rows(agent: string): Promise<Record<string, string>>
  close(): Promise<void>
}

/** Publishers whose own address has answered that there is no file, so that managers' files speak for them. */
export async function putWithoutFile(store: Store, domains: readonly string[], now: Date): Promise<void> {
  await store.transaction(async (tx) => {
    await addPublishers(
      tx,
      domains.map((domain) => ({ domain, origin: 'manager' as const, dueAt: now })),
      now,
    )
    await tx.updateTable('directory_publishers').set({ serves: 'absent' }).where('origin', '=', 'manager').execute()
  })
}

export async function openDirectory(fetch: SafeFetch, options: { store?: Store; start?: string } = {}): Promise<TestDirectory> {
  const folder = mkdtempSync(join(tmpdir(), 'directory-'))
  const store = options.store ?? (await openSqlite(join(folder, 'store.sqlite')))
  let time = Date.parse(options.start ?? '2026-03-01T00:00:00Z')
  const warnings: TestDirectory['warnings'] = []
  const deps: RefreshDeps = {
    store,
    fetch,
    clock: () => new Date(time),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: (details, message) => void warnings.push({ details, message }),
  }
  const directory: TestDirectory = {
    store,
    deps,
    warnings,
    now: () => new Date(time),
    pass: async (ms) => {
      time += ms
      await expireStale(deps)
    },
    add: async (...domains) => void (await addDomains(deps, domains)),
    refresh: async (domains, refreshOptions = {}) => {
      await requestRefresh(deps, domains)
      const list = domains === 'all' ? [undefined] : domains
      for (const domain of list) {
        await crawl(deps, { concurrency: 4, maxAgeMs: 0, ...refreshOptions, ...(domain !== undefined && { domain }) })
      }
    },
    visitDue: async () => void (await crawl(deps, { concurrency: 4, maxAgeMs: 0 })),
    crawled: async (...domains) => {
      await directory.add(...domains)
      await directory.refresh(domains)
      await directory.visitDue()
    },
    rows: async (agent) => {
      const rows = await store.read
        .selectFrom('directory_claims')
        .selectAll()
        .where('agent_id', '=', directoryId(agentKey(agent) ?? ''))
        .where('shown', '!=', '')
        .orderBy('publisher_domain')
        .execute()
      return Object.fromEntries(
        rows.map((row) => [
          row.publisher_domain,
          `${row.discovery_method} ${row.manager_domain ?? '-'} ${row.properties_authorized}/${row.properties_total} ${row.shown}${row.signing_keys_pinned ? ' pinned' : ''}`,
        ]),
      )
    },
    close: async () => {
      if (!options.store) await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return directory
}
