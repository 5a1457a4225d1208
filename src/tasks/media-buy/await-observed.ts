import { randomUUID } from 'node:crypto'
import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { readIds } from '../../ad-serving/external-id.ts'
import { missingForBuyer } from '../../domain/ad-serving/missing.ts'
import type { ChangeTask } from '../../domain/media-buy/waits-for.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { awaitObserved } from '../../store/ad-serving/ad-server-changes.ts'
import { listDrift } from '../../store/ad-serving/ad-server-drift.ts'
import { openTask } from '../approvals/hold.ts'
import type { PlannedUpdate } from './plan-update.ts'

const AWAITING = "Awaiting that the publisher's ad server has the change"

/** Names of the ad servers that have to be seen with an update before it is confirmed; empty: it changes nothing there, or they take changes at once. */
export function observingAdServers(
  { principal, services }: Pick<AuthenticatedContext, 'principal' | 'services'>,
  { before, update: { buy } }: PlannedUpdate,
): readonly string[] {
  if (buy.revision === before.revision) return []
  const backends = services.adServers.backends(principal.tenantId)
  return readIds(buy.orderId).flatMap(({ adServer }) =>
    backends.get(adServer)?.backend.capabilities.changes === 'observed' ? [adServer] : [],
  )
}

/** Answers `submitted` for an update that is recorded; its task completes with `answer` when the ad servers were seen to have it, and says why it waits meanwhile. */
export async function submitToBeObserved(
  request: UpdateMediaBuyRequest,
  context: InTransaction<AuthenticatedContext>,
  { before }: PlannedUpdate,
  { answer, adServers, task }: { readonly answer: object; readonly adServers: readonly string[]; readonly task: ChangeTask },
) {
  const { tx, principal } = context
  const { mediaBuyId } = before
  const taskId = `task_${randomUUID()}`
  const open = await listDrift(tx, principal.tenantId, { states: ['open'], mediaBuyId, limit: 200 })
  const message = missingForBuyer(open) ?? AWAITING
  await openTask(context, { taskId, message, taskType: task, request })
  await awaitObserved(tx, { ...principal, mediaBuyId }, adServers, { taskId, answer })
  return { status: 'submitted' as const, task_id: taskId, message }
}
