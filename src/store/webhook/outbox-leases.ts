import { sql } from 'kysely'
import { BREAKER_THRESHOLD } from '../../domain/webhook/retry.ts'
import type { Db, Store } from '../database.ts'
import { changeRow, later, takeLeases, takeRow } from '../leases.ts'
import { attemptBegun, type DueMessage } from '../outbox-messages.ts'

/** A delivery that this process may send until its lease ends. */
export interface LeasedDelivery {
  readonly deliveryId: string
  readonly lease: string
  readonly endpointId: string
  readonly endpointKey: string
  /** As {@link LeaseRequest.fullBuyers} names it. */
  readonly buyer: string
  readonly orderingKey: string
  readonly event: string
  readonly body: string
  readonly idempotencyKey: string
  /** This attempt included. */
  readonly attempt: number
  readonly createdAt: string
}

export interface LeaseRequest {
  readonly now: Date
  readonly leaseMs: number
  /** How many more attempts an endpoint may have in this process, by endpoint key; all others have `perEndpoint`. */
  readonly room: (endpointKey: string) => number
  /** Endpoint keys without room: they are not read. */
  readonly full: readonly string[]
  /** How many more attempts a buyer may have at the same time in this process; the buyer with the most left comes first. */
  readonly roomOfBuyer: (buyer: string) => number
  /** Buyers (publisher and id) without room: theirs are not read. */
  readonly fullBuyers: readonly string[]
  readonly limit: number
  /** Where {@link Look.next} of the look before was; empty: at the first endpoint. */
  readonly from: string
}

/** Endpoints that one look goes through: some milliseconds, whatever waits for them. Those behind are the next look's. */
export const ENDPOINTS_OF_A_LOOK = 2_000

/** What one look came to. */
export interface Look {
  readonly leased: readonly LeasedDelivery[]
  /** Where the next look begins; empty: at the first endpoint. */
  readonly next: string
}

/**
 * Leases deliveries that are due: the first pending one of each ordering key, of endpoints whose breaker lets them pass. An endpoint whose
 * pause is over gets a single attempt to prove itself. Several processes may ask at once; each delivery goes to one of them.
 */
export async function leaseDue(store: Store, request: LeaseRequest): Promise<Look> {
  const { endpoints, next } = await dueEndpoints(store.read, request)
  const chosen = await choose(store.read, endpoints, request)
  const leased = await takeLeases(store, chosen, async (tx, row, lease) => {
    if (row.endpoint.failures >= BREAKER_THRESHOLD && !(await takeProbe(tx, row.endpoint, request))) return undefined
    return takeDelivery(tx, row, lease, request)
  })
  return { leased, next }
}

/** An endpoint for which something is due. */
interface DueEndpoint {
  readonly key: string
  readonly buyer: string
  readonly dueAt: string
  readonly failures: number
  readonly openUntil: string
}

interface DueRow extends DueMessage {
  readonly endpoint: DueEndpoint
}

/** Literals, not values: the database looks for rows in indexes of these alone. */
const HEADS = sql<boolean>`o.state = 'pending' and o.held = 0`

/**
 * Goes from one endpoint to the next in the index of heads, so that a thousand deliveries for one endpoint cost no more than one. The oldest due first.
 */
