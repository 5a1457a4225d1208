import { AdcpError } from '../../protocol/errors.ts'
import type { Approval } from '../creative/lifecycle.ts'
import { grantStatus, type RightsGrant } from './grant.ts'

/** A creative that was made under a grant, and what the rights holder says of it. */
export interface SubmittedCreative {
  readonly submissionId: string
  readonly grantId: string
  /** The buyer's id, or else the address: what a resubmission is recognised by. */
  readonly creativeKey: string
  readonly creativeId: string | undefined
  readonly url: string
  readonly description: string | undefined
  readonly status: Approval
  readonly reason: string | undefined
  readonly suggestions: readonly string[]
  readonly conditions: readonly string[]
  readonly submittedAt: string
  readonly decidedAt: string | undefined
}

export type Verdict = Pick<SubmittedCreative, 'status' | 'reason' | 'suggestions' | 'conditions'>

/**
 * What can be said of a creative without looking at it: nothing is approved under a grant that does not stand. Otherwise the rights holder's own
 * way of review decides: on the spot, with the restrictions of the grant as conditions, or by a person.
 */
export function reviewSubmission(
  grant: RightsGrant,
  { creative_url: url }: { readonly creative_url: string },
  now: Date,
): Verdict {
  const status = grantStatus(grant, now)
  if (status === 'revoked') return rejected('the grant was revoked', [])
  if (status === 'expired')
    return rejected(`the grant ended on ${grant.agreement.endDate}`, [
      'acquire the right again and submit the creative under the new grant',
    ])
  if (status === 'paused') return rejected('the grant is paused', ['resume it with update_rights and submit the creative again'])
  if (!URL.canParse(url))
    throw new AdcpError('INVALID_REQUEST', `creative_url is no URL: ${url.slice(0, 200)}`, { field: 'creative_url' })
  if (new URL(url).protocol !== 'https:')
    return rejected('the creative cannot be retrieved safely', ['serve it over https and submit it again'])
  const { clearance, content_restrictions: restrictions = [] } = grant.agreement.offering
  if (clearance?.creative_review === 'manual')
    return { status: 'pending_review', reason: undefined, suggestions: [], conditions: [] }
  const text = clearance?.disclosure?.required ? clearance.disclosure.text : undefined
  return {
    status: 'approved',
    reason: undefined,
    suggestions: [],
    conditions: [...(clearance?.restrictions ?? []), ...restrictions, ...(text === undefined ? [] : [`show: ${text}`])],
  }
}

function rejected(reason: string, suggestions: readonly string[]): Verdict {
  return { status: 'rejected', reason, suggestions, conditions: [] }
}

/** What the buyer reads of a submission. */
type ShownSubmission = { rights_id: string; creative_id?: string; creative_url: string } & (
  | { status: 'approved'; approved_at: string; conditions?: string[] }
  | { status: 'rejected'; reason: string; suggestions?: string[] }
  | { status: 'pending_review'; estimated_response_time?: string; status_url: string }
)

/** The answer about a submission (AdCP brand/creative-approval-response.json). */
export function presentSubmission(
  creative: SubmittedCreative,
  { statusUrl, responseTime }: { readonly statusUrl: string; readonly responseTime: string | undefined },
): ShownSubmission {
  const { status, reason, suggestions, conditions, decidedAt } = creative
  const named = {
    rights_id: creative.grantId,
    ...(creative.creativeId !== undefined && { creative_id: creative.creativeId }),
    creative_url: creative.url,
  }
  switch (status) {
    case 'approved':
      return {
        status,
        ...named,
        approved_at: decidedAt ?? creative.submittedAt,
        ...(conditions.length > 0 && { conditions: [...conditions] }),
      }
    case 'rejected':
      return {
        status,
        ...named,
        reason: reason ?? 'not approved by the rights holder',
        ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
      }
    case 'pending_review':
      return {
        status,
        ...named,
        ...(responseTime !== undefined && { estimated_response_time: responseTime }),
        status_url: statusUrl,
      }
  }
}
