import { sql } from 'kysely'
import { type AuditLink, CHAIN_START, type ChainHead, nextLink } from '../../domain/audit/chain.ts'
import type { AuditEntry } from '../../domain/audit/entry.ts'
import { namesOfAct } from '../../domain/audit/former-acts.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { orderedId } from '../ordered-id.ts'
import { pageOfSize } from '../page-size.ts'
import type { AuditLogRow } from './rows.ts'

/** Writes entries down, in the transaction of what they tell of. They are chained later: see `sealEntries`. */
export async function writeEntries(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map(rowOf)
  for (const chunk of chunksOf(rows)) await tx.insertInto('audit_entries').values(chunk).execute()
}

/** The same for one entry, which is what a call has. */
export async function writeEntry(tx: Db, entry: AuditEntry): Promise<void> {
  await addEntry(tx, rowOf(entry))
}

const addEntry = hotQuery(['entry_id', 'at', 'tenant_id', 'entry'], (tx, value) =>
  tx
    .insertInto('audit_entries')
    .values({ entry_id: value('entry_id'), at: value('at'), tenant_id: value('tenant_id'), entry: value('entry') }),
)

function rowOf(entry: AuditEntry) {
  return { entry_id: orderedId(), at: entry.at, tenant_id: entry.tenant, entry: JSON.stringify(entry) }
}

/** Another process chained the same entries at the same moment; its links stand. */
export class SealedElsewhere extends Error {}

/** Moves up to `limit` entries into the chains of their tenants, oldest first. Returns how many there were; throws SealedElsewhere. */
export async function sealEntries(tx: Db, limit: number): Promise<number> {
  const waiting = await tx.selectFrom('audit_entries').selectAll().orderBy('at').orderBy('entry_id').limit(limit).execute()
  const heads = new Map<string, ChainHead>()
  const rows: AuditLogRow[] = []
  for (const { tenant_id: tenantId, at, entry } of waiting) {
    const head = heads.get(tenantId) ?? (await chainHead(tx, tenantId))
    const link = nextLink(tenantId, head, entry)
    heads.set(tenantId, link)
    const { principal, task, outcome }: AuditEntry = JSON.parse(entry)
    const { seq, previousHash, hash } = link
    rows.push({
      tenant_id: tenantId,
      seq,
      at,
      principal_id: principal ?? null,
      task,
      outcome,
      entry,
      previous_hash: previousHash,
      hash,
    })
  }
  for (const chunk of chunksOf(rows)) {
    const inserted = await tx
      .insertInto('audit_log')
      .values(chunk)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'seq']).doNothing())
      .returning('seq')
      .execute()
    if (inserted.length < chunk.length) throw new SealedElsewhere()
  }
  for (const chunk of chunksOf(waiting.map((row) => row.entry_id))) {
    const { numDeletedRows } = await tx.deleteFrom('audit_entries').where('entry_id', 'in', chunk).executeTakeFirst()
    // Read before the other process committed, chained behind its links: the entry would stand twice.
    if (numDeletedRows !== BigInt(chunk.length)) throw new SealedElsewhere()
  }
  return waiting.length
}

/** The last link of a tenant's chain; its start when there is none. */
export async function chainHead(db: Db, tenantId: string): Promise<ChainHead> {
  const row = await db
    .selectFrom('audit_log')
    .select(['seq', 'hash'])
    .where('tenant_id', '=', tenantId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? { seq: 0, hash: CHAIN_START }
}

/** Tenants that have a chain (the empty one: calls of unknown callers, and acts on the whole deployment). */
export async function chainedTenants(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('audit_log').select('tenant_id').distinct().orderBy('tenant_id').execute()
  return rows.map((row) => row.tenant_id)
}

/** Entries that no chain holds yet. */
export async function countUnsealed(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow()
  return Number(row.entries)
}

/** A link with the columns that the log is searched by. They repeat the entry, and its hash does not cover them. */
export interface StoredLink extends AuditLink {
  readonly columns: { readonly at: string; readonly principal: string | null; readonly task: string; readonly outcome: string }
}

/** Links of a chain, and whether there are more. */
export interface ReadLinks {
  readonly links: readonly StoredLink[]
  readonly isCut: boolean
}

/** Links of a chain behind `after`, in order: `limit` at most, fewer where their entries are large. Others are served after each read. */
export async function readLinks(db: Db, tenantId: string, after: number, limit: number): Promise<ReadLinks> {
  const inOrder = db
    .selectFrom('audit_log')
    .select(['seq', 'at', 'principal_id', 'task', 'outcome', 'entry', 'previous_hash', 'hash'])
    .where('tenant_id', '=', tenantId)
    .where('seq', '>', after)
    .orderBy('seq')
  const { rows, isCut } = await pageOfSize(inOrder, ['entry'], limit)
  await giveWay()
  const links = rows.map(({ seq, at, principal_id: principal, task, outcome, entry, previous_hash: previousHash, hash }) => {
    return { tenantId, seq, entry, previousHash, hash, columns: { at, principal, task, outcome } }
  })
  return { links, isCut }
}

export interface AuditFilter {
  readonly principal?: string | undefined
  readonly task?: string | undefined
  readonly outcome?: string | undefined
  /** ISO 8601 UTC. */
  readonly since?: string | undefined
  /** Sequence number that the entries come before. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The newest entries of a tenant that the filter lets through, newest first. */
export async function listAudit(db: Db, tenantId: string, filter: AuditFilter): Promise<(AuditEntry & { seq: number })[]> {
  let query = db.selectFrom('audit_log').select(['seq', 'entry']).where('tenant_id', '=', tenantId)
  if (filter.principal !== undefined) query = query.where('principal_id', '=', filter.principal)
  if (filter.task !== undefined) query = query.where('task', 'in', namesOfAct(filter.task))
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome)
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since)
  if (filter.before !== undefined) query = query.where('seq', '<', filter.before)
  const rows = await query.orderBy('seq', 'desc').limit(filter.limit).execute()
  return rows.map(({ seq, entry }) => {
    const parsed: AuditEntry = JSON.parse(entry)
    return { seq, ...parsed }
  })
}

/** The newest entries of some acts whose text has one of some texts, newest first; `before`: as in {@link AuditFilter}. */
export async function listAuditAbout(
  db: Db,
  tenantId: string,
  {
    tasks,
    texts,
    before,
    limit,
  }: {
    readonly tasks: readonly string[]
    readonly texts: readonly string[]
    readonly before: number | undefined
    readonly limit: number
  },
): Promise<(AuditEntry & { seq: number })[]> {
  const patterns = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
  let query = db
    .selectFrom('audit_log')
    .select(['seq', 'entry'])
    .where('tenant_id', '=', tenantId)
    .where('task', 'in', tasks.flatMap(namesOfAct))
    .where((e) => e.or(patterns.map((pattern) => sql<boolean>`entry like ${pattern} escape '\\'`)))
  if (before !== undefined) query = query.where('seq', '<', before)
  const rows = await query.orderBy('seq', 'desc').limit(limit).execute()
  return rows.map(({ seq, entry }) => {
    const parsed: AuditEntry = JSON.parse(entry)
    return { seq, ...parsed }
  })
}

/** Entries of a publisher that are written and not chained yet, newest first. */
export async function listUnsealed(db: Db, tenantId: string, limit: number): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select('entry')
    .where('tenant_id', '=', tenantId)
    .orderBy('at', 'desc')
    .orderBy('entry_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ entry }) => JSON.parse(entry))
}
