import type { AcquireRightsRequest, AcquireRightsResponse } from '@adcp/sdk/types'
import { microsToAmount } from '../../domain/money.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { committedMicros } from '../../domain/rights/commitment.ts'
import type { GrantAgreement, RightsGrant } from '../../domain/rights/grant.ts'
import { presentGovernance } from '../../features/governance/governance.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { type AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { insertGrant } from '../../store/rights/rights-grants.ts'
import { submitForApproval } from '../approvals/hold.ts'
import { acquisitionCommitment, underPlan } from './governed-grant.ts'
import { clear, type PlannedGrant, planGrant, rightOnOffer } from './plan-grant.ts'
import { presentAcquired } from './present-grant.ts'

/** An acquisition that waits is a task too, which the agent can follow. */
type Answer = AcquireRightsResponse & { task_id?: string; error?: { code: string; message: string } }

/** What approving an acquisition takes. */
export interface AcquisitionDocument {
  readonly grantId: string
  readonly agreement: GrantAgreement
}

export const acquireRights = defineTask<AcquireRightsRequest, Answer>()({
  name: 'acquire_rights',
  mutating: true,
  access: 'authenticated',
  scope: 'brand',
  account: 'optional',
  summary: 'License a right at one of its prices for a campaign: acquired with keys to generate, pending approval, or rejected.',
  spends: true,
  unknown: async ({ rights_id: id }, context) => (id === undefined ? [] : refusalsOf(() => rightOnOffer(id, context))),
  async prepare(request, context) {
    await context.services.webhooks.checkRevocation(context.principal, request.revocation_webhook)
    return planGrant(request, context)
  },
  async handle(request, context, planned): Promise<Answer> {
    const { tx, principal, services, now } = context
    // Nothing was granted: what is named is the right that was asked for (AdCP acquire_rights, rejected answers).
    const named = { rights_id: request.rights_id, brand_id: planned.offering.brand_id }
    if (planned.denied) return { ...named, ...presentDenied(planned.denied) }
    const cleared = await clear(tx, request, planned, context)
    if (cleared.kind === 'refused') {
      const { reason, suggestions } = cleared.refusal
      return { ...named, status: 'rejected', reason, ...(suggestions && { suggestions: [...suggestions] }) }
    }
    const { governed, account } = planned
    const agreement = governed ? underPlan(cleared.agreement, governed) : cleared.agreement
    if (governed) {
      const commitment = acquisitionCommitment(request, planned.grantId, cleared.agreement)
      await services.governance.record(tx, { ...context, account }, commitment, governed)
    }
    await services.webhooks.followGrant(tx, { principal, grantId: planned.grantId, webhook: request.revocation_webhook, now })
    if (planned.held) return submit(request, context, planned, agreement)
    const grant = newGrant(planned.grantId, agreement, { principal, accountId: account?.accountId ?? '', now })
    await insertGrant(tx, principal.tenantId, grant)
    const answer = {
      ...(await presentAcquired(grant, services, planned.attestation, now)),
      ...(governed && presentGovernance(governed)),
    }
    return withSimulation(answer, services.brands, { inSandbox: principal.sandbox || account?.sandbox === true })
  },
})

/**
 * A denial by those who govern the money, in the form of a rejection (enums/error-code, GOVERNANCE_DENIED: the arm for rejections is the form of the
 * denial). `error` makes a denial of it for clients of 3.0, which know that by this member.
 */
function presentDenied({ code, message, suggestion, details = {} }: AdcpError) {
  const { explanation } = details
  return {
    status: 'rejected' as const,
    reason: typeof explanation === 'string' ? explanation : message,
    ...(suggestion !== undefined && { suggestions: [suggestion] }),
    error: { code, message },
    ext: { governance: details },
  }
}

/** A grant as it begins. */
export function newGrant(
  grantId: string,
  agreement: GrantAgreement,
  {
    principal,
    accountId,
    now,
  }: {
    readonly principal: { readonly principalId: string; readonly sandbox: boolean }
    readonly accountId: string
    readonly now: Date
  },
): RightsGrant {
  return {
    grantId,
    principalId: principal.principalId,
    accountId,
    sandbox: principal.sandbox,
    agreement,
    paused: false,
    revokedAt: undefined,
    credentialVersion: 1,
    pending: undefined,
    pendingTaskId: undefined,
    revision: 1,
    createdAt: now.toISOString(),
  }
}

async function submit(
  request: AcquireRightsRequest,
  context: InTransaction<AuthenticatedContext>,
  { grantId, offering, account, held }: PlannedGrant,
  agreement: GrantAgreement,
): Promise<Answer> {
  if (!held) throw new Error('an acquisition without a holder was submitted')
  const document: AcquisitionDocument = { grantId, agreement }
  const { revocation_webhook: _webhook, ...kept } = request
  const summary = {
    rights_id: offering.rights_id,
    name: offering.name,
    buyer: agreement.buyerDomain,
    budget: microsToAmount(committedMicros(agreement)),
    currency: agreement.price.currency,
    description: agreement.description,
  }
  const submitted = await submitForApproval({ ...context, account }, held, {
    taskType: 'acquire_rights',
    request: kept,
    summary,
    document,
  })
  const { response_time: responseTime } = offering.clearance ?? {}
  return {
    status: 'pending_approval',
    rights_id: grantId,
    brand_id: offering.brand_id,
    detail: submitted.message,
    ...(responseTime !== undefined && { estimated_response_time: responseTime }),
    task_id: submitted.task_id,
  }
}
