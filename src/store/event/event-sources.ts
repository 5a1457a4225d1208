import type { Selectable } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { ResourceAction } from '../../domain/account/account-change.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { EventSource, SourceActivity } from '../../domain/event/event.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { noteChange } from '../account/account-changes.ts'
import type { Db } from '../database.ts'
import type { EventTables } from './rows.ts'

/** Event sources within reach by their ids, or all of them, in order of creation. */
export async function findEventSources(db: Db, reach: AccountScope, ids?: readonly string[]): Promise<EventSource[]> {
  if (ids?.length === 0) return []
  const rows = await db
    .selectFrom('event_sources')
    .selectAll()
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .$if(reach.accountId !== undefined, (q) => q.where('account_id', '=', reach.accountId ?? ''))
    .$if(ids !== undefined, (q) => q.where('event_source_id', 'in', ids ?? []))
    .orderBy('created_at')
    .orderBy('account_id')
    .orderBy('event_source_id')
    .execute()
  return rows.map(sourceOf)
}

/** Ids of event sources within reach, `limit` at most. */
export async function listEventSourceIds(db: Db, reach: AccountScope, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('event_sources')
    .select('event_source_id')
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .$if(reach.accountId !== undefined, (q) => q.where('account_id', '=', reach.accountId ?? ''))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ event_source_id: id }) => id)
}

/** Writes a new source. Throws CONFLICT when its id was taken at the same moment. */
export async function insertEventSource(tx: Db, owner: PrincipalRef, source: EventSource): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('event_sources')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      account_id: source.accountId,
      event_source_id: source.eventSourceId,
      seller_id: source.sellerId,
      document: JSON.stringify(source.document),
      created_at: source.createdAt,
      updated_at: source.updatedAt,
      revision: source.revision,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(owner.tenantId, source, 'created'))
}

/** Saves a changed source by compare-and-set on its revision. Throws CONFLICT when another sync came first. */
export async function saveEventSource(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, source: EventSource): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('event_sources')
    .set({ document: JSON.stringify(source.document), updated_at: source.updatedAt, revision: source.revision + 1 })
    .where('tenant_id', '=', tenantId)
    .where('seller_id', '=', source.sellerId)
    .where('revision', '=', source.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(tenantId, source, 'updated'))
}

/** Deletes a source with its events; conversions that came of them stay counted. */
export async function deleteEventSource(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, sellerId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('event_sources')
    .where('tenant_id', '=', tenantId)
    .where('seller_id', '=', sellerId)
    .returningAll()
    .execute()
  for (const row of gone) await noteChange(tx, changeOf(tenantId, sourceOf(row), 'deleted'))
}

function changeOf(tenantId: string, { accountId, eventSourceId: resourceId }: EventSource, action: ResourceAction) {
  return { tenantId, accountId, resource: 'event_source', resourceId, action } as const
}

/** What sources received, test events aside: in the last day, and when last. */
export async function activityOf(
  db: Db,
  tenantId: string,
  sellerIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, SourceActivity>> {
  if (sellerIds.length === 0) return new Map()
  const production = db
    .selectFrom('events')
    .where('tenant_id', '=', tenantId)
    .where('seller_id', 'in', sellerIds)
    .where('test_code', '=', '')
  const last = await production
    .select((e) => ['seller_id', e.fn.max('received_at').as('last')])
    .groupBy('seller_id')
    .execute()
  const lately = await production
    .select((e) => ['seller_id', e.fn.countAll().as('received'), e.fn.sum('matched').as('matched')])
    .where('received_at', '>', new Date(now.getTime() - DAY_MS).toISOString())
    .groupBy('seller_id')
    .execute()
  const day = new Map(lately.map((row) => [row.seller_id, row]))
  return new Map(
    last.map((row) => [
      row.seller_id,
      {
        receivedInDay: Number(day.get(row.seller_id)?.received ?? 0),
        matchedInDay: Number(day.get(row.seller_id)?.matched ?? 0),
        lastEventAt: row.last,
      },
    ]),
  )
}

function sourceOf(row: Selectable<EventTables['event_sources']>): EventSource {
  return {
    eventSourceId: row.event_source_id,
    accountId: row.account_id,
    sellerId: row.seller_id,
    document: JSON.parse(row.document),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  }
}

function conflict(): AdcpError {
  return new AdcpError('CONFLICT', 'the event source was changed at the same time; sync it again', { field: 'event_sources' })
}
