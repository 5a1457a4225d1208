import { DAY_MS } from '../calendar/instant.ts'
import { microsToAmount, minorUnitMicros, mulDiv, mulDivCeil } from '../money.ts'
import { MAKE_GOOD_REASON, type NewCharge } from './charge.ts'
import type { DayMetrics } from './delivery.ts'
import { durationMs } from './flight.ts'
import type { MakeGood, MakeGoodState, MakeGoodTerms } from './make-good-terms.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { commitmentMicros, isBilledByUnit } from './pricing.ts'
import type { Counted } from './progress.ts'
import type { Shortfall } from './shortfall.ts'

/** Whether a make-good was accepted: what it is for is settled. */
export function isSettled(makeGoods: readonly MakeGood[] | undefined, lineId: string): boolean {
  return (makeGoods ?? []).some((each) => each.lineId === lineId && each.state === 'accepted')
}

/** Whether a package delivers an accepted make-good for nothing: its goal and flight are those of the offer. */
export function isFreeDelivery({ makeGoods = [] }: Pick<MediaBuy, 'makeGoods'>, { packageId, terms }: Package): boolean {
  return terms.rateMicros === 0 && makeGoods.some(({ newLineId, state }) => newLineId === packageId && state === 'accepted')
}

/** The last make-good of a line; undefined: there was none. */
export function lastMakeGood(makeGoods: readonly MakeGood[] | undefined, lineId: string): MakeGood | undefined {
  return makeGoods?.findLast((each) => each.lineId === lineId)
}

/** How a make-good stands at a moment. */
export function makeGoodState({ state, expiresAt }: MakeGood, now: Date): MakeGoodState {
  return state === 'offered' && Date.parse(expiresAt) <= now.getTime() ? 'expired' : state
}

/** Credits of an order that are offered and can still be accepted, by line, in micros: they are given back as soon as the buyer says so. */
export function offeredCredits({ makeGoods = [], cancellation, rejection }: MediaBuy, now: Date): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  if (cancellation || rejection) return sums
  for (const each of makeGoods)
    if (each.remedy === 'credit' && makeGoodState(each, now) === 'offered')
      sums.set(each.lineId, (sums.get(each.lineId) ?? 0) + (each.micros ?? 0))
  return sums
}

/** What a proposal needs to know of a line whose flight is over. */
export interface ShortLine {
  readonly startsAt: string
  readonly endsAt: string
  readonly missed: Shortfall
  /** What a flat price comes to; undefined for prices of units, of which the buyer pays what was delivered. */
  readonly flatMicros: number | undefined
  readonly currency: string
}

/** A line of an order of any origin, by its id in the ledger. */
export interface DeliveredLine {
  readonly orderId: string
  readonly lineId: string
  /** What its ad server counts; undefined: as the ledger has it. */
  readonly days: readonly DayMetrics[] | undefined
}

/** What a line was charged for what it delivered, in micros: as it was counted, and after discount and commission. */
export interface LineCharge {
  readonly grossMicros: number
  readonly netMicros: number
}

/**
 * What can be offered for a line that fell short: what is missing from now on, for as long as its flight took for that much; the same in a later flight as long as the first was, after a
 * week; and of a flat price what was charged for what was not delivered, see {@link creditMicros}. `charged`: undefined where no credit is asked for.
 */
export function proposedMakeGoods(line: ShortLine, charged: LineCharge | undefined, now: Date): MakeGoodTerms[] {
  const { startsAt, endsAt, missed } = line
  const { unit, ordered, delivered } = missed
  const missing = ordered - delivered
  const length = durationMs({ startsAt, endsAt })
  const soon = Math.max(DAY_MS, Math.ceil((length * missing) / ordered / DAY_MS) * DAY_MS)
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const goal = unit === 'impressions' && { impressions: missing }
  const credit = charged ? creditMicros(line, charged) : 0
  return [
    { remedy: 'additional_delivery', ...goal, startsAt: at(0), endsAt: at(soon) },
    { remedy: 'additional_delivery', ...goal, startsAt: at(7 * DAY_MS), endsAt: at(7 * DAY_MS + length) },
    ...(credit > 0 ? [{ remedy: 'credit' as const, micros: credit }] : []),
  ]
}

/**
 * What a flat price was charged beyond the share of it that was delivered, after the discount and the commission that were taken from it, in whole minor units. Days that were not charged, such as
 * those of a price by the day on which nothing was shown, are no part of it.
 */
function creditMicros({ missed: { ordered, delivered }, flatMicros, currency }: ShortLine, charged: LineCharge): number {
  const { grossMicros, netMicros } = charged
  if (flatMicros === undefined || grossMicros <= 0) return 0
  const unearnedMicros = Math.max(0, grossMicros - mulDivCeil(flatMicros, delivered, ordered))
  const minor = minorUnitMicros(currency)
  return Math.floor(mulDiv(netMicros, unearnedMicros, grossMicros) / minor) * minor
}

