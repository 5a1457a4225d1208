import { unitsPerPrice } from '../../domain/ad-serving/charged.ts'
import { type BilledUnit, billedQuantity, billedUnit } from '../../domain/billing/billed-quantity.ts'
import type { BilledService } from '../../domain/billing/billing-lines.ts'
import type { LineFacts } from '../../domain/billing/invoice-document.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { minorUnitMicros } from '../../domain/money.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import type { OperatorContext } from '../operator-context.ts'
import { nameProducts } from '../orders/name-order-parts.ts'

/** What is known of the lines that are billed: their orders, and the names of their products. */
export interface BilledOrders {
  readonly packages: ReadonlyMap<string, { readonly buy: MediaBuy; readonly pkg: Package }>
  readonly products: ReadonlyMap<string, string>
}

/** Orders that are read at once. */
const BATCH = 100

/** The orders and products of services. */
export async function billedOrders(
  context: OperatorContext,
  tenantId: string,
  services: readonly Pick<BilledService, 'mediaBuyId' | 'productId'>[],
): Promise<BilledOrders> {
  const ids = [...new Set(services.map(({ mediaBuyId }) => mediaBuyId))]
  const packages = new Map<string, { readonly buy: MediaBuy; readonly pkg: Package }>()
  for (let start = 0; start < ids.length; start += BATCH)
    for (const { buy } of await findTenantOrders(context.store.read, tenantId, ids.slice(start, start + BATCH)))
      for (const pkg of buy.packages) packages.set(pkg.packageId, { buy, pkg })
  const products = await nameProducts(
    context,
    tenantId,
    services.map(({ productId }) => productId),
  )
  return { packages, products }
}

/** What an invoice says of a service of `month`. */
export function serviceLine(service: BilledService, month: string, { packages, products }: BilledOrders): LineFacts {
  const { mediaBuyId: orderId, packageId: lineId, productId, serviceMonth, impressions, amountMicros, counts } = service
  const found = packages.get(lineId)
  const unit = found ? billedUnit(found.pkg.pricing.model) : 'fee'
  const quantity = counts ? billedQuantity(unit, counts) : unit === 'impressions' ? impressions : undefined
  return {
    kind: serviceMonth === month ? 'delivery' : 'adjustment',
    ...{ serviceMonth, orderId, lineId, productId },
    name: products.get(productId) ?? productId,
    ...(found && { orderName: [found.buy.brand?.domain, found.buy.name].filter((text) => text !== undefined).join(': ') }),
    ...(found?.buy.poNumber !== undefined && { poNumber: found.buy.poNumber }),
    ...priced(unit, quantity, amountMicros, found?.pkg),
    grossMicros: amountMicros,
  }
}

/** The quantity and the rate of an amount: the agreed rate where it gives the amount as it is payable, else the average. */
function priced(
  unit: BilledUnit,
  quantity: number | undefined,
  amountMicros: number,
  pkg: Package | undefined,
): Pick<LineFacts, 'unit' | 'quantity' | 'per' | 'rateMicros' | 'isAverage'> {
  if (quantity === undefined || quantity === 0 || !pkg) return { unit, per: 1 }
  const per = unitsPerPrice(pkg.pricing.model)
  const { rateMicros } = pkg.terms
  const isAgreed = Math.abs((quantity * rateMicros) / per - amountMicros) <= minorUnitMicros(pkg.pricing.currency) / 2
  if (isAgreed) return { unit, quantity, per, rateMicros }
  return { unit, quantity, per, rateMicros: Math.round((amountMicros * per) / quantity), isAverage: true }
}
