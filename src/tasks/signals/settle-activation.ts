import type { ActivateSignalRequest } from '@adcp/sdk/types'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { byDestination, type Deployment, presentDeployment, withStanding } from '../../domain/signal/deployment.ts'
import { destinationKey } from '../../domain/signal/destination.ts'
import type { SignalSource } from '../../features/signals/signal-source.ts'
import type { Store } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { findDeployments, saveDeployment } from '../../store/signal/signal-deployments.ts'
import { advanceTask, getTask, type StoredTask } from '../../store/task/tasks.ts'
import { orderOf } from './activation-order.ts'

/** What activations need outside of any call: the clock wakes them when a destination should have its segment. */
export function activationView({ store, signals }: { readonly store: Store; readonly signals: SignalSource }) {
  /**
   * Looks where the deployments of an activation stand and ends its task when all of them are settled. Gives the moment of the next
   * check, or undefined when there is nothing more to check. Throws when the signal source cannot be reached.
   */
  return async (owner: PrincipalRef, taskId: string, now: Date): Promise<Date | undefined> => {
    const task = await getTask(store.read, owner, taskId)
    if (task.status !== 'submitted' || !isActivation(task.request)) return undefined
    const place = { ...owner, accountId: task.accountId }
    const { signal_agent_segment_id: segmentId, destinations } = task.request
    const stored = byDestination(await findDeployments(store.read, place, [segmentId]))
    const own = [...new Set(destinations.map(destinationKey))].flatMap((key) => stored.get(key) ?? [])
    const moved = await ask(own.filter(({ status }) => status === 'pending'))
    const later = moved.filter(({ status }) => status === 'pending').map(({ readyAt }) => Date.parse(readyAt))
    const settled = new Map(moved.map((deployment) => [deployment.deploymentId, deployment]))
    const deployments = own.map((deployment) => settled.get(deployment.deploymentId) ?? deployment)
    await store.transaction(async (tx) => {
      // What was withdrawn meanwhile stays so.
      const pending = (await findDeployments(tx, place, [segmentId])).filter(({ status }) => status === 'pending')
      for (const { deploymentId } of pending) {
        const deployment = settled.get(deploymentId)
        if (deployment) await saveDeployment(tx, place, deployment, now)
      }
      if (later.length === 0) await advanceTask(tx, owner, await getTask(tx, owner, taskId), outcomeOf(deployments, now), now)
    })
    return later.length === 0 ? undefined : new Date(Math.max(now.getTime() + 1000, ...later))

    async function ask(pending: readonly Deployment[]): Promise<Deployment[]> {
      if (pending.length === 0) return []
      const tenant = await findTenant(store.read, owner.tenantId)
      if (!tenant) return []
      const { byId, withdrawn } = await signals.load(tenant)
      const signal = byId.get(segmentId) ?? withdrawn.get(segmentId)
      if (!signal) return pending.map((deployment) => ({ ...deployment, status: 'failed' }))
      const standings = await signals.standing(
        pending.map((deployment) => orderOf(deployment, signal, place)),
        now,
      )
      return pending.flatMap((deployment, index) => {
        const standing = standings[index]
        return standing ? [withStanding(deployment, standing, now)] : []
      })
    }
  }
}

/** What became of an activation none of whose deployments is pending any more. */
function outcomeOf(deployments: readonly Deployment[], now: Date): Parameters<typeof advanceTask>[3] {
  if (deployments.some(({ status }) => status === 'failed')) {
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'a destination did not take the signal' }
    return { status: 'failed', message: error.message, error }
  }
  if (deployments.every(({ status }) => status === 'ended'))
    return { status: 'canceled', message: 'deactivated before it was live' }
  const result = { deployments: deployments.map((deployment) => presentDeployment(deployment, now)) }
  return { status: 'completed', message: 'the signal is live', result }
}

/** Requests are stored as they passed the official schema. */
function isActivation(request: StoredTask['request']): request is ActivateSignalRequest {
  return 'signal_agent_segment_id' in request && 'destinations' in request && Array.isArray(request.destinations)
}
