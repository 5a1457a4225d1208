import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient } from './client.ts'
import { customFieldValues } from './custom-fields.ts'
import { gamFrequencyCaps } from './frequency-caps.ts'
import type { GamOptions } from './gam-options.ts'
import type { GamParts } from './gam-parts.ts'
import { bookedRateMicros, goalOf, goalUnits, lineTypeOf, pricedOf, priorityOf } from './line-price.ts'
import { moneyOf } from './messages.ts'
import { gamTargeting, requireGamTargeting } from './targeting.ts'

/** `deliveryRateType` of paces. */
const PACES: Readonly<Record<Pacing, string>> = { even: 'EVENLY', asap: 'AS_FAST_AS_POSSIBLE', front_loaded: 'FRONTLOADED' }

export const GAM_PACING = ['even', 'asap', 'front_loaded'] as const satisfies readonly Pacing[]

/** Longest name of a line item is 255 characters. */
const MOST_NAME = 255

export type FieldParts = Pick<GamParts, 'options' | 'lookups' | 'clock'> & { readonly client: Pick<GamClient, 'network'> }

/** The API takes starts in the future only; a request takes some seconds to get there. */
const SOON_MS = 120_000

/** Throws AdcpError for a line that no call is needed to refuse: its product is not set up, or its price, cap or devices have no member. */
export function requireGamKeepable(options: Pick<GamOptions, 'products' | 'places' | 'audiences'>, settings: LineSettings): void {
  const { productId, targeting } = settings
  if (!Object.hasOwn(options.products, productId))
    throw new AdcpError('PRODUCT_UNAVAILABLE', `${productId} is not set up in its ad server yet; choose another product`, {
      field: 'product_id',
    })
  if (settings.price.model === 'flat_rate') requireEven(settings)
  else goalUnits(settings)
  pricedOf(settings)
  const product = options.products[productId]
  if (product) priorityOf(lineTypeOf(settings, product), product)
  gamFrequencyCaps(targeting?.frequency_cap)
  if (targeting) requireGamTargeting(options, targeting)
}

/** A share of what there is has no pace of its own. */
function requireEven({ pacing }: LineSettings): void {
  if (pacing === 'even') return
  throw new AdcpError('UNSUPPORTED_FEATURE', `pacing: ${pacing}; a flat price buys a share of every day in Google Ad Manager`, {
    field: 'pacing',
  })
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
  const { costType } = pricedOf(settings)
  const lineItemType = lineTypeOf(settings, product)
  const currency = await lookups.currency()
  const isGuaranteed = settings.priority === 'guaranteed'
  return {
    displayName: lineName(externalId, settings),
    externalLineItemId: externalId,
    startTime: new Date(Math.max(Date.parse(settings.startsAt), clock().getTime() + SOON_MS)).toISOString(),
    targetEndTime: settings.endsAt,
    lineItemType,
    costType,
    rate: moneyOf(bookedRateMicros(settings), currency),
    goal: goalOf(settings, product),
    deliveryRateType: PACES[settings.pacing],
    creativeRotationType: 'EVENLY',
    roadblockingType: product.roadblocking ?? 'ONE_OR_MORE',
    priority: String(priorityOf(lineItemType, product)),
    ...(product.labels && { appliedLabels: product.labels.map((id) => ({ label: `${client.network}/labels/${id}` })) }),
    ...(product.customFields && { customFieldValues: customFieldValues(client, product.customFields) }),
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
