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
}

/** Due rows that are read at once for a claim. */
const LOOK_AT = 200

/** How often more are read, of buyers of whom none was read, when there were so many. */
const LOOKS = 4

/**
 * Leases deliveries that are due: the first pending one of each ordering key, of endpoints whose breaker lets them pass. An endpoint whose
 * pause is over gets a single attempt to prove itself. Several processes may ask at once; each delivery goes to one of them.
 */
export async function leaseDue(store: Store, request: LeaseRequest): Promise<LeasedDelivery[]> {
  const due: DueRow[] = []
  const full = new Set(request.fullBuyers)
  for (let look = 0; look < LOOKS; look++) {
    const rows = await dueHeads(store.read, { ...request, fullBuyers: [...full] })
    for (const row of rows) {
      due.push(row)
      full.add(row.buyer)
    }
    if (rows.length < LOOK_AT) break
  }
  const chosen = choose(due, request)
  return takeLeases(store, chosen, async (tx, row, lease) => {
    if (row.failures >= BREAKER_THRESHOLD && !(await takeProbe(tx, row, request))) return undefined
    return takeDelivery(tx, row, lease, request)
  })
}

interface DueRow extends DueMessage {
  readonly endpoint_key: string
  readonly buyer: string
  readonly failures: number
  readonly open_until: string
}

const BUYER = sql<string>`o.tenant_id || ' ' || o.principal_id`

async function dueHeads(db: Db, { now, full, fullBuyers }: LeaseRequest): Promise<DueRow[]> {
  const at = now.toISOString()
  let query = db
    .selectFrom('webhook_outbox as o')
    .leftJoin('webhook_breakers as b', 'b.endpoint_key', 'o.endpoint_key')
    .select([
      'o.delivery_id',
      'o.endpoint_key',
      'o.next_attempt_at',
      'o.attempts',
      'b.failures',
      'b.open_until',
      BUYER.as('buyer'),
    ])
    .where('o.state', '=', 'pending')
    .where('o.next_attempt_at', '<=', at)
    .where((e) => e.or([e('b.open_until', 'is', null), e('b.open_until', '<=', at)]))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('webhook_outbox as earlier')
            .select('earlier.delivery_id')
            .whereRef('earlier.ordering_key', '=', 'o.ordering_key')
            .whereRef('earlier.position', '<', 'o.position')
            .where('earlier.state', '=', 'pending'),
        ),
      ),
    )
  if (full.length > 0) query = query.where('o.endpoint_key', 'not in', full)
  if (fullBuyers.length > 0) query = query.where(BUYER, 'not in', fullBuyers)
  const rows = await query.orderBy('o.next_attempt_at').limit(LOOK_AT).execute()
  return rows.map((row) => ({ ...row, failures: row.failures ?? 0, open_until: row.open_until ?? '' }))
}

/** Buyers take turns: the next one is of whoever has the most room left. */
function choose(due: readonly DueRow[], { room, roomOfBuyer, limit }: LeaseRequest): DueRow[] {
  const lines = new Map<string, { left: number; readonly rows: DueRow[] }>()
  const taken = new Map<string, number>()
  for (const row of due) {
    const line = lines.get(row.buyer) ?? { left: roomOfBuyer(row.buyer), rows: [] }
    lines.set(row.buyer, line)
    const count = taken.get(row.endpoint_key) ?? 0
    if (count >= (row.failures >= BREAKER_THRESHOLD ? 1 : room(row.endpoint_key))) continue
    taken.set(row.endpoint_key, count + 1)
    line.rows.push(row)
  }
  const chosen: DueRow[] = []
  while (chosen.length < limit) {
    const open = [...lines.values()].filter(({ left, rows }) => left > 0 && rows.length > 0)
    const [next] = open.sort((a, b) => b.left - a.left)
    const row = next?.rows.shift()
    if (!next || !row) break
    next.left--
    chosen.push(row)
  }
  return chosen
}

/** Claims the one attempt of an endpoint whose pause is over, by refusing others for the length of the lease. */
async function takeProbe(tx: Db, row: DueRow, { now, leaseMs }: LeaseRequest): Promise<boolean> {
  const { endpoint_key, open_until } = row
  return changeRow(tx, 'webhook_breakers', { endpoint_key, open_until }, { open_until: later(now, leaseMs) })
}

async function takeDelivery(
  tx: Db,
  row: DueRow,
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
      buyer: row.buyer,
      event: taken.event,
      body: taken.body,
      idempotencyKey: taken.idempotency_key,
      attempt: taken.attempts,
      createdAt: taken.created_at,
    }
  )
}
