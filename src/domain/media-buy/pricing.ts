import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { slotsIn, timeUnits } from '../calendar/time-units.ts'
import { budgetToMicros, microsToAmount, minorUnitMicros, mulDiv, mulDivCeil, priceToMicros } from '../money.ts'
import type { PricingModel, PricingOption } from '../product/pricing-option.ts'
import { durationWords } from '../product/product.ts'
import { startDaysOf } from '../product/season.ts'
import { type Bid, memberAt } from './bid.ts'
import type { OrderTerms, Pricing } from './media-buy.ts'

/** Billed units that one price buys: prices are per thousand impressions for the mille models, per unit otherwise. */
const UNITS_PER_PRICE: { readonly [Model in PricingModel]: number } = {
  cpm: 1000,
  vcpm: 1000,
  cpc: 1,
  cpcv: 1,
  cpv: 1,
  /** Points are counted in thousandths, so that a package can buy a fraction of a rating point. */
  cpp: 1000,
  cpa: 1,
  flat_rate: 0,
  time: 0,
}

/** What one price buys, in words; absent: models that sell no count. */
const BOUGHT_BY_PRICE: { readonly [Model in PricingModel]?: string } = {
  cpm: 'one thousand impressions',
  vcpm: 'one thousand viewable impressions',
  cpc: 'one click',
  cpcv: 'one completed view',
  cpv: 'one view',
  cpp: 'one rating point',
  cpa: 'one conversion',
}

/** Whether delivery is billed by units (impressions, clicks, points …) rather than by the flight as a whole. */
export function isBilledByUnit(model: PricingModel): boolean {
  return UNITS_PER_PRICE[model] > 0
}

/** Copies what a pricing option fixes for the life of a package (AdCP pricing-options). `path` names it in errors; `timeZone` (IANA; absent UTC) is the publisher's, of whose calendar months are. */
export function pricingOf(option: PricingOption, path: string, timeZone?: string): Pricing {
  const floor = 'floor_price' in option ? option.floor_price : undefined
  const startDays = startDaysOf(option)
  const guide = 'price_guidance' in option ? option.price_guidance?.p50 : undefined
  return {
    pricingOptionId: option.pricing_option_id,
    model: option.pricing_model,
    basis: option.fixed_price === undefined ? 'auction' : 'fixed',
    currency: option.currency,
    ...(option.fixed_price !== undefined && { fixedMicros: priceToMicros(option.fixed_price, path) }),
    ...(floor !== undefined && { floorMicros: priceToMicros(floor, path) }),
    ...(guide !== undefined && { guideMicros: priceToMicros(guide, path) }),
    maxBid: 'max_bid' in option && option.max_bid === true,
    ...(option.min_spend_per_package !== undefined && {
      minSpendMicros: budgetToMicros(option.min_spend_per_package, option.currency, path),
    }),
    ...(option.price_breakdown !== undefined && { priceBreakdown: option.price_breakdown }),
    ...(startDays && { startDays }),
    ...parametersOf(option, timeZone),
  }
}

function parametersOf(option: PricingOption, timeZone: string | undefined): Partial<Pricing> {
  switch (option.pricing_model) {
    case 'cpp':
      return option.parameters.min_points === undefined ? {} : { minPoints: option.parameters.min_points }
    case 'flat_rate': {
      const { estimated_impressions: estimate, duration_hours: hours } = option.parameters ?? {}
      return {
        ...(estimate !== undefined && { estimatedImpressions: estimate }),
        ...(hours !== undefined && hours > 0 && { slotHours: hours }),
      }
    }
    case 'time': {
      const { time_unit: unit, min_duration: min, max_duration: max } = option.parameters
      const zone = unit === 'month' && timeZone !== undefined && timeZone !== 'UTC' && { timeZone }
      return { time: { unit, ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...zone } }
    }
    default:
      return {}
  }
}

export interface Rate {
  readonly rateMicros: number
  readonly bidMicros?: number
}

/**
 * The rule by which a line is charged, which its pricing option states: `fixed_price`; `first_price`: what is bid; `clearing_price`, where it says `max_bid`: the median of recent
 * bids that it publishes (`price_guidance.p50`), no less than the floor and no more than the bid.
 */
