import { randomUUID } from 'node:crypto'
import type { ActivateSignalRequest, ActivateSignalSuccess } from '@adcp/sdk/types'
import { simulationMembers } from '../../domain/protocol/simulated-backends.ts'
import { byDestination, presentDeployment, presentOffer } from '../../domain/signal/deployment.ts'
import { destinationKey } from '../../domain/signal/destination.ts'
import { presentGovernance } from '../../features/governance/governance.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { refusalsOf } from '../../protocol/errors.ts'
import { saveDeployment } from '../../store/signal/signal-deployments.ts'
import { insertTask } from '../../store/task/tasks.ts'
import { scheduleActivation, scheduleActivationChecks } from '../../store/webhook/scheduled-events.ts'
import { type PlannedActivation, signalOnOffer } from './activation-order.ts'
import { planActivation } from './plan-activation.ts'
import { planDeactivation } from './plan-deactivation.ts'

/** Some destinations take their time: then the answer is also a task, which completes with every deployment live. */
type ActivationAnswer = ActivateSignalSuccess & { status?: 'submitted'; task_id?: string; message?: string }

export const activateSignal = defineTask<ActivateSignalRequest, ActivationAnswer>()({
  name: 'activate_signal',
  mutating: true,
  access: 'authenticated',
  scope: 'signals',
  account: 'optional',
  summary: 'Activate a signal on platforms or sales agents, or deactivate it. Live at once with its key, or submitted as a task.',
  spends: true,
  unknown: async ({ signal_agent_segment_id: id }, { services, tenant, principal }) =>
    id === undefined ? [] : refusalsOf(async () => signalOnOffer(await services.signals.load(tenant), id, principal.principalId)),
  prepare: (request, context) =>
    request.action === 'deactivate' ? planDeactivation(request, context) : planActivation(request, context),
  async undo(_request, { services, now }, { begun }) {
    if (begun.length > 0) await services.signals.deactivate(begun, now)
  },
  async handle(request, context, planned) {
    const inSandbox = context.principal.sandbox || context.account?.sandbox === true
    const answer = await (request.action === 'deactivate' ? end : start)(request, context, planned)
    const { agreed } = planned
    if (agreed) {
      const call = { ...context, account: agreed.account }
      await context.services.governance.record(context.tx, call, agreed.commitment, agreed.governed)
    }
    return {
      ...answer,
      ...(agreed && presentGovernance(agreed.governed)),
      ...simulationMembers(context.services.signals, { inSandbox }),
    }
  },
})

async function start(
  request: ActivateSignalRequest,
  { tx, principal, now }: InTransaction<AuthenticatedContext>,
  { owner, deployments }: PlannedActivation,
): Promise<ActivationAnswer> {
  const pending = deployments.filter(({ status }) => status === 'pending')
  const taskId = pending.length > 0 ? `task_${randomUUID()}` : undefined
  for (const deployment of deployments) {
    await saveDeployment(tx, owner, deployment.status === 'pending' ? { ...deployment, taskId } : deployment, now)
  }
  const shown = { deployments: deployments.map((deployment) => presentDeployment(deployment, now)) }
  if (taskId === undefined) return shown
  const message = `${pending.length} of ${deployments.length} destinations take their time`
  await insertTask(
    tx,
    principal,
    {
      taskId,
      accountId: owner.accountId,
      taskType: 'activate_signal',
      protocol: 'signals',
      status: 'submitted',
      message,
      request,
      hasWebhook: 'push_notification_config' in request,
    },
    now,
  )
  const readyAt = Math.max(...pending.map((deployment) => Date.parse(deployment.readyAt)))
  await scheduleActivation(tx, principal, taskId, new Date(readyAt))
  return { ...shown, status: 'submitted', task_id: taskId, message }
}

async function end(
  request: ActivateSignalRequest,
  { tx, now }: InTransaction<AuthenticatedContext>,
  { owner, deployments }: PlannedActivation,
): Promise<ActivationAnswer> {
  for (const deployment of deployments) await saveDeployment(tx, owner, deployment, now)
  const waiting = deployments.flatMap(({ taskId }) => taskId ?? [])
  await scheduleActivationChecks(tx, owner.tenantId, waiting, now)
  const ended = byDestination(deployments)
  const places = new Map(request.destinations.map((destination) => [destinationKey(destination), destination]))
  return {
    deployments: [...places].map(([key, place]) => {
      const deployment = ended.get(key)
      return deployment ? presentDeployment(deployment, now) : presentOffer(place)
    }),
  }
}
