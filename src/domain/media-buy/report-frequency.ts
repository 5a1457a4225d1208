import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Product } from '../product/product.ts'
import type { Package } from './media-buy.ts'

/** Finest first; a coarser report is made of finer figures. */
const FREQUENCIES = ['hourly', 'daily', 'monthly']

/**
 * Throws UNSUPPORTED_FEATURE for a `reporting_webhook` that wants figures more often than a product of the order has them (core/reporting-capabilities.json,
 * `available_reporting_frequencies`).
 */
export function requireReportFrequency(
  request: object,
  packages: readonly Pick<Package, 'productId'>[],
  products: ReadonlyMap<string, Product>,
): void {
  const webhook: unknown = Reflect.get(request, 'reporting_webhook')
  const wanted = FREQUENCIES.indexOf(String(isObject(webhook) ? webhook.reporting_frequency : undefined))
  if (wanted < 0) return
  for (const { productId } of packages) {
    const offered: readonly string[] = products.get(productId)?.offer.reporting_capabilities.available_reporting_frequencies ?? []
    const finest = FREQUENCIES.findIndex((each) => offered.includes(each))
    if (finest < 0 || wanted >= finest) continue
    const field = 'reporting_webhook.reporting_frequency'
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `${field}: ${productId} has no ${FREQUENCIES[wanted]} figures; it reports ${offered.join(', ')}`,
      {
        field,
        suggestion: `send "${FREQUENCIES[finest]}"`,
      },
    )
  }
}
