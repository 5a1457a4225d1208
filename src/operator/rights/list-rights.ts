import { grantStatus, presentTerms, type RightsGrant } from '../../domain/rights/grant.ts'
import type { SubmittedCreative } from '../../domain/rights/review-creative.ts'
import { listSubmissionsInReview } from '../../store/rights/rights-creatives.ts'
import { listGrantsWithChanges, listGrants as listStoredGrants } from '../../store/rights/rights-grants.ts'
import type { OperatorContext } from '../operator-context.ts'

export type ShownGrant = ReturnType<typeof presentGrant>

/** More than a person reads at once. */
const MAX_LISTED = 500

/** Grants of rights, newest first; at most 500. */
export async function listGrants({ store, clock }: OperatorContext, tenantId: string): Promise<readonly ShownGrant[]> {
  return (await listStoredGrants(store.read, tenantId, MAX_LISTED)).map((grant) => presentGrant(grant, clock()))
}

/** Creatives and changes of grants that need the decision of the rights holder. */
export async function listPendingRights(context: OperatorContext, tenantId: string) {
  const creatives = await listSubmissionsInReview(context.store.read, tenantId, MAX_LISTED)
  const grants = await listGrantsWithChanges(context.store.read, tenantId, MAX_LISTED)
  const now = context.clock()
  return { creatives: creatives.map(presentSubmission), changes: grants.map((grant) => presentGrant(grant, now)) }
}

export function presentGrant(grant: RightsGrant, now: Date) {
  const { grantId, agreement, principalId, pending, revokedAt } = grant
  return {
    rights_id: grantId,
    right: agreement.offering.rights_id,
    brand_id: agreement.offering.brand_id,
    principal: principalId,
    buyer: agreement.buyerDomain,
    status: grantStatus(grant, now),
    terms: presentTerms(agreement),
    ...(pending && { pending_terms: presentTerms(pending) }),
    ...(revokedAt !== undefined && { revoked_at: revokedAt }),
  }
}

/** A creative that waits for the holder of a right, or was decided, as it is in JSON. */
export type ShownSubmission = ReturnType<typeof presentSubmission>

export function presentSubmission({
  submissionId,
  grantId,
  creativeId,
  url,
  description,
  status,
  submittedAt,
}: SubmittedCreative) {
  return {
    id: submissionId,
    rights_id: grantId,
    ...(creativeId !== undefined && { creative_id: creativeId }),
    creative_url: url,
    ...(description !== undefined && { description }),
    status,
    submitted_at: submittedAt,
  }
}
