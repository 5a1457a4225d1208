import { randomUUID } from 'node:crypto'
import { readIds } from '../../ad-serving/external-id.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { awaitReviews } from '../../store/ad-serving/ad-server-reviews.ts'
import type { Db } from '../../store/database.ts'
import { openTask } from '../approvals/hold.ts'
import type { OrderContext } from './orders.ts'
import type { Placing } from './place-order.ts'
import type { PlacedOrder } from './placed-order.ts'

export const AWAITING_AD_SERVER = "Awaiting approval at the publisher's ad server"

/** Names of the ad servers of an order where a person approves it before it serves. */
export function approvingAdServers(
  { principal, services }: Pick<OrderContext, 'principal' | 'services'>,
  buy: MediaBuy,
): string[] {
  const backends = services.adServers.backends(principal.tenantId)
  return readIds(buy.orderId).flatMap(({ adServer }) =>
    backends.get(adServer)?.backend.capabilities.booking === 'reviewed' ? [adServer] : [],
  )
}

/** The task goes on until these ad servers have decided on a recorded order. */
export async function awaitAdServers(
  tx: Db,
  { principal }: Pick<OrderContext, 'principal'>,
  { mediaBuyId }: MediaBuy,
  adServers: readonly string[],
  taskId: string,
): Promise<void> {
  await awaitReviews(tx, { tenantId: principal.tenantId, mediaBuyId }, adServers, taskId)
}

/** Answers `submitted` for a recorded order; its task completes or ends as rejected when the ad servers have decided. */
export async function submitToAdServers(
  request: PlacedOrder,
  context: InTransaction<AuthenticatedContext>,
  buy: MediaBuy,
  adServers: readonly string[],
  taskType: Placing['task'],
) {
  const taskId = `task_${randomUUID()}`
  await openTask(context, { taskId, message: AWAITING_AD_SERVER, taskType, request })
  await awaitAdServers(context.tx, context, buy, adServers, taskId)
  return { status: 'submitted' as const, task_id: taskId, message: AWAITING_AD_SERVER }
}
