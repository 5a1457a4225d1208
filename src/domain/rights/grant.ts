import type { RightsOffering, RightsPrice } from '../brand/brands-file.ts'
import type { RightsPeriod, RightUse } from '../brand/right-use.ts'

/** What was agreed, as it was on the day; later changes of the offering do not change it. */
export interface GrantAgreement {
  readonly offering: Pick<
    RightsOffering,
    'rights_id' | 'brand_id' | 'name' | 'right_type' | 'countries' | 'excluded_countries' | 'content_restrictions' | 'clearance'
  >
  readonly price: RightsPrice
  readonly buyerDomain: string
  readonly description: string
  /** Uses of the campaign. */
  readonly uses: readonly RightUse[]
  /** Countries of the campaign; absent: wherever the offering is available. */
  readonly countries?: readonly string[]
  /** First day, `YYYY-MM-DD`. */
  readonly startDate: string
  /** Last day; absent: until it is ended. */
  readonly endDate?: string
  readonly impressionCap?: number
  readonly estimatedImpressions?: number
  /** The governance plan that it was agreed under. */
  readonly planId?: string
}

/** A right that a buyer has acquired. */
export interface RightsGrant {
  readonly grantId: string
  readonly principalId: string
  readonly accountId: string
  readonly sandbox: boolean
  readonly agreement: GrantAgreement
  readonly paused: boolean
  /** From then on nothing may be made or shown under it. */
  readonly revokedAt: string | undefined
  /** Grows when credentials are issued anew. */
  readonly credentialVersion: number
  /** An extension that the rights holder has not decided on. */
  readonly pending: GrantAgreement | undefined
  /** The buyer's task that ends with that decision. */
  readonly pendingTaskId: string | undefined
  readonly revision: number
  readonly createdAt: string
}

export const GRANT_STATUSES = ['active', 'paused', 'revoked', 'expired', 'scheduled'] as const
export type GrantStatus = (typeof GRANT_STATUSES)[number]

/** Status of a grant: follows from its dates and from what was decided. */
export function grantStatus({ agreement, paused, revokedAt }: RightsGrant, now: Date): GrantStatus {
  if (revokedAt !== undefined && revokedAt <= now.toISOString()) return 'revoked'
  const today = dayOf(now)
  if (agreement.endDate !== undefined && agreement.endDate < today) return 'expired'
  if (paused) return 'paused'
  return agreement.startDate > today ? 'scheduled' : 'active'
}

/** The day of a moment, UTC, `YYYY-MM-DD`. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** What was agreed, as the buyer reads it (AdCP brand/rights-terms.json). */
export interface RightsTerms {
  pricing_option_id: string
  /** Major units. */
  amount: number
  currency: string
  period?: RightsPeriod
  uses: RightUse[]
  impression_cap?: number
  overage_cpm?: number
  start_date: string
  end_date?: string
  exclusivity?: { scope: string; countries?: string[] }
}

/** What lets a provider make content under a grant. */
export interface GenerationCredential {
  provider: string
  rights_key: string
  uses: RightUse[]
  expires_at?: string
  endpoint?: string
}

/** Contractual terms. */
export function presentTerms({
  price,
  uses,
  countries,
  startDate,
  endDate,
  impressionCap,
  offering,
}: GrantAgreement): RightsTerms {
  const where = countries ?? offering.countries
  return {
    pricing_option_id: price.pricing_option_id,
    amount: price.price,
    currency: price.currency,
    ...(price.period && { period: price.period }),
    uses: [...uses],
    ...(impressionCap !== undefined && { impression_cap: impressionCap }),
    ...(price.overage_cpm !== undefined && { overage_cpm: price.overage_cpm }),
    start_date: startDate,
    ...(endDate !== undefined && { end_date: endDate }),
    ...(price.exclusive && {
      exclusivity: { scope: `${offering.name}: ${uses.join(', ')}`, ...(where && { countries: [...where] }) },
    }),
  }
}

export interface ConstraintPlace {
  readonly rightsAgent: { readonly url: string; readonly id: string }
  /** Public address that says whether the grant is valid. */
  readonly verificationUrl: string
}

/** What a creative manifest carries about the grant (AdCP core/rights-constraint.json). */
export type PresentedConstraint = ReturnType<typeof presentConstraint>

export function presentConstraint({ grantId, agreement }: RightsGrant, { rightsAgent, verificationUrl }: ConstraintPlace) {
  const { offering, uses, startDate, endDate, impressionCap } = agreement
  const countries = agreement.countries ?? offering.countries
  return {
    rights_id: grantId,
    rights_agent: rightsAgent,
    valid_from: `${startDate}T00:00:00Z`,
    ...(endDate !== undefined && { valid_until: `${endDate}T23:59:59Z` }),
    uses: [...uses],
    ...(countries && { countries: [...countries] }),
    ...(offering.excluded_countries && { excluded_countries: [...offering.excluded_countries] }),
    ...(impressionCap !== undefined && { impression_cap: impressionCap }),
    ...(offering.right_type && { right_type: offering.right_type }),
    approval_status: 'approved' as const,
    verification_url: verificationUrl,
  }
}

/** What holds for whatever is made under a grant. A disclosure that is required without a text of its own names the right. */
export function presentClearance({ offering }: GrantAgreement) {
  const { name, clearance, content_restrictions: contents = [] } = offering
  const restrictions = [...new Set([...(clearance?.restrictions ?? []), ...contents])]
  const { disclosure } = clearance ?? {}
  return {
    ...(restrictions.length > 0 && { restrictions }),
    ...(disclosure && { disclosure: disclosure.required ? { text: name, ...disclosure } : disclosure }),
  }
}

/** Which credentials a grant comes with: one for each provider that makes what it covers. Keys are the registry's. */
export function credentialsFor({ agreement }: RightsGrant, keyOf: (provider: string) => string): GenerationCredential[] {
  const { offering, uses, endDate } = agreement
  return (offering.clearance?.generation_providers ?? []).flatMap(({ provider, endpoint, uses: covers }) => {
    const covered = uses.filter((use) => !covers || covers.includes(use))
    if (covered.length === 0) return []
    return [
      {
        provider,
        rights_key: keyOf(provider),
        uses: covered,
        ...(endDate !== undefined && { expires_at: `${endDate}T23:59:59Z` }),
        ...(endpoint !== undefined && { endpoint }),
      },
    ]
  })
}