export const CHARGE_RULES = ['fixed_price', 'first_price', 'clearing_price'] as const
export type ChargeRule = (typeof CHARGE_RULES)[number]

export function chargeRuleOf({ fixedMicros, maxBid }: Pick<Pricing, 'fixedMicros' | 'maxBid'>): ChargeRule {
  if (fixedMicros !== undefined) return 'fixed_price'
  return maxBid ? 'clearing_price' : 'first_price'
}

/**
 * The price that delivery is charged at, on every ad server. A fixed price is charged whatever is bid. In an auction a bid is the exact price, or, where the option
 * says `max_bid`, a ceiling over a clearing price at the median of recent bids; without a bid the seller bids the median for
 * the buyer, and answers say so (`bid_price`). Throws INVALID_REQUEST naming the bid as it was sent when the bid is below the floor or the auction gives no other price.
 */
export function rateOf(pricing: Pricing, bid: Bid | undefined, path: string): Rate {
  if (pricing.fixedMicros !== undefined) return { rateMicros: pricing.fixedMicros }
  const field = memberAt(path, bid?.member ?? 'bid_price')
  const floor = pricing.floorMicros ?? 0
  if (bid === undefined) {
    const rateMicros = Math.max(pricing.guideMicros ?? floor, floor)
    if (rateMicros > 0) return { rateMicros, bidMicros: rateMicros }
    throw new AdcpError('INVALID_REQUEST', `${field} is required: the pricing option is an auction without a floor`, { field })
  }
  const bidMicros = priceToMicros(bid.amount, field)
  if (bidMicros < floor || bidMicros === 0) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `${field} is ${bid.amount}, below the floor price of ${microsToAmount(floor)} ${pricing.currency}`,
      {
        field,
        details: { floor_price: microsToAmount(floor) },
      },
    )
  }
  const clearing =
    chargeRuleOf(pricing) === 'clearing_price'
      ? Math.max(floor, Math.min(bidMicros, pricing.guideMicros ?? bidMicros))
      : bidMicros
  return { rateMicros: clearing, bidMicros }
}

/** Integers from here on may be an amount in micros; a bid of so much in major units is none that anybody makes. */
const LEAST_MICROS = 10_000

/**
 * Checks a bid that was sent: the budget has to buy at least what one price is for. Throws INVALID_REQUEST naming the bid as it was sent, with the bid that was meant where the
 * amount looks like micros. Fixed prices, and prices that sell no count, are not looked at.
 */
export function requireBidInBudget(
  pricing: Pricing,
  { budgetMicros, bidMicros }: Pick<OrderTerms, 'budgetMicros' | 'bidMicros'>,
  field: string,
): void {
  const bought = BOUGHT_BY_PRICE[pricing.model]
  if (pricing.fixedMicros !== undefined || bought === undefined || bidMicros === undefined || bidMicros <= budgetMicros) return
  const { currency, floorMicros = 1 } = pricing
  const bid = microsToAmount(bidMicros)
  const meant = bid / 1_000_000
  const looksLikeMicros = Number.isInteger(bid) && bid >= LEAST_MICROS && bid >= floorMicros
  const hint = looksLikeMicros
    ? `${bid} looks like micros; amounts are in major units: ${meant}`
    : 'send a lower bid or a larger budget; amounts are in major units'
  const message = `${field} is ${bid} ${currency}, and the whole budget of ${microsToAmount(budgetMicros)} does not buy ${bought} for it: ${hint}`
  throw new AdcpError('INVALID_REQUEST', message, { field })
}

/**
 * The price of a whole flight, in micros, where the price goes by the flight: every started time unit, every started slot of a flat price, or the flat price
 * once where the option names no slot; undefined for prices of delivery.
 */
export function flightPriceMicros(pricing: Pricing, terms: Flight & Pick<OrderTerms, 'rateMicros'>): number | undefined {
  if (pricing.time) return terms.rateMicros * unitsOf(pricing.time, terms)
  if (pricing.model !== 'flat_rate') return undefined
  return terms.rateMicros * (pricing.slotHours === undefined ? 1 : slotsIn(terms, pricing.slotHours))
}

