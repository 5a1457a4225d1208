import { AdcpError } from '../../protocol/errors.ts'
import type { RightsOffering, RightsPrice } from '../brand/brands-file.ts'
import type { RightUse } from '../brand/right-use.ts'
import { type BuyerFacts, type Refusal, refusalOfBuyer, refusalOfOthers, refusalOfUse } from './clearance.ts'
import { firstPeriodEnd } from './commitment.ts'
import { dayOf, type GrantAgreement } from './grant.ts'

export interface AcquireFacts {
  readonly offering: RightsOffering
  readonly buyer: BuyerFacts
  /** Agreements in force, of everybody. */
  readonly others: readonly GrantAgreement[]
  /** Whether the request goes under a governance plan, which needs to know the cost before. */
  readonly governed: boolean
  readonly now: Date
}

export type Cleared =
  | { readonly kind: 'cleared'; readonly agreement: GrantAgreement }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** What a buyer wants to do with a right, and at which of its prices. */
interface Request {
  readonly pricing_option_id: string
  readonly buyer: { readonly domain: string }
  readonly campaign: {
    readonly description: string
    readonly uses: readonly RightUse[]
    readonly countries?: readonly string[]
    readonly estimated_impressions?: number
    /** `YYYY-MM-DD`. */
    readonly start_date?: string
    readonly end_date?: string
  }
}

/**
 * Clears an acquisition: a request that makes no sense throws INVALID_REQUEST or REFERENCE_NOT_FOUND naming the field; one that the rights
 * holder's rules do not allow is refused (AdCP acquire_rights: `rejected`).
 */
export function clearAcquisition(request: Request, { offering, buyer, others, governed, now }: AcquireFacts): Cleared {
  const { campaign } = request
  const price = priceOf(offering, request.pricing_option_id)
  const { startDate, endDate } = datesOf(campaign, price, now)
  requireImpressions(price, campaign, governed)
  const uncovered = campaign.uses.filter((use) => !price.uses.includes(use))
  if (uncovered.length > 0 && uncovered.every((use) => offering.available_uses.includes(use))) {
    throw invalid(
      'campaign.uses',
      `the pricing option does not cover ${uncovered.join(', ')}`,
      'choose an option that covers the uses',
    )
  }
  const { countries, uses } = campaign
  const wanted = { uses, countries, startDate, endDate, exclusive: price.exclusive === true }
  const refusal = refusalOfBuyer(offering, buyer) ?? refusalOfUse(offering, wanted) ?? refusalOfOthers(offering, wanted, others)
  if (refusal) return { kind: 'refused', refusal }
  const cap = price.impression_cap
  const { estimated_impressions: estimatedImpressions } = campaign
  return {
    kind: 'cleared',
    agreement: {
      offering: termsOf(offering),
      price,
      buyerDomain: request.buyer.domain,
      description: campaign.description,
      uses,
      ...(countries && { countries }),
      startDate,
      ...(endDate !== undefined && { endDate }),
      ...(cap !== undefined && { impressionCap: cap }),
      ...(estimatedImpressions !== undefined && { estimatedImpressions }),
    },
  }
}

/** The price of an offering. Throws REFERENCE_NOT_FOUND. */
export function priceOf(offering: RightsOffering, pricingOptionId: string): RightsPrice {
  const price = offering.pricing_options.find((option) => option.pricing_option_id === pricingOptionId)
  if (price) return price
  throw new AdcpError('REFERENCE_NOT_FOUND', 'the right has no such pricing option', {
    field: 'pricing_option_id',
    suggestion: 'take one of its pricing_options in get_rights',
  })
}

/** The part of an offering that an agreement keeps. */
export function termsOf(offering: RightsOffering): GrantAgreement['offering'] {
  const { rights_id, brand_id, name, right_type, countries, excluded_countries, content_restrictions, clearance } = offering
  return {
    rights_id,
    brand_id,
    name,
    ...(right_type && { right_type }),
    ...(countries && { countries }),
    ...(excluded_countries && { excluded_countries }),
    ...(content_restrictions && { content_restrictions }),
    ...(clearance && { clearance }),
  }
}

function datesOf(campaign: Request['campaign'], price: RightsPrice, now: Date) {
  const today = dayOf(now)
  const { start_date: start, end_date: end } = campaign
  if (end !== undefined && end < today) throw invalid('campaign.end_date', 'the campaign is over already', 'choose dates ahead')
  const startDate = start ?? today
  if (end !== undefined && end < startDate) throw invalid('campaign.end_date', 'the campaign ends before it starts')
  return { startDate, endDate: end ?? firstPeriodEnd(price, startDate) }
}

/** A cost that depends on impressions cannot be held against a plan without them (AdCP acquire_rights). */
function requireImpressions(price: RightsPrice, campaign: Request['campaign'], governed: boolean): void {
  if (!governed || price.model !== 'cpm' || (campaign.estimated_impressions ?? 0) > 0) return
  throw invalid('campaign.estimated_impressions', 'estimated_impressions is required for a CPM under a governance plan')
}

function invalid(field: string, message: string, suggestion?: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field, ...(suggestion !== undefined && { suggestion }) })
}
