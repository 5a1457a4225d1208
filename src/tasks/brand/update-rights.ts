import type { UpdateRightsRequest, UpdateRightsResponse } from '@adcp/sdk/types'
import { dayOf, type GrantAgreement, presentTerms, type RightsGrant } from '../../domain/rights/grant.ts'
import { type Revision, reviseGrant } from '../../domain/rights/update.ts'
import { type Governed, presentGovernance } from '../../features/governance/governance.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { findAccount } from '../../store/account/accounts.ts'
import { reportedImpressions } from '../../store/account/usage.ts'
import type { Db } from '../../store/database.ts'
import { getGrant, saveGrant, standingAgreements } from '../../store/rights/rights-grants.ts'
import { extensionCommitment } from './governed-grant.ts'
import { constraintOf, credentialsOf } from './present-grant.ts'

export const updateRights = defineTask<UpdateRightsRequest, UpdateRightsResponse>()({
  name: 'update_rights',
  mutating: true,
  access: 'authenticated',
  scope: 'brand',
  changes: ['end_date', 'impression_cap', 'pricing_option_id', 'paused'],
  summary: 'Change a grant of rights: a later end, another impression cap or price, pause or resume. Reissues its keys.',
  spends: true,
  prepare: governChange,
  async handle(request, context, governed): Promise<UpdateRightsResponse> {
    const { tx, principal, services, now } = context
    const grant = await getGrant(tx, principal, request.rights_id)
    const revision = await revisionOf(tx, request, grant, context)
    const waits = revision.extends && grant.agreement.offering.clearance?.approval === 'manual'
    if (revision.extends && governed) {
      const commitment = extensionCommitment(request, grant.grantId, grant.agreement, revision.agreement)
      await services.governance.record(tx, await onBehalf(context, grant), commitment, governed)
    }
    const changed = await saveGrant(tx, principal.tenantId, revised(grant, revision, waits), now)
    return {
      rights_id: changed.grantId,
      terms: presentTerms(changed.agreement),
      ...(!changed.paused && { generation_credentials: credentialsOf(changed, services) }),
      rights_constraint: constraintOf(changed, services),
      ...(request.paused !== undefined && { paused: changed.paused }),
      implementation_date: waits ? null : now.toISOString(),
      ...(governed && presentGovernance(governed)),
    }
  },
})

/** Asks those who govern the money when a change commits more of it. */
async function governChange(request: UpdateRightsRequest, context: AuthenticatedContext): Promise<Governed | undefined> {
  const grant = await getGrant(context.db, context.principal, request.rights_id)
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

function revised(grant: RightsGrant, { agreement, paused, extends: more }: Revision, waits: boolean): RightsGrant {
  return waits ? { ...grant, paused, pending: agreement } : withAgreement({ ...grant, paused }, agreement, more)
}

/** A grant on new terms: with more than before, its keys are issued anew. */
export function withAgreement(grant: RightsGrant, agreement: GrantAgreement, isMore: boolean): RightsGrant {
  return { ...grant, agreement, pending: undefined, credentialVersion: grant.credentialVersion + (isMore ? 1 : 0) }
}
