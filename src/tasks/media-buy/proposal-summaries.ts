import { aheadWords } from '../../domain/media-buy/cancellation-ahead.ts'
import type { CommercialTerms, Purchase } from '../../domain/media-buy/commercial-terms.ts'
import { targetingOf, targetingWords } from '../../domain/product/limited-plan.ts'
import { amountWords } from '../../domain/product/price-words.ts'
import { outline } from '../../domain/summary/outline.ts'
import { joined, money } from '../../domain/summary/summary-text.ts'
import { isObject } from '../../protocol/is-object.ts'

/** A draft as request_proposals answers with it. */
interface Draft {
  readonly proposal_id: string
  readonly name: string
  readonly proposal_status: string
  readonly expires_at: string
  readonly terms_digest: string
  readonly commercial_terms: CommercialTerms
}

/** An answer of request_proposals. */
interface Proposed {
  readonly proposals?: readonly Draft[]
  readonly ext?: { readonly notes?: readonly string[] }
}

const NEXT = 'Next: refine_proposals with action "revise" or "finalize", or decline_proposals.'

/** request_proposals: each draft whole (days, budget, allocation, digest), and how it is made firm. */
export function summarizeProposed(response: Proposed): string {
  const { proposals = [], ext } = response
  if (proposals.length === 0) return outline(response)
  return [
    `${proposals.length} proposal${proposals.length === 1 ? '' : 's'}:`,
    ...proposals.map(draftLine),
    ...(ext?.notes ?? []),
    NEXT,
  ].join('\n')
}

/** An answer of refine_proposals. */
interface Refined {
  readonly results?: readonly Result[]
  readonly ext?: { readonly notes?: readonly string[]; readonly applied?: readonly AppliedRefinement[] }
}

/** What was applied of an entry, in words (`ext.applied` of an answer). */
export interface AppliedRefinement {
  readonly source_proposal_id: string
  readonly applied: readonly string[]
}

/** What became of an entry. */
interface Result {
  readonly source_proposal_id: string
  readonly outcome: string
  readonly reason_code?: string
  readonly reason?: string
  readonly suggestions?: readonly string[]
  readonly proposals?: readonly Draft[]
  readonly proposal?: Draft
}

/** refine_proposals: what became of each entry, and each proposal that came of it whole, since its id and digest are what is sent next. */
export function summarizeRefined(response: Refined): string {
  const { results, ext } = response
  if (!results) return outline(response)
  const made = results.flatMap(({ proposal, proposals = [] }) => (proposal ? [proposal] : proposals))
  const applied = new Map((ext?.applied ?? []).map((each) => [each.source_proposal_id, each.applied.join('; ')]))
  return [
    ...results.flatMap((result) => resultLines(result, applied.get(result.source_proposal_id))),
    ...(ext?.notes ?? []),
    nextFor(made),
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function resultLines(
  { source_proposal_id: source, outcome, reason_code: code, reason, suggestions = [], proposals = [], proposal }: Result,
  applied: string | undefined,
): string[] {
  // A reason has what was applied in it.
  const done = reason === undefined && applied !== undefined ? `applied: ${applied}` : undefined
  const why = joined([done, joined([code, reason], ': '), ...suggestions], '; ')
  return [
    joined([`${source}: ${outcome}`, why === '' ? undefined : `(${why})`], ' '),
    ...(proposal ? [proposal] : proposals).map((each) => `- ${draftLine(each)}`),
  ]
}

/** What to send next, for the states in which proposals are. */
function nextFor(proposals: readonly Draft[]): string {
  const isFirm = ({ proposal_status: status }: Draft) => status === 'committed'
  const parts = [
    ...(proposals.some(isFirm) ? ['accept_proposal with proposal_id and proposal_terms_digest (the terms_digest)'] : []),
    ...(proposals.every(isFirm) ? [] : ['refine_proposals with action "finalize" makes a draft firm, "revise" changes it']),
  ]
  return parts.length === 0 ? '' : `Next: ${parts.join('; ')}.`
}

/** The targeting that a purchase will have, in words; empty: none. */
function targetingOfPurchase({ targeting_overlay: overlay }: Purchase): readonly string[] {
  const { frequency_cap: cap, ...places } = targetingOf({ ext: { targeting_overlay: overlay } })
  const isOfDevices = cap?.per === 'devices' && (cap.max_impressions ?? 0) > 0
  const others = Object.entries(overlay ?? {}).filter(([name]) => name.startsWith('geo_') && !Object.hasOwn(places, name))
  return [
    ...targetingWords(isOfDevices ? { ...places, frequency_cap: cap } : places),
    ...others.map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ]
}

/** A price; of an auction the bid that the terms have. */
function paidFor({ pricing, bidding }: Purchase): string {
  const amount = isObject(bidding) ? (bidding.max_bid ?? bidding.bid_amount) : undefined
  if (typeof amount !== 'number') return amountWords(pricing)
  const kind = isObject(bidding) && bidding.max_bid !== undefined ? 'bid up to' : 'bid'
  return `${kind} ${amountWords({ ...pricing, fixed_price: amount })}`
}

/** A purchase with its price, or its bid, and what of its targeting not all have: `news cpm 5000 (12 USD CPM; only NO)`. */
function purchaseWords(purchase: Purchase, own: readonly string[]) {
  const { product_id: product, pricing_option_id: option, budget } = purchase
  const row = joined([product, option, budget !== undefined && String(budget)], ' ')
  return `${row} (${[paidFor(purchase), ...own].join('; ')})`
}

function draftLine({
  proposal_id: id,
  name,
  proposal_status: status,
  expires_at: end,
  terms_digest: digest,
  commercial_terms: terms,
}: Draft): string {
  const { start_time: start, end_time: until, total_budget: total, purchases } = terms
  const targeted = purchases.map(targetingOfPurchase)
  // Without it, a plan without Sweden reads like one with it.
  const common = (targeted[0] ?? []).filter((words) => targeted.every((each) => each.includes(words)))
  const parts = purchases.map((purchase, index) =>
    purchaseWords(
      purchase,
      (targeted[index] ?? []).filter((words) => !common.includes(words)),
    ),
  )
  return joined(
    [
      `${id}: ${name}`,
      status,
      `${start} to ${until}`,
      total && money(total.amount, total.currency),
      parts.join(', '),
      ...common,
      aheadWords(purchases, end),
      `expires ${end}`,
      `terms_digest ${digest}`,
    ],
    '; ',
  )
}
