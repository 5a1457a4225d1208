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
  readonly limit: number
}

/** Due rows that are read for one claim. */
const LOOK_AT = 200

/**
 * Leases deliveries that are due: the first pending one of each ordering key, of endpoints whose breaker lets them pass. An endpoint whose
 * pause is over gets a single attempt to prove itself. Several processes may ask at once; each delivery goes to one of them.
 */
export async function leaseDue(store: Store, request: LeaseRequest): Promise<LeasedDelivery[]> {
  const due = await dueHeads(store.read, request)
  const chosen = choose(due, request)
  return takeLeases(store, chosen, async (tx, row, lease) => {
    if (row.failures >= BREAKER_THRESHOLD && !(await takeProbe(tx, row, request))) return undefined
    return takeDelivery(tx, row, lease, request)
  })
}

interface DueRow extends DueMessage {
  readonly endpoint_key: string
  readonly failures: number
  readonly open_until: string
}

async function dueHeads(db: Db, { now, full }: LeaseRequest): Promise<DueRow[]> {
  const at = now.toISOString()
  let query = db
    .selectFrom('webhook_outbox as o')
    .leftJoin('webhook_breakers as b', 'b.endpoint_key', 'o.endpoint_key')
    .select(['o.delivery_id', 'o.endpoint_key', 'o.next_attempt_at', 'o.attempts', 'b.failures', 'b.open_until'])
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
  const rows = await query.orderBy('o.next_attempt_at').limit(LOOK_AT).execute()
  return rows.map((row) => ({ ...row, failures: row.failures ?? 0, open_until: row.open_until ?? '' }))
}

function choose(due: readonly DueRow[], { room, limit }: LeaseRequest): DueRow[] {
  const taken = new Map<string, number>()
  return due
    .filter(({ endpoint_key: key, failures }) => {
      const count = taken.get(key) ?? 0
      if (count >= (failures >= BREAKER_THRESHOLD ? 1 : room(key))) return false
      taken.set(key, count + 1)
      return true
    })
    .slice(0, limit)
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
      event: taken.event,
      body: taken.body,
      idempotencyKey: taken.idempotency_key,
      attempt: taken.attempts,
      createdAt: taken.created_at,
    }
  )
}
