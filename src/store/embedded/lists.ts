import { hash } from 'node:crypto'
import type { ListKind } from '../../domain/inventory-list.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { type ListRoom, type NoRoom, noRoom } from './list-room.ts'
import { touch } from './orders.ts'

/** A list that lines are targeted to. */
export interface NeededList {
  readonly listKey: string
  readonly kind: ListKind
  /** Where the list is, as JSON. */
  readonly reference: string
}

/** A list that is to be read now. */
export interface DueList extends NeededList {
  readonly tenantId: string
}

/** Has a list read before long, and kept up to date until `neededUntil` (ISO 8601 UTC). */
export async function requireEmbeddedList(
  tx: Db,
  tenantId: string,
  { listKey, kind, reference }: NeededList,
  neededUntil: string,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('embedded_lists')
    .values({
      tenant_id: tenantId,
      list_key: listKey,
      kind,
      reference,
      members: null,
      digest: null,
      entries: null,
      media_buy_id: null,
      failure: null,
      due_at: now.toISOString(),
      needed_until: neededUntil,
    })
    .onConflict((c) => c.columns(['tenant_id', 'list_key']).doNothing())
    .execute()
  await tx
    .updateTable('embedded_lists')
    .set({ needed_until: neededUntil })
    .where('tenant_id', '=', tenantId)
    .where('list_key', '=', listKey)
    .where('needed_until', '<', neededUntil)
    .execute()
}

/** What lists hold by their keys, as digests; null: it is not known without reading. Lists that were never read are left out. */
export async function listEmbeddedListDigests(
  db: Db,
  tenantId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = new Map<string, string | null>()
  for (const some of chunksOf(keys)) {
    const rows = await db
      .selectFrom('embedded_lists')
      .select(['list_key', 'digest'])
      .where('tenant_id', '=', tenantId)
      .where('list_key', 'in', some)
      .where('members', 'is not', null)
      .execute()
    for (const { list_key: key, digest } of rows) found.set(key, digest)
  }
  return found
}

/** Entries of a list, as JSON; undefined where it was never read. */
export async function findEmbeddedListMembers(db: Db, tenantId: string, listKey: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('embedded_lists')
    .select('members')
    .where('tenant_id', '=', tenantId)
    .where('list_key', '=', listKey)
    .executeTakeFirst()
  return row?.members ?? undefined
}

/**
 * Lists that are to be read now, `limit` at most, the one that waits longest first. Each is put off until `untilMs` from now, so that no other process
 * reads it at the same time, and a process that dies is not waited for.
 */
export async function claimDueEmbeddedLists(
  tx: Db,
  now: Date,
  { limit, untilMs }: { limit: number; untilMs: number },
): Promise<DueList[]> {
  const rows = await tx
    .selectFrom('embedded_lists')
    .select(['tenant_id', 'list_key', 'kind', 'reference', 'due_at'])
    .where('due_at', '<=', now.toISOString())
    .where('needed_until', '>', now.toISOString())
    .orderBy('due_at')
    .limit(limit)
    .execute()
  const claimed: DueList[] = []
  for (const row of rows) {
    const { numUpdatedRows } = await tx
      .updateTable('embedded_lists')
      .set({ due_at: new Date(now.getTime() + untilMs).toISOString() })
      .where('tenant_id', '=', row.tenant_id)
      .where('list_key', '=', row.list_key)
      .where('due_at', '=', row.due_at)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) continue
    claimed.push({ tenantId: row.tenant_id, listKey: row.list_key, kind: row.kind, reference: row.reference })
  }
  return claimed
}

/** What was read of a list. */
export interface ReadMembers {
  /** Its entries, as JSON. */
  readonly members: string
  readonly entries: number
  /** The order that names it. */
  readonly mediaBuyId: string
}

/** Stores what a list holds now; decisions learn of it when it is not what it was. Where it has no room, nothing is stored, and the answer says why. */
export async function saveEmbeddedList(
  tx: Db,
  { tenantId, listKey }: Pick<DueList, 'tenantId' | 'listKey'>,
  { members, entries, mediaBuyId }: ReadMembers,
  { dueAt, now, room }: { readonly dueAt: Date; readonly now: Date; readonly room: ListRoom },
): Promise<NoRoom | undefined> {
  const digest = hash('sha256', members)
  const full = await noRoom(tx, { tenantId, listKey, digest, entries, mediaBuyId, now }, room)
  if (full) return full
  const before = (await listEmbeddedListDigests(tx, tenantId, [listKey])).get(listKey)
  const changed = before !== digest && { members, digest, entries }
  await tx
    .updateTable('embedded_lists')
    .set({ failure: null, due_at: dueAt.toISOString(), media_buy_id: mediaBuyId, ...changed })
    .where('tenant_id', '=', tenantId)
    .where('list_key', '=', listKey)
    .execute()
  if (before !== digest) await touch(tx, tenantId)
  return undefined
}

/** Stores why a list could not be read; what was read before is used meanwhile. */
export async function saveEmbeddedListFailure(
  tx: Db,
  { tenantId, listKey }: Pick<DueList, 'tenantId' | 'listKey'>,
  failure: string,
  dueAt: Date,
): Promise<void> {
  await tx
    .updateTable('embedded_lists')
    .set({ failure, due_at: dueAt.toISOString() })
    .where('tenant_id', '=', tenantId)
    .where('list_key', '=', listKey)
    .execute()
}

/** A list that could not be read the last time. */
export interface UnreadList {
  readonly kind: ListKind
  readonly agentUrl: string
  readonly listId: string
  readonly failure: string
  /** Whether it could be read before. */
  readonly wasRead: boolean
}

/** Lists of a publisher that lines need and that could not be read the last time. */
export async function listEmbeddedListFailures(db: Db, tenantId: string, now: Date): Promise<UnreadList[]> {
  const rows = await db
    .selectFrom('embedded_lists')
    .select(['kind', 'reference', 'failure', 'members'])
    .where('tenant_id', '=', tenantId)
    .where('needed_until', '>', now.toISOString())
    .where('failure', 'is not', null)
    .orderBy('list_key')
    .execute()
  return rows.map(({ kind, reference, failure, members }) => {
    const { agent_url: agentUrl, list_id: listId }: { readonly agent_url: string; readonly list_id: string } =
      JSON.parse(reference)
    return { kind, agentUrl, listId, failure: failure ?? '', wasRead: members !== null }
  })
}

/** Forgets lists that no flight needs any more. */
export async function sweepEmbeddedLists(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('embedded_lists').where('needed_until', '<=', now.toISOString()).execute()
}