/** Started units of time of a flight, as its package is priced by them. */
export function unitsOf({ unit, timeZone }: NonNullable<Pricing['time']>, { startsAt, endsAt }: Flight): number {
  return timeUnits(unit, { startsAt, endsAt, timeZone })
}

/** The most that a version of an order can cost, in payable micros: the flat or time price, else what the goal costs, else the budget. */
export function commitmentMicros(pricing: Pricing, terms: Omit<OrderTerms, 'from' | 'running' | 'pacing'>): number {
  const { rateMicros, budgetMicros, impressions } = terms
  const flightPrice = flightPriceMicros(pricing, terms)
  if (flightPrice !== undefined) return Math.min(flightPrice, budgetMicros)
  if (pricing.model === 'cpm' && impressions !== undefined) {
    const minor = minorUnitMicros(pricing.currency)
    return Math.min(budgetMicros, Math.ceil(mulDivCeil(impressions, rateMicros, UNITS_PER_PRICE.cpm) / minor) * minor)
  }
  return budgetMicros
}

/** Billed units that an amount buys at a price; 0 when the price is nothing or the model does not bill by unit. */
export function unitsFor(model: PricingModel, spendMicros: number, rateMicros: number): number {
  return rateMicros === 0 ? 0 : mulDiv(spendMicros, UNITS_PER_PRICE[model], rateMicros)
}

/** Whose budget is checked: its place in the request, its product, and the member of the request that says when it ends. */
export interface BudgetOwner {
  readonly path: string
  readonly productId: string
  readonly endField: string
}

/**
 * Checks that a budget is enough: positive, at least the option's minimum, at least the flat or time price or the minimum of
 * rating points. Throws BUDGET_TOO_LOW naming `<path>.budget` with the minimum, and INVALID_REQUEST for a duration that a
 * time-priced option does not sell.
 */
export function requireBudget(
  pricing: Pricing,
  terms: Omit<OrderTerms, 'from' | 'running' | 'pacing'>,
  { path, productId, endField }: BudgetOwner,
): void {
  const { budgetMicros, rateMicros } = terms
  if (pricing.time) requireDuration(terms, pricing.time, { path, productId, endField })
  const flightPrice = flightPriceMicros(pricing, terms) ?? 0
  let minimum = Math.max(pricing.minSpendMicros ?? 0, rateMicros > 0 ? minorUnitMicros(pricing.currency) : 0, flightPrice)
  if (pricing.model === 'cpp' && pricing.minPoints !== undefined)
    minimum = Math.max(minimum, Math.ceil(rateMicros * pricing.minPoints))
  if (budgetMicros >= minimum) return
  const sent = microsToAmount(budgetMicros)
  const message = `${path}.budget is ${sent}, below the minimum of ${microsToAmount(minimum)} ${pricing.currency}`
  const { startsAt, endsAt } = terms
  const isOfFlight = minimum === flightPrice && flightPrice > rateMicros
  throw new AdcpError('BUDGET_TOO_LOW', isOfFlight ? `${message}, the price of the flight ${startsAt} to ${endsAt}` : message, {
    field: `${path}.budget`,
    ...(isOfFlight && { suggestion: `send a budget of ${microsToAmount(minimum)} with these dates, or a shorter flight` }),
    details: { minimum_budget: microsToAmount(minimum), currency: pricing.currency },
  })
}

function requireDuration(
  { startsAt, endsAt }: Flight,
  time: NonNullable<Pricing['time']>,
  { path, productId, endField }: BudgetOwner,
): void {
  const { unit, min = 1, max = Number.POSITIVE_INFINITY } = time
  const units = unitsOf(time, { startsAt, endsAt })
  if (units >= min && units <= max) return
  const sold = durationWords(unit, min, max)
  throw new AdcpError(
    'INVALID_REQUEST',
    `${endField}: ${productId} is sold for ${sold}, and ${startsAt} to ${endsAt} is ${durationWords(unit, units, units)}`,
    {
      field: endField,
      suggestion:
        units > max
          ? `send ${path}.start_time and ${path}.end_time with ${sold} between them, inside the flight of the media buy`
          : `send a flight of ${sold}`,
    },
  )
}
