import type { Selectable } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { Deployment } from '../../domain/signal/deployment.ts'
import { destinationKey } from '../../domain/signal/destination.ts'
import type { Db } from '../database.ts'
import type { SignalDeploymentTables } from './rows.ts'

/** Whose deployment it is. */
export interface DeploymentOwner {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId: string
}

/** Deployments of these signals within reach, the earliest first. */
export async function findDeployments(db: Db, reach: AccountScope, segmentIds: readonly string[]): Promise<Deployment[]> {
  if (segmentIds.length === 0) return []
  const { accountId } = reach
  const rows = await db
    .selectFrom('signal_deployments')
    .selectAll()
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .where('segment_id', 'in', segmentIds)
    .$if(accountId !== undefined, (q) => q.where('account_id', '=', accountId ?? ''))
    .orderBy('requested_at')
    .orderBy('deployment_id')
    .execute()
  return rows.map(deploymentOf)
}

/** Ids of signals that were activated, at most `limit`. */
export async function activatedSegments(db: Db, reach: AccountScope, limit: number): Promise<string[]> {
  const { accountId } = reach
  const rows = await db
    .selectFrom('signal_deployments')
    .select('segment_id')
    .distinct()
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .$if(accountId !== undefined, (q) => q.where('account_id', '=', accountId ?? ''))
    .orderBy('segment_id')
    .limit(limit)
    .execute()
  return rows.map(({ segment_id }) => segment_id)
}

/** Writes a deployment in its present state. Its place (agent, account, signal, destination) has one row, which keeps its id. */
export async function saveDeployment(tx: Db, owner: DeploymentOwner, deployment: Deployment, now: Date): Promise<void> {
  const state = {
    destination: JSON.stringify(deployment.destination),
    pricing_option_id: deployment.pricingOptionId,
    status: deployment.status,
    activation_key: deployment.activationKey ? JSON.stringify(deployment.activationKey) : null,
    task_id: deployment.taskId ?? null,
    requested_at: deployment.requestedAt,
    ready_at: deployment.readyAt,
    deployed_at: deployment.deployedAt ?? null,
    ended_at: deployment.status === 'ended' ? now.toISOString() : null,
  }
  await tx
    .insertInto('signal_deployments')
    .values({
      tenant_id: owner.tenantId,
      deployment_id: deployment.deploymentId,
      principal_id: owner.principalId,
      account_id: owner.accountId,
      segment_id: deployment.segmentId,
      destination_key: destinationKey(deployment.destination),
      ...state,
    })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id', 'segment_id', 'destination_key']).doUpdateSet(state))
    .execute()
}

function deploymentOf(row: Selectable<SignalDeploymentTables['signal_deployments']>): Deployment {
  return {
    deploymentId: row.deployment_id,
    segmentId: row.segment_id,
    destination: JSON.parse(row.destination),
    pricingOptionId: row.pricing_option_id,
    status: row.status,
    activationKey: row.activation_key === null ? undefined : JSON.parse(row.activation_key),
    taskId: row.task_id ?? undefined,
    requestedAt: row.requested_at,
    readyAt: row.ready_at,
    deployedAt: row.deployed_at ?? undefined,
  }
}
