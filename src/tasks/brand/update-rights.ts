import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { UpdateRightsRequest, UpdateRightsResponse } from '@adcp/sdk/types'
import { taskTypeOf } from '../../domain/protocol/task-type.ts'
import { dayOf, type GrantAgreement, type RightsGrant } from '../../domain/rights/grant.ts'
import { type Revision, reviseGrant } from '../../domain/rights/update.ts'
import type { GrantAttestation } from '../../features/brands/grant-attestations.ts'
import { type Governed, presentGovernance } from '../../features/governance/governance.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { findAccount } from '../../store/account/accounts.ts'
import { reportedImpressions } from '../../store/account/usage.ts'
import type { Db } from '../../store/database.ts'
import { getGrant, saveGrant, standingAgreements } from '../../store/rights/rights-grants.ts'
import { openTask } from '../approvals/hold.ts'
import { endPendingChange } from './end-pending-change.ts'
import { extensionCommitment } from './governed-grant.ts'
import { presentChanged } from './present-grant.ts'

/** A change that needs the rights holder is a task too, which the agent can follow. */
type Answer = UpdateRightsResponse & { task_id?: string }

export const updateRights = defineTask<UpdateRightsRequest, Answer>()({
  name: 'update_rights',
  mutating: true,
  access: 'authenticated',
  scope: 'brand',
  changes: ['end_date', 'impression_cap', 'pricing_option_id', 'paused'],
  summary: 'Change a grant of rights: a later end, another impression cap or price, pause or resume. Reissues its keys.',
  spends: true,
  prepare: prepareChange,
  async handle(request, context, { governed, attestation }): Promise<Answer> {
    const { tx, principal, services, now } = context
    const grant = await getGrant(tx, principal, request.rights_id)
    const revision = await revisionOf(tx, request, grant, context)
    const waits = revision.extends && grant.agreement.offering.clearance?.approval === 'manual'
    if (revision.extends && governed) {
      const commitment = extensionCommitment(request, grant.grantId, grant.agreement, revision.agreement)
      await services.governance.record(tx, await onBehalf(context, grant), commitment, governed)
    }
    const taskId = waits ? `task_${randomUUID()}` : undefined
    const changed = await saveGrant(tx, principal.tenantId, revised(grant, revision, taskId), now)
    if (grant.pendingTaskId !== undefined && changed.pendingTaskId !== grant.pendingTaskId)
      await endPendingChange(tx, principal.tenantId, grant, { status: 'canceled', message: 'replaced by a later change' }, now)
    return {
      ...(await presentChanged(changed, services, attestation, { now, waits })),
      ...(request.paused !== undefined && { paused: changed.paused }),
      ...(taskId !== undefined && (await submitted(request, await onBehalf(context, grant), taskId))),
      ...(governed && presentGovernance(governed)),
    }
  },
})

/** Opens the task that ends when the rights holder has decided. Its type is the one that the buyer's release has for acquisitions of rights. */
async function submitted(request: UpdateRightsRequest, context: InTransaction<AuthenticatedContext>, taskId: string) {
  const message = 'The rights holder decides on this change; until then the grant stays as it is'
  await openTask(context, { taskId, message, taskType: taskTypeOf('update_rights'), request })
  return { status: 'submitted' as const, task_id: taskId, message }
}

interface Prepared {
  readonly governed: Governed | undefined
  readonly attestation: GrantAttestation
}

async function prepareChange(request: UpdateRightsRequest, context: AuthenticatedContext): Promise<Prepared> {
  const grant = await getGrant(context.db, context.principal, request.rights_id)
  const governed = await governChange(request, context, grant)
  return {
    governed,
    attestation: await context.services.attestations.of(context.tenant.tenantId, grant.agreement.offering.brand_id),
  }
}

/** Asks those who govern the money when a change commits more of it. */
async function governChange(
  request: UpdateRightsRequest,
  context: AuthenticatedContext,
  grant: RightsGrant,
): Promise<Governed | undefined> {
  const revision = await revisionOf(context.db, request, grant, context)
  if (!revision.extends) return undefined
  const commitment = extensionCommitment(request, grant.grantId, grant.agreement, revision.agreement)
  return context.services.governance.check(await onBehalf(context, grant), commitment)
}

/** The call as one on the account of the grant. */
async function onBehalf<C extends AuthenticatedContext>(context: C, { accountId }: RightsGrant): Promise<C> {
  const account = accountId === '' ? undefined : await findAccount(context.db, context.principal, accountId)
  return { ...context, account }
}

/** What a request makes of a grant, as things stand. */
export async function revisionOf(
  db: Db,
  request: UpdateRightsRequest,
  grant: RightsGrant,
  { principal, tenant, services, now }: AuthenticatedContext,
): Promise<Revision> {
  const { rights_id: rightsId } = grant.agreement.offering
  const { rightsById } = await services.brands.load(tenant.tenantId)
  return reviseGrant(grant, request, {
    offering: rightsById.get(rightsId),
    others: await standingAgreements(db, principal, { today: dayOf(now), rightsId, except: grant.grantId }),
    deliveredImpressions: await reportedImpressions(db, principal, { rightsId: grant.grantId }),
    now,
  })
}

/** A change of other terms replaces a pending one; a pause leaves it pending. */
function revised(grant: RightsGrant, { agreement, paused, extends: more }: Revision, taskId: string | undefined): RightsGrant {
  if (taskId !== undefined) return { ...grant, paused, pending: agreement, pendingTaskId: taskId }
  if (isDeepStrictEqual(agreement, grant.agreement)) return { ...grant, paused }
  return withAgreement({ ...grant, paused }, agreement, more)
}

/** A grant on new terms: with more than before, its keys are issued anew. */
export function withAgreement(grant: RightsGrant, agreement: GrantAgreement, isMore: boolean): RightsGrant {
  const credentialVersion = grant.credentialVersion + (isMore ? 1 : 0)
  return { ...grant, agreement, pending: undefined, pendingTaskId: undefined, credentialVersion }
}
