import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { ALWAYS_REPORTED, currentMetrics } from '../current-metrics.ts'
import type { Product } from '../product/product.ts'
import type { Package } from './media-buy.ts'

/**
 * Throws UNSUPPORTED_FEATURE for a `reporting_webhook` whose rhythm a product of the order does not list (core/reporting-webhook.json: all products of the media buy
 * have to support it; core/reporting-capabilities.json, `available_reporting_frequencies`).
 */
export function requireReportFrequency(
  request: object,
  packages: readonly Pick<Package, 'productId'>[],
  products: ReadonlyMap<string, Product>,
): void {
  const wanted = webhookOf(request)?.reporting_frequency
  if (typeof wanted !== 'string') return
  const offers = packages.flatMap(({ productId: id }) => {
    const product = products.get(id)
    return product ? [{ id, offered: frequenciesOf(product) }] : []
  })
  const refusing = offers.find(({ offered }) => !offered.includes(wanted))
  if (!refusing) return
  const field = 'reporting_webhook.reporting_frequency'
  const common = refusing.offered.filter((each) => offers.every(({ offered }) => offered.includes(each)))
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `${field}: ${refusing.id} has no ${wanted} reports; it reports ${refusing.offered.join(', ')}`,
    {
      field,
      suggestion:
        common.length > 0
          ? `send ${common.map((each) => `"${each}"`).join(' or ')}; get_media_buy_delivery sums up any other days`
          : 'the products have no rhythm in common: order them apart, or leave reporting_webhook out and ask get_media_buy_delivery',
    },
  )
}

function frequenciesOf({ offer }: Product): readonly string[] {
  return offer.reporting_capabilities.available_reporting_frequencies
}

/**
 * The sentence on metrics of `requested_metrics` that no product of the order reports (core/reporting-webhook.json: a subset of the product's `available_metrics`): its
 * webhooks come without them.
 */
export function unreportedNote(
  request: object,
  packages: readonly Pick<Package, 'productId'>[],
  products: ReadonlyMap<string, Product>,
): string[] {
  const asked: unknown = webhookOf(request)?.requested_metrics
  if (!Array.isArray(asked)) return []
  const wanted = currentMetrics(asked.filter((each) => typeof each === 'string'))
  const reported = new Set<string>(
    packages.flatMap(({ productId }) => products.get(productId)?.offer.reporting_capabilities.available_metrics ?? []),
  )
  const missing = wanted.filter((metric) => !ALWAYS_REPORTED.has(metric) && !reported.has(metric))
  if (missing.length === 0) return []
  const there = [...new Set([...ALWAYS_REPORTED, ...reported])].join(', ')
  return [
    `reporting_webhook.requested_metrics: no product of the order reports ${missing.join(', ')}, and its reports come without; they have ${there}.`,
  ]
}

function webhookOf(request: object): Readonly<Record<string, unknown>> | undefined {
  const webhook: unknown = Reflect.get(request, 'reporting_webhook')
  return isObject(webhook) ? webhook : undefined
}
