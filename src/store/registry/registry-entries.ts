import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { RegistryEntryRow, RegistryTables } from './rows.ts'

/** What was saved of a domain. */
export async function findEntry(db: Db, kind: RegistryEntryRow['kind'], domain: string): Promise<RegistryEntryRow | undefined> {
  return db.selectFrom('registry_entries').selectAll().where('kind', '=', kind).where('domain', '=', domain).executeTakeFirst()
}

/** Saves an entry. Only the caller that saved it first may save it again: throws PERMISSION_DENIED for others. */
export async function saveEntry(tx: Db, entry: Omit<RegistryEntryRow, 'revision'>): Promise<RegistryEntryRow> {
  const { document, saved_at } = entry
  const row = await tx
    .insertInto('registry_entries')
    .values({ ...entry, revision: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'domain'])
        .doUpdateSet((eb) => ({ document, saved_at, revision: eb('registry_entries.revision', '+', 1) }))
        .where('registry_entries.owner', '=', entry.owner),
    )
    .returningAll()
    .executeTakeFirst()
  if (row) return { ...row, revision: Number(row.revision) }
  throw new AdcpError('PERMISSION_DENIED', 'this entry was saved by another caller, who alone may change it', { field: 'domain' })
}

export interface NewCrawlRequest {
  readonly domain: string
  readonly crawlRequestId: string
  readonly requestedBy: string
  readonly now: Date
  readonly pauseMs: number
}

/** Notes a request for a crawl; gives the milliseconds to wait when the domain was asked for too recently. */
export async function recordCrawlRequest(tx: Db, request: NewCrawlRequest): Promise<number | undefined> {
  const { domain, crawlRequestId: crawl_request_id, requestedBy: requested_by, now, pauseMs } = request
  const values = { crawl_request_id, requested_by, requested_at: now.toISOString() }
  const stale = new Date(now.getTime() - pauseMs).toISOString()
  const taken = await tx
    .insertInto('registry_crawl_requests')
    .values({ domain, ...values })
    .onConflict((conflict) =>
      conflict.column('domain').doUpdateSet(values).where('registry_crawl_requests.requested_at', '<=', stale),
    )
    .returning('domain')
    .executeTakeFirst()
  if (taken) return undefined
  const before = await tx
    .selectFrom('registry_crawl_requests')
    .select('requested_at')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  return Math.max(1, Date.parse(before.requested_at) + pauseMs - now.getTime())
}

/** The last request for a crawl of its domain, by its id. */
export async function findCrawlRequest(db: Db, id: string): Promise<RegistryTables['registry_crawl_requests'] | undefined> {
  return db.selectFrom('registry_crawl_requests').selectAll().where('crawl_request_id', '=', id).executeTakeFirst()
}
