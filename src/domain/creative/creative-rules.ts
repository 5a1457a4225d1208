import type { TenantSettings } from '../identity/principal.ts'
import type { ReviewPolicy } from './review.ts'

/** What becomes of new and changed creatives: they are approved, wait for a person, or are refused. */
export const CREATIVE_RULES = ['approve', 'review', 'refuse'] as const

export type CreativeRule = (typeof CREATIVE_RULES)[number]

/** What a publisher agreed with one buyer; the rule of an advertiser (domain of its brand) comes before that of the buyer. */
export interface CreativeRules {
  readonly buyer?: CreativeRule
  readonly advertisers?: Readonly<Record<string, CreativeRule>>
}

/** Advertisers of one buyer that have rules of their own. */
export const MAX_ADVERTISER_RULES = 200

/** How the creatives of a buyer for an advertiser are reviewed; without a rule, as the publisher's setting for all says. */
export function reviewPolicy(
  rules: CreativeRules,
  advertiser: string | undefined,
  { creativeReview = 'automatic' }: Pick<TenantSettings, 'creativeReview'>,
): ReviewPolicy {
  const own = advertiser === undefined ? undefined : ruleOfAdvertiser(rules, advertiser)
  const rule = own ?? rules.buyer
  if (rule === 'approve') return { mode: 'trusted' }
  if (rule === 'review') return { mode: 'manual' }
  if (rule === 'refuse') return { mode: 'refused', whose: own === undefined ? 'this buyer' : `the advertiser ${advertiser}` }
  return { mode: creativeReview }
}

/**
 * Whether creatives of a buyer may have to pass a person before they serve: by the rule for the buyer, for one of its advertisers, or for all (AdCP
 * get_adcp_capabilities, `creative_approval_mode`: the worst case). What is refused is not approved automatically either.
 */
export function mayNeedPerson(rules: CreativeRules, settings: Pick<TenantSettings, 'creativeReview'>): boolean {
  const advertisers = [undefined, ...Object.keys(rules.advertisers ?? {})]
  return advertisers.some((advertiser) => ['manual', 'refused'].includes(reviewPolicy(rules, advertiser, settings).mode))
}

/** Rules with one of them changed; undefined takes it away. */
export function withCreativeRule(
  { buyer, advertisers = {} }: CreativeRules,
  advertiser: string | undefined,
  rule: CreativeRule | undefined,
): CreativeRules {
  if (advertiser === undefined) return { ...(rule && { buyer: rule }), advertisers }
  const others = Object.fromEntries(Object.entries(advertisers).filter(([domain]) => domain !== advertiser))
  return { ...(buyer && { buyer }), advertisers: { ...others, ...(rule && { [advertiser]: rule }) } }
}

function ruleOfAdvertiser({ advertisers = {} }: CreativeRules, advertiser: string): CreativeRule | undefined {
  return Object.hasOwn(advertisers, advertiser) ? advertisers[advertiser] : undefined
}
