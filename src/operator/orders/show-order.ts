import type { OperatorContext } from '../operator-context.ts'
import { findObservedOrder, findOrder } from './find-order.ts'
import { presentOrder, type ShownOrder } from './present-order.ts'

export type { ShownOrder }

/** One order with packages, creatives and delivery by day. Throws REFERENCE_NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function showOrder(context: OperatorContext, tenantId: string, mediaBuyId: string): Promise<ShownOrder> {
  return presentOrder(await findObservedOrder(context, tenantId, mediaBuyId), context.clock())
}

/** A change of an order: who made it, and what it was. `person` is null for changes of the buyer's. */
export interface OrderChangeEntry {
  readonly revision: number
  readonly at: string
  readonly actor: string
  readonly person: string | null
  readonly action: string
  readonly summary: string
  readonly package_id: string | null
}

/** Every change of an order, newest first. Throws REFERENCE_NOT_FOUND. */
export async function orderHistory(
  context: OperatorContext,
  tenantId: string,
  mediaBuyId: string,
): Promise<readonly OrderChangeEntry[]> {
  const { buy } = await findOrder(context, tenantId, mediaBuyId)
  return buy.history.toReversed().map(({ revision, at, actor, person, action, summary, packageId }) => ({
    revision,
    at,
    actor,
    person: person ?? null,
    action,
    summary,
    package_id: packageId ?? null,
  }))
}
