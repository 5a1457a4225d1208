import type { ActivateSignalRequest } from '@adcp/sdk/types'
import { isRunning } from '../../domain/signal/deployment.ts'
import { destinationKey } from '../../domain/signal/destination.ts'
import { isOfferedTo } from '../../domain/signal/signal.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { findDeployments } from '../../store/signal/signal-deployments.ts'
import { deploymentOwner, orderOf, type PlannedActivation, payingAccount, signalNotFound } from './activation-order.ts'

/**
 * Removes a signal from destinations, also one that is no longer on offer. A destination that does not have it is as good as cleared. Throws
 * SIGNAL_NOT_FOUND for a segment that the agent can know nothing of.
 */
export async function planDeactivation(
  request: ActivateSignalRequest,
  context: AuthenticatedContext,
): Promise<PlannedActivation> {
  const { services, tenant, principal, db, now } = context
  const signalSet = await services.signals.load(tenant)
  const segmentId = request.signal_agent_segment_id
  const signal = signalSet.byId.get(segmentId) ?? signalSet.withdrawn.get(segmentId)
  const owner = deploymentOwner(context, await payingAccount(context))
  const known = signal ? await findDeployments(db, owner, [segmentId]) : []
  if (!signal || (known.length === 0 && !isOfferedTo(signal, principal.principalId)))
    throw signalNotFound('signal_agent_segment_id')
  const named = new Set(request.destinations.map(destinationKey))
  const running = known.filter((each) => isRunning(each) && named.has(destinationKey(each.destination)))
  const orders = running.map((deployment) => orderOf(deployment, signal, owner))
  if (orders.length > 0) await services.signals.deactivate(orders, now)
  return {
    owner,
    deployments: running.map((deployment) => ({ ...deployment, status: 'ended', activationKey: undefined })),
    begun: [],
    agreed: undefined,
  }
}
