import { keepLease, type LeasedOrder, type OrderChange } from '../../store/ad-serving/ad-server-leases.ts'
import type { Store } from '../../store/database.ts'

/** The lease has gone to another process, which goes on with the order. */
export class LeaseLost extends Error {}

/** Makes sure that the order still belongs to this process, and stores a change of it. Throws {@link LeaseLost}. */
export type HoldLease = (change?: OrderChange) => Promise<void>

/**
 * The lease of an order while it is reconciled. Extended in the store only when a third of it has gone or something is to be stored: until then no other
 * process can have taken it, and a step and the look at what it did, each of at most a third of the lease, fit into the rest.
 */
export function heldLease(
  { store, clock, leaseMs }: { readonly store: Store; readonly clock: () => Date; readonly leaseMs: number },
  order: LeasedOrder,
): HoldLease {
  let until = Date.parse(order.leaseUntil)
  return async (change) => {
    const now = clock().getTime()
    if (!change && until - now > (leaseMs * 2) / 3) return
    until = now + leaseMs
    if (!(await store.transaction((tx) => keepLease(tx, order, new Date(until), change)))) throw new LeaseLost()
  }
}
