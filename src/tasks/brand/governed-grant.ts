import { microsToAmount } from '../../domain/money.ts'
import { committedMicros } from '../../domain/rights/commitment.ts'
import type { GrantAgreement } from '../../domain/rights/grant.ts'
import type { Governed, SpendCommitment } from '../../features/governance/governance.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** The commitment of an acquisition. */
export function acquisitionCommitment(request: object, grantId: string, agreement: GrantAgreement): SpendCommitment {
  return { ...commonOf(request, grantId, agreement), tool: 'acquire_rights', phase: 'purchase' }
}

/** The commitment of more time, more impressions or another price. */
export function extensionCommitment(
  request: object,
  grantId: string,
  before: GrantAgreement,
  after: GrantAgreement,
): SpendCommitment {
  const costs = [before, after].map((agreement) => microsToAmount(committedMicros(agreement)))
  const ends = [before, after].map(({ endDate }) => endDate ?? 'open')
  const summary = `rights until ${ends.join(' → ')}; total cost ${costs.join(' → ')} ${after.price.currency}`
  return { ...commonOf(request, grantId, after), planId: before.planId, tool: 'update_rights', phase: 'modification', summary }
}

function commonOf(request: object, grantId: string, agreement: GrantAgreement) {
  const { price, countries, startDate, endDate, planId } = agreement
  return {
    purchaseType: 'rights_license' as const,
    request,
    planId,
    plannedDelivery: {
      ...(countries && { geo: { countries: [...countries] } }),
      start_time: `${startDate}T00:00:00Z`,
      ...(endDate !== undefined && { end_time: `${endDate}T23:59:59Z` }),
      total_budget: microsToAmount(committedMicros(agreement)),
      currency: price.currency,
    },
    resourceId: grantId,
  }
}

/** What was agreed under a plan: with its id, and never for an unknown cost. Throws INVALID_REQUEST. */
export function underPlan(agreement: GrantAgreement, { planId, approvals }: Governed): GrantAgreement {
  if (approvals.length > 0 && agreement.price.model === 'cpm' && (agreement.estimatedImpressions ?? 0) === 0) {
    throw new AdcpError('INVALID_REQUEST', 'estimated_impressions is required for a CPM under a governance plan', {
      field: 'campaign.estimated_impressions',
    })
  }
  return planId === undefined ? agreement : { ...agreement, planId }
}

/**
 * A denial of a CPM as the fault of the request that it is (AdCP acquire_rights, "CPM-priced rights under a governance plan"): another currency than that
 * of the plan, or more impressions than its budget pays for. Undefined for other denials, and for other prices.
 */
export function projectionFault({ details = {} }: AdcpError, { price }: GrantAgreement): AdcpError | undefined {
  if (price.model !== 'cpm' || !Array.isArray(details.findings)) return undefined
  const causes = details.findings
    .filter(isObject)
    .flatMap(({ explanation, details: facts }) =>
      isObject(facts) && typeof explanation === 'string' ? [{ code: facts.code, reason: explanation, facts }] : [],
    )
  const fault = (code: string, field: string, suggestion: string) => {
    const cause = causes.find((each) => each.code === code)
    if (!cause) return undefined
    const { code: _code, ...facts } = cause.facts
    return new AdcpError('INVALID_REQUEST', cause.reason, { field, suggestion, details: { reason: cause.reason, ...facts } })
  }
  return (
    fault('CURRENCY_MISMATCH', 'pricing_option_id', 'choose a price in the currency of the plan') ??
    fault(
      'SPENDING_AUTHORITY_EXCEEDED',
      'campaign.estimated_impressions',
      'lower estimated_impressions, or raise the budget of the plan',
    )
  )
}
