import type { Governed } from '../../features/governance/governance.ts'
import type { Isolation } from '../../pipeline/task.ts'
import type { PlacedOrder } from './placed-order.ts'
import type { PlannedOrder } from './plan-order.ts'
import type { HeldOrder } from './submit-order.ts'
import type { Upload } from './upload-creatives.ts'

/** What `prepare` found out: an order that is booked at the ad server, or one that a person has to approve first; who governs it agrees. */
export type PreparedOrder = (HeldOrder | (PlannedOrder & { readonly kind: 'booked' })) & {
  readonly governed: Governed
  /** The creatives that come with it. */
  readonly uploads: readonly Upload[]
}

/**
 * How far the transaction of an order is kept apart. One that is booked and brings no creatives and no approvals only inserts under ids
 * of its own, and reserves inventory in a statement that locks its rows: serialisable, PostgreSQL would make one in four of sixteen at
 * once run again for sharing a page of an index.
 */
export function orderIsolation(
  { packages = [] }: Pick<PlacedOrder, 'packages'>,
  { kind, assignments, governed }: Pick<PreparedOrder, 'kind' | 'assignments' | 'governed'>,
): Isolation {
  const isPlain = assignments.length === 0 && packages.every(({ creatives }) => creatives === undefined)
  const isUngoverned = governed.approvals.length === 0 && governed.presented === undefined
  return kind === 'booked' && isPlain && isUngoverned ? 'read-committed' : 'serializable'
}
