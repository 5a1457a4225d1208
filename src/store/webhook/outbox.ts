import { randomUUID } from 'node:crypto'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { WebhookProof } from '../../domain/auth-scheme.ts'
import type { DeliveryState } from '../../domain/delivery-state.ts'
import { bodyOf, labelOf, type WebhookEvent } from '../../domain/webhook/body.ts'
import { shownResult } from '../../protocol/shown-result.ts'
import type { Db } from '../database.ts'
import { firstPending, holdOthers } from './outbox-order.ts'
import type { WebhookEndpoint } from './webhook-endpoints.ts'

/** The event with its result as the release shows it that the webhook was registered under. */
function shown(event: WebhookEvent, { settings: { release } }: WebhookEndpoint): WebhookEvent {
  if (release === undefined || !('taskType' in event) || event.result === undefined) return event
  return { ...event, result: shownResult(release, event.taskType, event.status, { ...event.result }) }
}

/** Writes a webhook for an endpoint. It is due at once, after earlier ones of the same ordering key. Returns its delivery id. */
export async function enqueue(
  tx: Db,
  endpoint: WebhookEndpoint,
  event: WebhookEvent,
  now: Date,
  ordering: string = endpoint.taskId,
): Promise<string> {
  const deliveryId = `whd_${randomUUID()}`
  const idempotencyKey = `whk_${randomUUID()}`
  const orderingKey = [endpoint.tenantId, endpoint.principalId, endpoint.endpointId, ordering].join('/')
  await holdLane(tx, endpoint)
  const { last } = await tx
    .selectFrom('webhook_outbox')
    .select((e) => e.fn.coalesce(e.fn.max('position'), sql<number>`0`).as('last'))
    .where('ordering_key', '=', orderingKey)
    .executeTakeFirstOrThrow()
  const held = (await firstPending(tx, orderingKey)) === undefined ? 0 : 1
  await tx
    .insertInto('webhook_outbox')
    .values({
      delivery_id: deliveryId,
      tenant_id: endpoint.tenantId,
      principal_id: endpoint.principalId,
      endpoint_id: endpoint.endpointId,
      endpoint_key: [endpoint.tenantId, endpoint.principalId, new URL(endpoint.url).origin].join(' '),
      ordering_key: orderingKey,
      position: Number(last) + 1,
      event: labelOf(event),
      idempotency_key: idempotencyKey,
      body: bodyOf(shown(event, endpoint), endpoint.settings, idempotencyKey),
      state: 'pending',
      held,
      attempts: 0,
      next_attempt_at: now.toISOString(),
      lease: null,
      last_status: null,
      last_error: null,
      created_at: now.toISOString(),
      settled_at: null,
    })
    .execute()
  return deliveryId
}

/** Writes the endpoint's row unchanged, so that two transactions number their webhooks for it one after the other. */
async function holdLane(tx: Db, { endpointId }: WebhookEndpoint): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set((e) => ({ kind: e.ref('kind') }))
    .where('endpoint_id', '=', endpointId)
    .execute()
}

/** Where a delivery is in the list: the newest come first, those of one moment by id, backwards. */
export interface DeliveryPosition {
  readonly createdAt: string
  readonly deliveryId: string
}

export interface DeliverySummary {
  readonly deliveryId: string
  readonly event: string
  readonly principalId: string
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastStatus: number | undefined
  readonly lastError: string | undefined
  readonly createdAt: string
  readonly settledAt: string | undefined
}

export interface DeliveryDetails extends DeliverySummary {
  readonly idempotencyKey: string
  readonly orderingKey: string
  readonly position: number
  readonly authentication: WebhookProof
  readonly body: string
}

/** What lists show: not the body, which may be long. */
const SUMMARY = [
  'o.delivery_id',
  'o.event',
  'o.principal_id',
  'o.state',
  'o.attempts',
  'o.next_attempt_at',
  'o.last_status',
  'o.last_error',
  'o.created_at',
  'o.settled_at',
  'e.url',
] as const

