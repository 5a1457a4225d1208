/** What a brand agent can be asked to confirm (AdCP verify_brand_claim, `claim_type`). */
export type ClaimType = 'subsidiary' | 'parent' | 'property' | 'trademark'

/** AdCP brand/verification-status.json. */
export type VerificationStatus =
  | 'owned'
  | 'pending_review'
  | 'transferring'
  | 'disputed'
  | 'not_ours'
  | 'archived'
  | 'licensed_in'
  | 'licensed_out'
  | 'unknown'

interface Entry {
  /** Absent: `owned`. */
  readonly status?: VerificationStatus
  /** Shown to everybody who asks. */
  readonly note?: string
}

/** What only callers with an account are shown. */
interface UseCases {
  readonly use_cases?: Readonly<Record<string, boolean>>
}

/** A brand with a domain of its own that says it belongs to the house. */
export interface SubsidiaryClaim extends Entry {
  readonly domain: string
  readonly brand_id?: string
  /** ISO 8601: when the house learned of it. A review ends its window after that. */
  readonly first_observed_at?: string
  /** Needed while the status is `pending_review`. */
  readonly expected_resolution_window_days?: number
}

/** The house that this house belongs to. */
export interface ParentClaim extends Entry {
  readonly domain: string
  readonly first_observed_at?: string
  readonly expected_resolution_window_days?: number
}

/** A site, app or other property (AdCP brand.json, `property`). */
export interface PropertyClaim extends Entry, UseCases {
  readonly type: string
  readonly identifier: string
  readonly store?: string
  readonly brand_id?: string
  /** Absent: `owned`. */
  readonly relationship?: 'owned' | 'direct' | 'delegated' | 'ad_network'
  /** ISO 3166-1 alpha-2; absent: everywhere. */
  readonly regions?: readonly string[]
}

/** A registered mark (AdCP brand.json, `trademark`). */
export interface TrademarkClaim extends Entry, UseCases {
  readonly registry: string
  readonly number: string
  readonly mark: string
  readonly registration_status?: string
  readonly licensor_domain?: string
  readonly countries?: readonly string[]
  readonly nice_classes?: readonly number[]
}

/** What a publisher's brand agent answers verify_brand_claim from (`claims` of the import file). */
export interface BrandClaims {
  /** Lists that name everything there is: what such a list does not have is `not_ours`, else `unknown`. */
  readonly complete?: readonly ClaimType[]
  readonly subsidiaries?: readonly SubsidiaryClaim[]
  readonly parents?: readonly ParentClaim[]
  readonly properties?: readonly PropertyClaim[]
  readonly trademarks?: readonly TrademarkClaim[]
}

const LISTS = { subsidiary: 'subsidiaries', parent: 'parents', property: 'properties', trademark: 'trademarks' } as const

/** The claims that a house can be asked about: those of which it has a list, an empty one too. */
export function claimTypesOf(claims: BrandClaims | undefined): readonly ClaimType[] {
  return (['subsidiary', 'parent', 'property', 'trademark'] as const).filter((type) => claims?.[LISTS[type]] !== undefined)
}
