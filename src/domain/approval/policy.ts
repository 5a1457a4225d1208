import { DEFAULT_CURRENCY } from '../money.ts'

/**
 * When work of a buyer needs approval by a person: `always`; by the `rules` (a budget above a limit, certain products, and products that
 * are marked as sold by hand); `never`, whatever the products say.
 */
export const WHENS = ['always', 'rules', 'never'] as const
export type ApprovalWhen = (typeof WHENS)[number]

export interface ApprovalRule {
  readonly when: ApprovalWhen
  /** Total budget, in micros of the publisher's currency, above which it needs approval; absent: the publisher's general limit. */
  readonly aboveMicros?: number
  /** The same limit for orders in other currencies, micros by ISO 4217 code. An order in a currency without one waits: there are no exchange rates here. */
  readonly aboveIn?: Readonly<Record<string, number>>
  /** Ids of products that are sold by hand. */
  readonly products?: readonly string[]
}

/** A publisher's own policy, by task; a task without a rule goes by the products and the general limit. */
export interface ApprovalPolicy {
  readonly tasks?: Readonly<Record<string, ApprovalRule>>
  /** Hours until an undecided request is rejected. */
  readonly expiresAfterHours?: number
}

/** A request that ends undecided within this time is urgent: the inbox marks it, and people are reminded, after three quarters of a shorter term. */
export const EXPIRES_SOON_MS = 12 * 3_600_000

/** Three days: a weekend, or most of a week's holidays. */
export const DEFAULT_EXPIRY_HOURS = 72

/** What a rule can examine. Money in micros of `currency` (ISO 4217); absent: that of the limit. */
export interface ApprovalFacts {
  readonly totalMicros?: number
  readonly currency?: string
  readonly productIds?: readonly string[]
  /** Those of the products that are marked as sold by hand. */
  readonly manualProductIds?: readonly string[]
}

export interface PolicySource {
  readonly approvals?: ApprovalPolicy
  /** The general limit. */
  readonly approvalAboveMicros?: number
  /** The publisher's currency, in which the limits are; absent: USD. */
  readonly currency?: string
}

/** The rule of a task, with the general limit filled in. */
export function ruleOf({ approvals, approvalAboveMicros }: PolicySource, task: string): ApprovalRule {
  const rule = approvals?.tasks?.[task] ?? { when: 'rules' }
  const aboveMicros = rule.aboveMicros ?? approvalAboveMicros
  return { ...rule, ...(aboveMicros !== undefined && { aboveMicros }) }
}

const ORDER = 'create_media_buy'
const CHANGE = 'update_media_buy'

/** Why work needs approval by a person at the seller, as text for the buyer; undefined when it does not. */
export function approvalReason(source: PolicySource, task: string, facts: ApprovalFacts): string | undefined {
  const rule = ruleOf(source, task)
  const { when, products = [] } = rule
  if (when === 'never') return undefined
  // A change that makes an order larger is held to what an order of that size would be, or the larger part of it could be ordered afterwards.
  if (task === CHANGE && facts.totalMicros !== undefined) {
    const asOrder = approvalReason(source, ORDER, facts)
    if (asOrder !== undefined) return asOrder
  }
  if (when === 'always') return 'the sales team confirms every such request'
  const manual = facts.manualProductIds?.[0] ?? facts.productIds?.find((id) => products.includes(id))
  if (manual !== undefined) return `${manual} has to be confirmed by the sales team`
  return sizeReason(rule, facts, source.currency ?? DEFAULT_CURRENCY)
}

/** Why the size of an order needs approval: it is above the limit of its currency, or that currency has none to compare it with. */
function sizeReason({ aboveMicros, aboveIn = {} }: ApprovalRule, facts: ApprovalFacts, own: string): string | undefined {
  const { totalMicros, currency = own } = facts
  if (totalMicros === undefined) return undefined
  const limit = currency === own ? aboveMicros : Object.hasOwn(aboveIn, currency) ? aboveIn[currency] : undefined
  if (limit !== undefined) return totalMicros > limit ? 'orders of this size have to be confirmed by the sales team' : undefined
  return aboveMicros === undefined || currency === own
    ? undefined
    : `orders in ${currency} have to be confirmed by the sales team, whatever their size: its limit is in ${own}`
}

export interface ApprovalTerm {
  /** When the buyer is reminded that the term is ending. */
  readonly remindAt: Date
  readonly expiresAt: Date
}

/** The term of work that is submitted now: a reminder is sent before its last quarter. */
export function approvalTerm({ approvals }: PolicySource, now: Date): ApprovalTerm {
  const termMs = (approvals?.expiresAfterHours ?? DEFAULT_EXPIRY_HOURS) * 3_600_000
  return { remindAt: new Date(now.getTime() + termMs * 0.75), expiresAt: new Date(now.getTime() + termMs) }
}

/** What the buyer reads about the conditions of an approval; empty without any. */
export function conditionsText(conditions: readonly string[]): string {
  if (conditions.length === 0) return ''
  const [only, ...more] = conditions
  return more.length === 0
    ? `Approved on this condition: ${only}`
    : `Approved on these conditions: ${conditions.map((text, i) => `${i + 1}) ${text}`).join(' ')}`
}
