import { microsToAmount, priceToMicros } from '../money.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import { freeUntil, mostOwed, type Noticed, noticed } from './cancellation-fee.ts'
import { type CancellationPolicy, statedPolicy } from './cancellation-policy.ts'
import type { Purchase } from './commercial-terms.ts'
import type { Package } from './media-buy.ts'
import { commitmentMicros, pricingOf } from './pricing.ts'

/** A moment before every flight: a notice that has not begun then is one of days, not of the whole campaign. */
const LONG_AGO = new Date(0)

/** What a policy asks for, in the words of a row: `cancelling later than 7 days before the start costs 25% of the largest commitment since then less spend`. `currencies`: those of the prices. */
export function policyWords(
  { notice_period: { interval, unit }, cancellation_fee: fee }: CancellationPolicy,
  currencies: readonly string[],
): string {
  if (fee.type === 'none') return 'cancelling is free'
  const [only = '', ...others] = new Set(currencies)
  const inWords = others.length === 0 ? only : 'in the currency of the order'
  const when = unit === 'campaign' ? 'at any time' : `later than ${interval} ${unit} before the start`
  return `cancelling ${when} costs ${fee.type === 'fixed_fee' ? `a fixed fee of ${fee.amount ?? 0} ${inWords}` : `${shareWords(fee)} of the largest commitment${unit === 'campaign' ? '' : ' since then'} less spend`}`
}

/**
 * What cancelling purchases that are only planned would cost, a sentence for each that has terms: since when, by which rule and how much at most (major units). Without any: that
 * it is free. `expiresAt`: until when they can be booked; a moment before it may be over by then, so it is named by the rule alone.
 */
export function aheadWords(purchases: readonly Purchase[], expiresAt: string): string {
  const said = purchases.flatMap((purchase) => {
    const policy = statedPolicy(purchase.ext)
    return policy ? [purchaseWords(purchase, policy, expiresAt)] : []
  })
  return said.length === 0 ? 'cancelling is free' : said.join('; ')
}

/** More packages would bury the rest of an answer. */
const MOST_NAMED = 8

/** The sentence on what cancelling an order costs that waits to be booked, as it is planned; none without terms. `now`: a later moment may still come before it is booked. */
export function aheadNote(packages: readonly Package[], now: Date): string[] {
  const said = packages.flatMap((pkg) =>
    pkg.cancellationPolicy ? [plannedWords(pkg.productId, noticed(pkg), pkg.cancellationPolicy, now.toISOString())] : [],
  )
  if (said.length === 0) return []
  const more = said.length > MOST_NAMED ? `; and ${said.length - MOST_NAMED} more, by the terms of their products` : ''
  return [`Until it is booked nothing is owed; then ${said.slice(0, MOST_NAMED).join('; ')}${more}.`]
}

function purchaseWords(purchase: Purchase, policy: CancellationPolicy, expiresAt: string): string {
  const { product_id: id, pricing, start_time: startsAt } = purchase
  return plannedWords(id, { versions: [{ startsAt, committedMicros: committedBy(purchase) }], pricing }, policy, expiresAt)
}

function plannedWords(id: string, planned: Noticed, policy: CancellationPolicy, expiresAt: string): string {
  const { cancellation_fee: fee, notice_period: notice } = policy
  if (fee.type === 'none') return `cancelling ${id} is free`
  const since = freeUntil(planned, policy, LONG_AGO)
  const isAhead = since !== undefined && Date.parse(since) >= Date.parse(expiresAt)
  const dated = isAhead ? `${since} has come` : `its start is less than ${notice.interval} ${notice.unit} away`
  const when = since === undefined ? 'at any time after it is booked' : `once it is booked and ${dated}`
  const most = `${microsToAmount(mostOwed(planned, policy, LONG_AGO))} ${planned.pricing.currency}`
  return `cancelling ${id} ${when} costs ${fee.type === 'fixed_fee' ? most : `${shareWords(fee)} of the largest commitment since ${since === undefined ? 'it was booked' : 'then'} less spend, at most ${most}`}`
}

/** The most that a purchase can cost, micros: a price for the flight, else its budget. */
function committedBy({ pricing, start_time: startsAt, end_time: endsAt, budget = 0 }: Purchase): number {
  const budgetMicros = priceToMicros(budget, 'budget')
  // Written from the product's own option.
  const priced = pricingOf(pricing as unknown as PricingOption, 'pricing')
  const rateMicros = priced.fixedMicros
  return rateMicros === undefined ? budgetMicros : commitmentMicros(priced, { startsAt, endsAt, budgetMicros, rateMicros })
}

/** A smaller budget, once the notice has begun, does not make a fee smaller: it is on the largest commitment since. */
function shareWords({ type, rate = 1 }: CancellationPolicy['cancellation_fee']): string {
  return type === 'percent_remaining' ? `${Math.round(rate * 10_000) / 100}%` : 'all'
}
