import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import { mulDiv, mulDivCeil } from '../../domain/money.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient } from './client.ts'
import { gamFrequencyCaps } from './frequency-caps.ts'
import type { GamOptions } from './gam-options.ts'
import type { GamParts } from './gam-parts.ts'
import { moneyOf } from './messages.ts'
import { gamTargeting, requireGamTargeting } from './targeting.ts'

interface Priced {
  readonly costType: string
  readonly unitType: string
  /** Units that one price buys. */
  readonly per: number
  /** LineItemCostTypeEnum: whether lines of PRICE_PRIORITY may have it. */
  readonly nonGuaranteed: boolean
}

/** How prices are booked. The API has no line items by rating point or time, and none for half-seen videos. */
const PRICED: Readonly<Partial<Record<PricingModel, Priced>>> = {
  cpm: { costType: 'CPM', unitType: 'IMPRESSIONS', per: 1000, nonGuaranteed: true },
  vcpm: { costType: 'VCPM', unitType: 'VIEWABLE_IMPRESSIONS', per: 1000, nonGuaranteed: false },
  cpc: { costType: 'CPC', unitType: 'CLICKS', per: 1, nonGuaranteed: true },
  cpcv: { costType: 'CPCV', unitType: 'COMPLETED_VIEWS', per: 1, nonGuaranteed: false },
}

export const GAM_PRICING = ['cpm', 'vcpm', 'cpc', 'cpcv'] as const satisfies readonly PricingModel[]

/** `deliveryRateType` of paces. */
const PACES: Readonly<Record<Pacing, string>> = { even: 'EVENLY', asap: 'AS_FAST_AS_POSSIBLE', front_loaded: 'FRONTLOADED' }

export const GAM_PACING = ['even', 'asap', 'front_loaded'] as const satisfies readonly Pacing[]

/** Longest name of a line item is 255 characters. */
const MOST_NAME = 255

export type FieldParts = Pick<GamParts, 'options' | 'lookups' | 'clock'> & { readonly client: Pick<GamClient, 'network'> }

/** What the network gives lines of these types by itself. */
const GUARANTEED_PRIORITY = 8
const PRICE_PRIORITY = 12

/** The API takes starts in the future only; a request takes some seconds to get there. */
const SOON_MS = 120_000

/** The rate that a line item competes with, in micros: the bid in an auction. What is charged is the rate of the order. */
function competingMicros({ price }: Pick<LineSettings, 'price'>): number {
  return price.bidMicros ?? price.rateMicros
}

function pricedOf({ price, priority }: Pick<LineSettings, 'price' | 'priority'>): Priced {
  const priced = PRICED[price.model]
  if (!priced)
    throw new AdcpError('UNSUPPORTED_FEATURE', `pricing_option_id: ${price.model} pricing; it keeps ${GAM_PRICING.join(', ')}`)
  if (priority === 'non_guaranteed' && !priced.nonGuaranteed)
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `pricing_option_id: ${price.model} pricing needs guaranteed delivery in Google Ad Manager`,
    )
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

/** What a number of units costs, in micros. */
export function costMicros(settings: Pick<LineSettings, 'price' | 'priority'>, units: number): number {
  return mulDivCeil(units, settings.price.rateMicros, pricedOf(settings).per)
}

/** Throws AdcpError for a line that no call is needed to refuse: its product is not set up, or its price, cap or devices have no member. */
export function requireGamKeepable(options: Pick<GamOptions, 'products' | 'places' | 'audiences'>, settings: LineSettings): void {
  const { productId, targeting } = settings
  if (!Object.hasOwn(options.products, productId))
    throw new AdcpError('PRODUCT_UNAVAILABLE', `${productId} is not set up in its ad server yet; choose another product`, {
      field: 'product_id',
    })
  goalUnits(settings)
  gamFrequencyCaps(targeting?.frequency_cap)
  if (targeting) requireGamTargeting(options, targeting)
}

/** Name of a line item: its order's name is too long to repeat. */
function lineName(externalId: string, { productId }: LineSettings): string {
  return `${productId} / ${externalId}`.slice(-MOST_NAME)
}

/** The members of a line item that we write: the list of what is compared follows from it. Throws AdcpError, a refusal, for what cannot be mapped. */
export async function fieldsOf(externalId: string, settings: LineSettings, { client, options, lookups, clock }: FieldParts) {
  const product = Object.hasOwn(options.products, settings.productId) ? options.products[settings.productId] : undefined
  if (!product)
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      `adServer.options.products has no "${settings.productId}"; name its ad units or placements, and sizes`,
    )
  const { costType, unitType } = pricedOf(settings)
  const currency = await lookups.currency()
  const isGuaranteed = settings.priority === 'guaranteed'
  return {
    displayName: lineName(externalId, settings),
    externalLineItemId: externalId,
    startTime: new Date(Math.max(Date.parse(settings.startsAt), clock().getTime() + SOON_MS)).toISOString(),
    targetEndTime: settings.endsAt,
    lineItemType: isGuaranteed ? 'STANDARD' : 'PRICE_PRIORITY',
    costType,
    rate: moneyOf(competingMicros(settings), currency),
    goal: { goalType: 'LIFETIME', unitType, units: String(goalUnits(settings)) },
    deliveryRateType: PACES[settings.pacing],
    creativeRotationType: 'EVENLY',
    roadblockingType: 'ONE_OR_MORE',
    priority: String(isGuaranteed ? GUARANTEED_PRIORITY : PRICE_PRIORITY),
    environmentType: product.video ? 'VIDEO_PLAYER' : 'BROWSER',
    creativePlaceholders: product.sizes.map((size) => {
      const [width = 0, height = 0] = size.split('x').map(Number)
      return { size: { width, height, sizeType: 'PIXEL' } }
    }),
    targeting: await gamTargeting(client.network, product, settings.targeting, lookups),
    frequencyCaps: gamFrequencyCaps(settings.targeting?.frequency_cap),
    ...(isGuaranteed && options.overbook && { allowOverbook: true }),
  }
}

/** A line item as we write it. */
export type LineFields = Awaited<ReturnType<typeof fieldsOf>>
