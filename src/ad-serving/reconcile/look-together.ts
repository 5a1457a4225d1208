import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { LeasedOrder } from '../../store/ad-serving/ad-server-leases.ts'
import type { AdServerBackend } from '../backend.ts'
import type { ReconciledBackends } from '../reconciled-backends.ts'
import { refusalOf } from '../refusal.ts'
import { withTimeLimit } from './timed-backend.ts'

/** What an ad server had of an order when it was asked for several; undefined: this one has to be asked for alone. */
export type SeenTogether = ReadonlyMap<LeasedOrder, Promise<ObservedOrder | undefined>>

/**
 * Asks each ad server that can be asked so for all of those orders at once that are only looked at: nothing about them has changed here since they were in step. What is refused
 * is asked for alone; an outage is one of each of these orders.
 */
export function lookTogether(backends: ReconciledBackends, orders: readonly LeasedOrder[], callMs: number): SeenTogether {
  const settled = orders.filter(isSettled).flatMap((order) => {
    const { backend } = backends(order.tenantId).get(order.adServer) ?? {}
    return backend?.observeAll ? [{ order, backend }] : []
  })
  const seen = new Map<LeasedOrder, Promise<ObservedOrder | undefined>>()
  for (const [backend, group] of groupBy(settled, (each) => each.backend)) {
    const together = look(
      backend,
      group.map(({ order }) => order),
      callMs,
    )
    for (const [at, { order }] of group.entries()) {
      const own = together.then((all) => all[at])
      // It is awaited when the order has its turn.
      own.catch(() => undefined)
      seen.set(order, own)
    }
  }
  return seen
}

function isSettled({ requested, applied, attempts, written }: LeasedOrder): boolean {
  return requested === applied && attempts === 0 && written !== undefined && written.state !== 'ended'
}

async function look(
  backend: AdServerBackend,
  orders: readonly LeasedOrder[],
  callMs: number,
): Promise<readonly (ObservedOrder | undefined)[]> {
  const keys = orders.map(({ tenantId, mediaBuyId }) => ({ tenantId, externalId: mediaBuyId }))
  try {
    return (await withTimeLimit(backend, callMs).observeAll?.(keys)) ?? []
  } catch (error) {
    if (refusalOf(error)) return []
    throw error
  }
}
