import { randomUUID } from 'node:crypto'
import type { CreativeApprovalRequest, CreativeApprovalResponse } from '@adcp/sdk/types'
import { presentSubmission, reviewSubmission, type SubmittedCreative } from '../../domain/rights/review-creative.ts'
import { defineTask } from '../../pipeline/task.ts'
import { insertSubmission, standingSubmission } from '../../store/rights/rights-creatives.ts'
import { getGrant } from '../../store/rights/rights-grants.ts'
import { statusUrlOf } from './present-grant.ts'

export const creativeApproval = defineTask<CreativeApprovalRequest, CreativeApprovalResponse>()({
  name: 'creative_approval',
  mutating: true,
  access: 'authenticated',
  scope: 'brand',
  summary:
    'Submit a creative made under acquired rights: approved, rejected with reasons, or pending review. Send it again to ask.',
  async handle(request, { tx, principal, services, now }) {
    const grant = await getGrant(tx, principal, request.rights_id)
    const verdict = reviewSubmission(grant, request, now)
    const creativeKey = request.creative_id ?? request.creative_url
    const before = await standingSubmission(tx, principal.tenantId, grant.grantId, { creativeKey, url: request.creative_url })
    const creative: SubmittedCreative =
      before && verdict.status !== 'rejected'
        ? before
        : {
            submissionId: `rcs_${randomUUID()}`,
            grantId: grant.grantId,
            creativeKey,
            creativeId: request.creative_id,
            url: request.creative_url,
            description: request.description,
            ...verdict,
            submittedAt: now.toISOString(),
            decidedAt: verdict.status === 'pending_review' ? undefined : now.toISOString(),
          }
    if (creative !== before) await insertSubmission(tx, principal.tenantId, creative)
    return presentSubmission(creative, {
      statusUrl: statusUrlOf(services.wiring, creative.submissionId),
      responseTime: grant.agreement.offering.clearance?.response_time,
    })
  },
})
