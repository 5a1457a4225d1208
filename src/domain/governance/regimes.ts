import type { PlanDocument, RestrictedAttribute } from './plan-document.ts'

/** A regulation as far as a plan's own fields let it be enforced. */
export interface Regime {
  readonly policyId: string
  readonly categories: readonly string[]
  /** ISO 3166-1 codes; empty = everywhere. */
  readonly countries: readonly string[]
  readonly requiresHumanReview: boolean
  readonly restrictedAttributes: readonly RestrictedAttribute[]
  /** Targeting of children is out of the question. */
  readonly noMinors?: true
}

const EU = 'AT BE BG HR CY CZ DE DK EE ES FI FR GR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

/** GDPR Article 9(1); AdCP enums/restricted-attribute.json. */
const SPECIAL: readonly RestrictedAttribute[] = [
  'racial_ethnic_origin',
  'political_opinions',
  'religious_beliefs',
  'trade_union_membership',
  'health_data',
  'sex_life_sexual_orientation',
  'genetic_data',
  'biometric_data',
]

/**
 * The policies that this agent knows by id, deterministic and few: a registry with more of them would stand behind the same function. That
 * a category needs human review is said in AdCP sync-plans-request.json.
 */
export const REGIMES: readonly Regime[] = [
  {
    policyId: 'us_fair_housing',
    categories: ['fair_housing'],
    countries: ['US'],
    requiresHumanReview: true,
    restrictedAttributes: ['racial_ethnic_origin', 'religious_beliefs', 'familial_status', 'age', 'health_data'],
  },
  {
    policyId: 'us_ecoa',
    categories: ['fair_lending'],
    countries: ['US'],
    requiresHumanReview: true,
    restrictedAttributes: ['racial_ethnic_origin', 'religious_beliefs', 'age'],
  },
  {
    policyId: 'us_equal_employment',
    categories: ['fair_employment'],
    countries: ['US'],
    requiresHumanReview: true,
    restrictedAttributes: ['racial_ethnic_origin', 'religious_beliefs', 'age', 'health_data', 'genetic_data'],
  },
  {
    policyId: 'pharmaceutical_advertising_review',
    categories: ['pharmaceutical_advertising'],
    countries: [],
    requiresHumanReview: true,
    restrictedAttributes: ['health_data'],
  },
  {
    policyId: 'eu_ai_act_annex_iii',
    categories: ['fair_lending', 'fair_employment'],
    countries: EU,
    requiresHumanReview: true,
    restrictedAttributes: [],
  },
  { policyId: 'eu_dsa_article_26', categories: [], countries: EU, requiresHumanReview: false, restrictedAttributes: SPECIAL },
  {
    policyId: 'us_coppa',
    categories: ['children_directed'],
    countries: ['US'],
    requiresHumanReview: false,
    restrictedAttributes: [],
    noMinors: true,
  },
]

export interface ResolvedRegime {
  readonly regime: Regime
  readonly source: 'explicit' | 'auto_applied'
  readonly reason: string
}

/** The regimes that hold for a plan: those it names, and those that its categories and markets bring with them. */
export function resolveRegimes(plan: PlanDocument): readonly ResolvedRegime[] {
  const named = new Set(plan.policy_ids)
  const categories = new Set(plan.policy_categories)
  const markets = new Set([...(plan.countries ?? []), ...(plan.regions ?? []).map((region) => region.slice(0, 2))])
  return REGIMES.flatMap((regime): ResolvedRegime[] => {
    if (named.has(regime.policyId)) return [{ regime, source: 'explicit', reason: 'named by the plan' }]
    const category = regime.categories.find((each) => categories.has(each))
    const country = regime.countries.find((each) => markets.has(each))
    if (regime.categories.length > 0 && category === undefined) return []
    if (regime.countries.length > 0 && country === undefined && markets.size > 0) return []
    // A regime of some countries alone needs one of them; without markets a plan could run there.
    if (regime.categories.length === 0 && country === undefined) return []
    const because = [category && `policy category ${category}`, country && `jurisdiction ${country}`].filter(Boolean)
    return [{ regime, source: 'auto_applied', reason: `matched ${because.join(' and ')}` }]
  })
}

/** Registry policies that a plan names and this agent does not know. */
export function unknownPolicies(plan: PlanDocument): readonly string[] {
  return (plan.policy_ids ?? []).filter((id) => !REGIMES.some((regime) => regime.policyId === id))
}

/** Sectors whose decisions affect individuals (AdCP "Annex III & Article 22 obligations", Automatic triggering). */
const REGULATED_INDUSTRIES: ReadonlySet<string> = new Set([
  'consumer_finance',
  'banking',
  'mortgage',
  'life_insurance',
  'health_insurance',
  'recruitment',
  'staffing',
  'real_estate',
  'property_management',
  'housing',
])

function isRegulatedIndustry({ brand }: PlanDocument): boolean {
  return (brand.industries ?? []).some((industry) => REGULATED_INDUSTRIES.has(industry))
}

/** Categories of decisions that the person concerned may contest (EU AI Act, Annex III; AdCP counts housing among them). */
const CONTESTABLE: ReadonlySet<string> = new Set(['fair_housing', 'fair_lending', 'fair_employment'])

/** Whether a plan owes its audience a contact for contesting decisions (GDPR Article 22(3)) and names none. */
export function lacksContestation(plan: PlanDocument): boolean {
  if (plan.brand.data_subject_contestation !== undefined) return false
  const regimes = resolveRegimes(plan)
  return isRegulatedIndustry(plan) || regimes.some(({ regime }) => regime.categories.some((each) => CONTESTABLE.has(each)))
}

/** Whether a person has to see every action of a plan. Source: AdCP sync-plans-request.json, `human_review_required`. */
export function needsHumanReview(plan: PlanDocument): boolean {
  return (
    plan.human_review_required === true ||
    isRegulatedIndustry(plan) ||
    resolveRegimes(plan).some(({ regime }) => regime.requiresHumanReview) ||
    (plan.custom_policies ?? []).some((policy) => policy.requires_human_review === true)
  )
}
