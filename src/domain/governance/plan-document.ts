import type { BrandName } from '../party.ts'
import type { Policy } from '../policy.ts'

/** What must not be known of people who are targeted (AdCP enums/restricted-attribute.json). */
export type RestrictedAttribute =
  | 'racial_ethnic_origin'
  | 'political_opinions'
  | 'religious_beliefs'
  | 'trade_union_membership'
  | 'health_data'
  | 'sex_life_sexual_orientation'
  | 'genetic_data'
  | 'biometric_data'
  | 'age'
  | 'familial_status'

/** People who are meant, by a signal or in words. */
export type AudienceSelector =
  | { readonly type: 'signal'; readonly signal_id: { readonly id: string } }
  | { readonly type: 'description'; readonly description: string; readonly category?: string }

/** Shares of a whole, by name: amounts in major units, percents. */
interface Shares<Share> {
  readonly [name: string]: Share | undefined
}

interface Amount {
  readonly amount: number
  readonly currency: string
}

/** What a buyer may spend, on what and with whom (AdCP governance/sync-plans-request.json, `plans[]`), as far as a rule reads it; all of it is kept. */
export interface PlanDocument {
  readonly plan_id: string
  readonly brand: BrandName & { readonly data_subject_contestation?: object }
  readonly objectives: string
  readonly budget: {
    readonly total: number
    readonly currency: string
    readonly per_seller_max_pct?: number
    readonly allocations?: Shares<{ readonly amount?: number; readonly max_pct?: number }>
  } & ({ readonly reallocation_threshold: number } | { readonly reallocation_unlimited: true })
  readonly channels?: {
    readonly required?: readonly string[]
    readonly allowed?: readonly string[]
    readonly mix_targets?: Shares<{ readonly min_pct?: number; readonly max_pct?: number }>
  }
  /** ISO 8601. */
  readonly flight: { readonly start: string; readonly end: string }
  readonly countries?: readonly string[]
  readonly regions?: readonly string[]
  readonly policy_ids?: readonly string[]
  readonly policy_categories?: readonly string[]
  readonly audience?: { readonly include?: readonly AudienceSelector[]; readonly exclude?: readonly AudienceSelector[] }
  readonly restricted_attributes?: readonly RestrictedAttribute[]
  readonly restricted_attributes_custom?: readonly string[]
  readonly min_audience_size?: number
  readonly human_review_required?: boolean
  readonly custom_policies?: readonly Policy[]
  readonly approved_sellers?: readonly string[] | null
  readonly delegations?: readonly {
    readonly agent_url: string
    readonly authority: 'full' | 'execute_only' | 'propose_only'
    readonly budget_limit?: Amount
    readonly markets?: readonly string[]
    readonly expires_at?: string
  }[]
  readonly portfolio?: {
    readonly member_plan_ids: readonly string[]
    readonly total_budget_cap?: Amount
    readonly shared_policy_ids?: readonly string[]
    readonly shared_exclusions?: readonly Policy[]
  }
}
