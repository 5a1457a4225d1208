import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { mulDiv, mulDivCeil } from '../../domain/money.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Message } from './client.ts'
import type { GamProduct } from './gam-options.ts'

interface Priced {
  readonly costType: string
  readonly unitType: string
  /** Units that one price buys. */
  readonly per: number
  /** LineItemCostTypeEnum: whether lines that are not guaranteed may have it. */
  readonly nonGuaranteed: boolean
}

/** How prices are booked. The API has no line items by rating point, and none for half-seen videos. */
const PRICED: Readonly<Partial<Record<PricingModel, Priced>>> = {
  cpm: { costType: 'CPM', unitType: 'IMPRESSIONS', per: 1000, nonGuaranteed: true },
  vcpm: { costType: 'VCPM', unitType: 'VIEWABLE_IMPRESSIONS', per: 1000, nonGuaranteed: false },
  cpc: { costType: 'CPC', unitType: 'CLICKS', per: 1, nonGuaranteed: true },
  cpcv: { costType: 'CPCV', unitType: 'COMPLETED_VIEWS', per: 1, nonGuaranteed: false },
  flat_rate: { costType: 'CPD', unitType: 'IMPRESSIONS', per: 1, nonGuaranteed: true },
}

export const GAM_PRICING = ['cpm', 'vcpm', 'cpc', 'cpcv', 'flat_rate'] as const satisfies readonly PricingModel[]

/** Types of line items that are booked, with the priority that the network gives each by itself, the least and the most (LineItem.priority). */
const PRIORITIES: Readonly<Record<string, readonly [own: number, least: number, most: number]>> = {
  SPONSORSHIP: [4, 2, 5],
  STANDARD: [8, 6, 10],
  NETWORK: [12, 11, 14],
  BULK: [12, 11, 14],
  PRICE_PRIORITY: [12, 11, 14],
}

/** Types whose inventory is reserved. */
export const GUARANTEED_TYPES: readonly string[] = ['SPONSORSHIP', 'STANDARD']

type Terms = Pick<LineSettings, 'price' | 'priority'>

/** The type of a line: a share of what there is for a flat price, a number of units else. */
export function lineTypeOf({ price, priority }: Terms, { bulk = false }: Pick<GamProduct, 'bulk'>): string {
  if (price.model === 'flat_rate') return priority === 'guaranteed' ? 'SPONSORSHIP' : 'NETWORK'
  if (priority === 'guaranteed') return 'STANDARD'
  return bulk ? 'BULK' : 'PRICE_PRIORITY'
}

/** The priority of a line. Throws CONFIGURATION_ERROR for one of the product that its type cannot have. */
export function priorityOf(type: string, { priority }: Pick<GamProduct, 'priority'>): number {
  const [own, least, most] = PRIORITIES[type] ?? [12, 1, 16]
  if (priority === undefined) return own
  if (priority >= least && priority <= most) return priority
  const message = `adServer.options.products: the priority of a ${type} line is ${least} to ${most}, not ${priority}`
  throw new AdcpError('CONFIGURATION_ERROR', message)
}

/** How a price is booked. Throws AdcpError, UNSUPPORTED_FEATURE, for one that no line item has. */
export function pricedOf({ price, priority }: Terms): Priced {
  const priced = PRICED[price.model]
  const field = 'pricing_option_id'
  if (!priced)
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field}: ${price.model} pricing; it keeps ${GAM_PRICING.join(', ')}`, { field })
  if (priority === 'non_guaranteed' && !priced.nonGuaranteed) {
    const message = `${field}: ${price.model} pricing needs guaranteed delivery in Google Ad Manager`
    throw new AdcpError('UNSUPPORTED_FEATURE', message, { field })
  }
  return priced
}

/** Units that a line has to deliver: those that the budget buys at the rate that is charged, and no more impressions than were ordered. */
export function goalUnits(settings: LineSettings): number {
  const { per } = pricedOf(settings)
  const rate = settings.price.rateMicros
  const bought = rate === 0 ? Number.MAX_SAFE_INTEGER : mulDiv(settings.budgetMicros, per, rate)
  const { goalImpressions } = settings
  const units = settings.price.model === 'cpm' && goalImpressions !== null ? Math.min(bought, goalImpressions) : bought
  if (units < 1) throw new AdcpError('BUDGET_TOO_LOW', `budget: it buys no single unit at a rate of ${rate / 1_000_000}`)
  return units
}

/** `goal` of a line: a share of the impressions of each day for a flat price, a number of units else. */
export function goalOf(settings: LineSettings, { share = 100 }: Pick<GamProduct, 'share'>): Message {
  const { unitType } = pricedOf(settings)
  return settings.price.model === 'flat_rate'
    ? { goalType: 'DAILY', unitType, units: String(share) }
    : { goalType: 'LIFETIME', unitType, units: String(goalUnits(settings)) }
}

/** What a number of units costs, in micros. */
export function costMicros(settings: Terms, units: number): number {
  return mulDivCeil(units, settings.price.rateMicros, pricedOf(settings).per)
}

/** The rate that a line item is booked at, in micros: the bid in an auction, the part of a day of a flat price. What is charged is the rate of the order. */
export function bookedRateMicros({ price, startsAt, endsAt }: LineSettings): number {
  if (price.model !== 'flat_rate') return price.bidMicros ?? price.rateMicros
  const flightMs = Date.parse(endsAt) - Date.parse(startsAt)
  return mulDivCeil(price.rateMicros, DAY_MS, Math.max(DAY_MS, flightMs))
}