function deliveries(db: Db, tenantId: string) {
  return db
    .selectFrom('webhook_outbox as o')
    .innerJoin('webhook_endpoints as e', 'e.endpoint_id', 'o.endpoint_id')
    .select(SUMMARY)
    .where('o.tenant_id', '=', tenantId)
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof deliveries>['execute']>>[number]

/** The order of lists, which indexes have whole. */
function newestFirst<DB extends { o: unknown }, O>(query: SelectQueryBuilder<DB, 'o' & keyof DB, O>) {
  return query.orderBy(sql`o.created_at`, 'desc').orderBy(sql`o.delivery_id`, 'desc')
}

/** A tenant's newest deliveries, `limit` at most, those behind `after` when that is given. */
export async function listDeliveries(
  db: Db,
  tenantId: string,
  filter: { readonly state?: DeliveryState | undefined; readonly after?: DeliveryPosition | undefined; readonly limit: number },
): Promise<DeliverySummary[]> {
  let query = deliveries(db, tenantId)
  if (filter.state !== undefined) query = query.where('o.state', '=', filter.state)
  if (filter.after) {
    const { createdAt, deliveryId } = filter.after
    query = query.where(sql<boolean>`(o.created_at, o.delivery_id) < (${createdAt}, ${deliveryId})`)
  }
  const rows = await newestFirst(query).limit(filter.limit).execute()
  return rows.map(summaryOf)
}

/** The newest deliveries about an order, to whoever follows it; `limit` at most. */
export async function listDeliveriesOfOrder(
  db: Db,
  tenantId: string,
  mediaBuyId: string,
  limit: number,
): Promise<DeliverySummary[]> {
  // The order of all of them is in an index; with what is shown beside it, SQLite would read every delivery of the publisher.
  const newest = newestFirst(
    db
      .selectFrom('webhook_endpoints as e')
      .innerJoin('webhook_outbox as o', 'o.endpoint_id', 'e.endpoint_id')
      .select('o.delivery_id')
      .where('e.tenant_id', '=', tenantId)
      .where('e.media_buy_id', '=', mediaBuyId),
  ).limit(limit)
  const ids = (await newest.execute()).map(({ delivery_id: id }) => id)
  if (ids.length === 0) return []
  const rows = await newestFirst(deliveries(db, tenantId).where('o.delivery_id', 'in', ids)).execute()
  return rows.map(summaryOf)
}

/** One delivery with its body; the buyer's secrets are not part of it. */
export async function findDelivery(db: Db, tenantId: string, deliveryId: string): Promise<DeliveryDetails | undefined> {
  const row = await deliveries(db, tenantId)
    .select(['o.idempotency_key', 'o.ordering_key', 'o.position', 'o.body', 'e.scheme'])
    .where('o.delivery_id', '=', deliveryId)
    .executeTakeFirst()
  return (
    row && {
      ...summaryOf(row),
      idempotencyKey: row.idempotency_key,
      orderingKey: row.ordering_key,
      position: row.position,
      authentication: row.scheme ?? 'rfc9421',
      body: row.body,
    }
  )
}

/**
 * Puts a settled delivery back in line with the same bytes and key, due at once by any process's clock. False when it is pending already or
 * absent.
 */
export async function redeliver(tx: Db, tenantId: string, deliveryId: string): Promise<boolean> {
  const row = await tx
    .updateTable('webhook_outbox')
    .set((e) => ({ state: 'pending', attempts: 0, next_attempt_at: e.ref('created_at'), lease: null, settled_at: null }))
    .where('tenant_id', '=', tenantId)
    .where('delivery_id', '=', deliveryId)
    .where('state', '!=', 'pending')
    .returning(['ordering_key', 'position'])
    .executeTakeFirst()
  if (!row) return false
  await holdOthers(tx, row.ordering_key)
  return true
}

/** Drops deliveries that came to an end before a moment, `limit` at most. Returns how many. */
export async function sweepOutbox(tx: Db, state: 'delivered' | 'dead', before: Date, limit: number): Promise<number> {
  const found = await tx
    .selectFrom('webhook_outbox')
    .select('delivery_id')
    .where('state', '=', state)
    .where('settled_at', '<', before.toISOString())
    .orderBy('settled_at')
    .limit(limit)
    .execute()
  const ids = found.map((row) => row.delivery_id)
  if (ids.length > 0) await tx.deleteFrom('webhook_outbox').where('delivery_id', 'in', ids).execute()
  return ids.length
}

function summaryOf(row: DeliveryRow): DeliverySummary {
  return {
    deliveryId: row.delivery_id,
    event: row.event,
    principalId: row.principal_id,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
    createdAt: row.created_at,
    settledAt: row.settled_at ?? undefined,
  }
}