/** A package that fell short, as a proposal needs it. */
export function shortLineOf({ pricing, terms }: Package, missed: Shortfall): ShortLine {
  const isFlat = !isBilledByUnit(pricing.model) && terms.rateMicros > 0
  return {
    ...{ startsAt: terms.startsAt, endsAt: terms.endsAt, missed, currency: pricing.currency },
    flatMicros: isFlat ? commitmentMicros(pricing, terms) : undefined,
  }
}

/**
 * The line that delivers what a package missed, and the package as it is from then on. Prices of units: the rest of the budget goes to the new line, at the same price, so that the order costs no more. Flat
 * prices, and lines without a price: the new line is free.
 */
export function deliveredInAddition(
  pkg: Package,
  { impressions, startsAt, endsAt }: MakeGood,
  { packageId, spent, now }: { readonly packageId: string; readonly spent: Counted; readonly now: Date },
): { readonly old: Package; readonly added: Package } {
  const { pricing, terms, creativeLeadHours: _lead, recorded: _recorded, cancellationPolicy: _policy, ...kept } = pkg
  const isPaid = isBilledByUnit(pricing.model) && terms.rateMicros > 0
  const rest = isPaid ? Math.max(0, terms.budgetMicros - spent.spendMicros) : 0
  const from = now.toISOString()
  const goal = impressions === undefined || (isPaid && terms.impressions === undefined) ? {} : { impressions }
  const { impressions: _goal, ...priced } = terms
  const flight = { startsAt: startsAt !== undefined && startsAt > from ? startsAt : from, endsAt: endsAt ?? terms.endsAt }
  const added: Package = {
    ...kept,
    ...{ packageId, lineId: '', recorded: [], pastTerms: [], pastServing: pkg.needsCreatives ? [] : pkg.pastServing },
    pricing: isPaid ? pricing : { ...pricing, fixedMicros: 0, basis: 'fixed' },
    terms: { ...priced, ...flight, ...goal, from, budgetMicros: rest, ...(!isPaid && { rateMicros: 0 }), running: true },
    ...{ paused: false, reservedImpressions: pkg.guaranteed ? (impressions ?? 0) : 0 },
  }
  const old = isPaid ? { ...pkg, terms: { ...terms, budgetMicros: terms.budgetMicros - rest } } : pkg
  return { old: { ...old, reservedImpressions: 0 }, added }
}

/** The credits of make-goods that a change of an order accepted, as they are charged: each once. */
export function creditedMakeGoods(before: MediaBuy, after: MediaBuy): NewCharge[] {
  const known = new Set((before.makeGoods ?? []).filter(({ state }) => state === 'accepted').map(({ makeGoodId }) => makeGoodId))
  return (after.makeGoods ?? []).flatMap((each) => {
    const productId = after.packages.find(({ packageId }) => packageId === each.lineId)?.productId ?? ''
    return each.state !== 'accepted' || known.has(each.makeGoodId)
      ? []
      : creditOf(each, { orderId: after.mediaBuyId, productId, currency: after.currency })
  })
}

/** The charge of an accepted credit; none for other remedies. */
export function creditOf(
  { makeGoodId, lineId, remedy, micros = 0, reason, offeredBy, decidedAt = '' }: MakeGood,
  order: Pick<NewCharge, 'orderId' | 'productId' | 'currency'>,
): NewCharge[] {
  if (remedy !== 'credit' || micros <= 0) return []
  const charge = { chargeId: `credit_${makeGoodId}`, kind: 'make_good' as const, lineId, micros: -micros }
  return [{ ...charge, ...order, reason: `${MAKE_GOOD_REASON}${reason}`, incurredAt: decidedAt, madeBy: offeredBy }]
}

/** A make-good as answers to its buyer show it, in `ext.make_goods`; the protocol has no member for it. Money in units of `currency`; `net`: after discount and commission, without tax. */
export function presentMakeGood(makeGood: MakeGood, currency: string, now: Date) {
  const { makeGoodId, lineId, remedy, impressions, startsAt, endsAt, micros, reason, decidedAt, newLineId } = makeGood
  const state = makeGoodState(makeGood, now)
  return {
    ...{ make_good_id: makeGoodId, package_id: lineId, remedy, status: state, reason },
    ...(impressions !== undefined && { impressions }),
    ...(startsAt !== undefined && { start_time: startsAt }),
    ...(endsAt !== undefined && { end_time: endsAt }),
    ...(micros !== undefined && { amount: microsToAmount(micros), amount_basis: 'net', currency }),
    ...{ offered_at: makeGood.offeredAt, expires_at: makeGood.expiresAt },
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    ...(newLineId !== undefined && { new_package_id: newLineId }),
  }
}