async function dueEndpoints(db: Db, { now, from, full, fullBuyers }: LeaseRequest) {
  const at = now.toISOString()
  const { rows } = await sql<{ key: string; due: string; failures: number | null; open_until: string | null }>`
    with recursive keys (key) as (
      select min(o.endpoint_key) from webhook_outbox o where ${HEADS} and o.endpoint_key > ${from}
      union all
      select (select min(o.endpoint_key) from webhook_outbox o where ${HEADS} and o.endpoint_key > keys.key)
      from keys where keys.key is not null
    )
    select f.key, b.failures, b.open_until,
      (select min(o.next_attempt_at) from webhook_outbox o where ${HEADS} and o.endpoint_key = f.key) as due
    from (select key from keys where key is not null limit ${sql.lit(ENDPOINTS_OF_A_LOOK)}) f
    left join webhook_breakers b on b.endpoint_key = f.key`.execute(db)
  const passed = rows.filter(({ due, open_until: until }) => due <= at && (until === null || until <= at))
  const endpoints = passed
    .map(({ key, due, failures, open_until }): DueEndpoint => {
      const buyer = key.slice(0, key.lastIndexOf(' '))
      return { key, buyer, dueAt: due, failures: failures ?? 0, openUntil: open_until ?? '' }
    })
    .filter(({ key, buyer }) => !full.includes(key) && !fullBuyers.includes(buyer))
    .sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
  return { endpoints, next: rows.length < ENDPOINTS_OF_A_LOOK ? '' : (rows.at(-1)?.key ?? '') }
}

/** Buyers take turns: the next one is of whoever has the most room left. */
async function choose(
  db: Db,
  endpoints: readonly DueEndpoint[],
  { now, room, roomOfBuyer, limit }: LeaseRequest,
): Promise<DueRow[]> {
  const lines = new Map<string, { left: number; readonly endpoints: DueEndpoint[]; rows: DueRow[] }>()
  for (const endpoint of endpoints) {
    const line = lines.get(endpoint.buyer) ?? { left: roomOfBuyer(endpoint.buyer), endpoints: [], rows: [] }
    lines.set(endpoint.buyer, line)
    line.endpoints.push(endpoint)
  }
  const chosen: DueRow[] = []
  while (chosen.length < limit) {
    const open = [...lines.values()].filter((line) => line.left > 0 && line.rows.length + line.endpoints.length > 0)
    const [next] = open.sort((a, b) => b.left - a.left)
    if (!next) break
    const row = next.rows.shift()
    if (row) {
      next.left--
      chosen.push(row)
      continue
    }
    const endpoint = next.endpoints.shift()
    if (!endpoint) break
    const most = endpoint.failures >= BREAKER_THRESHOLD ? 1 : Math.min(room(endpoint.key), next.left)
    if (most > 0) next.rows = await dueRows(db, endpoint, now, most)
  }
  return chosen
}

/** Deliveries to an endpoint that are due and wait for no other, the longest due first. */
async function dueRows(db: Db, endpoint: DueEndpoint, now: Date, limit: number): Promise<DueRow[]> {
  const rows = await db
    .selectFrom('webhook_outbox as o')
    .select(['o.delivery_id', 'o.next_attempt_at', 'o.attempts'])
    .where(HEADS)
    .where('o.endpoint_key', '=', endpoint.key)
    .where('o.next_attempt_at', '<=', now.toISOString())
    .orderBy('o.next_attempt_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, endpoint }))
}

/** Claims the one attempt of an endpoint whose pause is over, by refusing others for the length of the lease. */
async function takeProbe(tx: Db, { key, openUntil }: DueEndpoint, { now, leaseMs }: LeaseRequest): Promise<boolean> {
  const seen = { endpoint_key: key, open_until: openUntil }
  return changeRow(tx, 'webhook_breakers', seen, { open_until: later(now, leaseMs) })
}

async function takeDelivery(
  tx: Db,
  { endpoint, ...row }: DueRow,
  lease: string,
  { now, leaseMs }: LeaseRequest,
): Promise<LeasedDelivery | undefined> {
  const { seen, change } = attemptBegun(row, lease, later(now, leaseMs))
  const taken = await takeRow(tx, 'webhook_outbox', seen, change)
  return (
    taken && {
      deliveryId: taken.delivery_id,
      lease,
      endpointId: taken.endpoint_id,
      endpointKey: taken.endpoint_key,
      buyer: endpoint.buyer,
      orderingKey: taken.ordering_key,
      event: taken.event,
      body: taken.body,
      idempotencyKey: taken.idempotency_key,
      attempt: taken.attempts,
      createdAt: taken.created_at,
    }
  )
}
