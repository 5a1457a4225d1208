import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { requestAgain } from '../ad-serving/ad-server-orders.ts'
import type { Db } from '../database.ts'
import type { ScheduledEventTables, ScheduledKind } from './rows.ts'
import type { WebhookEndpoint } from './webhook-endpoints.ts'

export interface ScheduledEvent extends PrincipalRef {
  readonly eventId: string
  readonly kind: ScheduledKind
  readonly subjectId: string
  readonly endpointId: string
  readonly dueAt: string
  readonly state: Readonly<Record<string, unknown>>
  readonly revision: number
}

/** No time of its own: somebody has to ask for a look. */
export const WHEN_ASKED = new Date('9999-01-01T00:00:00Z')

/** Schedules the first look at something for an endpoint. */
export async function schedule(
  tx: Db,
  endpoint: WebhookEndpoint,
  kind: ScheduledKind,
  subjectId: string,
  dueAt: Date,
  state: object,
): Promise<void> {
  await tx
    .insertInto('scheduled_events')
    .values({
      event_id: `evt_${randomUUID()}`,
      tenant_id: endpoint.tenantId,
      principal_id: endpoint.principalId,
      kind,
      subject_id: subjectId,
      endpoint_id: endpoint.endpointId,
      due_at: dueAt.toISOString(),
      state: JSON.stringify(state),
      revision: 1,
    })
    .execute()
}

/** Events that are due, oldest first. */
export async function dueEvents(db: Db, now: Date, limit: number): Promise<ScheduledEvent[]> {
  const rows = await db
    .selectFrom('scheduled_events')
    .selectAll()
    .where('due_at', '<=', now.toISOString())
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(eventOf)
}

/** Moves an event on. False when another process did so first: then nothing may be sent here. */
export async function reschedule(tx: Db, event: ScheduledEvent, dueAt: Date, state: object): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('scheduled_events')
    .set({ due_at: dueAt.toISOString(), state: JSON.stringify(state), revision: event.revision + 1 })
    .where('event_id', '=', event.eventId)
    .where('revision', '=', event.revision)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ends an event. False when another process moved it first. */
export async function unschedule(tx: Db, event: ScheduledEvent): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('scheduled_events')
    .where('event_id', '=', event.eventId)
    .where('revision', '=', event.revision)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Gives one status event of endpoints that are replaced to another, with what it knows, and makes it due. False when they have none. */
export async function takeOverEvent(tx: Db, endpointIds: readonly string[], successor: string, now: Date): Promise<boolean> {
  const event = await tx
    .selectFrom('scheduled_events')
    .select(['event_id', 'revision'])
    .where('endpoint_id', 'in', endpointIds)
    .where('kind', '=', 'status')
    .orderBy('event_id')
    .executeTakeFirst()
  if (!event) return false
  await tx
    .updateTable('scheduled_events')
    .set({ endpoint_id: successor, due_at: now.toISOString(), revision: event.revision + 1 })
    .where('event_id', '=', event.event_id)
    .execute()
  return true
}

/** Drops the events of endpoints that were replaced. */
export async function unscheduleEndpoints(tx: Db, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return
  await tx.deleteFrom('scheduled_events').where('endpoint_id', 'in', endpointIds).execute()
}

/**
 * Schedules an immediate status check of media buys, in the transaction of every change that may alter their status: their subscribers get
 * an event if it did. A check that is running meanwhile fails its compare-and-set and is repeated. The ad servers that these buys are reconciled
 * with get the change too.
 */
export async function scheduleStatusCheck(tx: Db, tenantId: string, mediaBuyIds: readonly string[], now: Date): Promise<void> {
  await requestAgain(tx, tenantId, mediaBuyIds, now)
  await scheduleCheck(tx, tenantId, 'status', mediaBuyIds, now)
}

/**
 * The same for a creative, for subscribers of its review, and for the media buys that it serves: a buy without an approved creative is not
 * active.
 */
export async function scheduleCreativeCheck(tx: Db, owner: PrincipalRef, creativeId: string, now: Date): Promise<void> {
  const buys = await tx
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .select('p.media_buy_id')
    .distinct()
    .where('a.tenant_id', '=', owner.tenantId)
    .where('a.principal_id', '=', owner.principalId)
    .where('a.creative_id', '=', creativeId)
    .execute()
  const mediaBuyIds = buys.map((buy) => buy.media_buy_id)
  await scheduleStatusCheck(tx, owner.tenantId, mediaBuyIds, now)
  await scheduleCheck(tx, owner.tenantId, 'creative', [creativeId], now)
}

/** The same for creatives that are put on a package or taken from it: of the media buys, that of the package alone has other creatives. */
export async function scheduleAssignmentCheck(
  tx: Db,
  owner: PrincipalRef,
  { packageId, creativeIds }: { readonly packageId: string; readonly creativeIds: readonly string[] },
  now: Date,
): Promise<void> {
  const buys = await tx
    .selectFrom('packages')
    .select('media_buy_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('package_id', '=', packageId)
    .execute()
  const mediaBuyIds = buys.map((buy) => buy.media_buy_id)
  await scheduleStatusCheck(tx, owner.tenantId, mediaBuyIds, now)
  await scheduleCheck(tx, owner.tenantId, 'creative', creativeIds, now)
}

/** The same for an account, for subscribers of its status. */
export function scheduleAccountCheck(tx: Db, tenantId: string, accountId: string, now: Date): Promise<void> {
  return scheduleCheck(tx, tenantId, 'account', [accountId], now)
}

/** Schedules the first check of an activation that a destination has not finished. */
export async function scheduleActivation(tx: Db, owner: PrincipalRef, taskId: string, dueAt: Date): Promise<void> {
  await tx
    .insertInto('scheduled_events')
    .values({
      event_id: `evt_${randomUUID()}`,
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      kind: 'activation',
      subject_id: taskId,
      endpoint_id: '',
      due_at: dueAt.toISOString(),
      state: '{}',
      revision: 1,
    })
    .execute()
}

/** The same for the tasks of activations, when a deployment was withdrawn. */
export function scheduleActivationChecks(tx: Db, tenantId: string, taskIds: readonly string[], now: Date): Promise<void> {
  return scheduleCheck(tx, tenantId, 'activation', taskIds, now)
}

/** The same for a list: its subscribers get an event when its resolution changes. */
export function scheduleListCheck(tx: Db, tenantId: string, listId: string, now: Date): Promise<void> {
  return scheduleCheck(tx, tenantId, 'list', [listId], now)
}

async function scheduleCheck(tx: Db, tenantId: string, kind: ScheduledKind, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('scheduled_events')
    .set((e) => ({ due_at: now.toISOString(), revision: e('revision', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('subject_id', 'in', ids)
    .where('kind', '=', kind)
    .execute()
}

function eventOf(row: Selectable<ScheduledEventTables['scheduled_events']>): ScheduledEvent {
  return {
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    eventId: row.event_id,
    kind: row.kind,
    subjectId: row.subject_id,
    endpointId: row.endpoint_id,
    dueAt: row.due_at,
    state: JSON.parse(row.state),
    revision: row.revision,
  }
}
