import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { requireOpenHours } from '../../domain/media-buy/open-hours.ts'
import type { WithTotal } from '../../domain/media-buy/redistribute.ts'
import type { Product } from '../../domain/product/product.ts'
import type { ChangeContext } from './plan-update.ts'

interface Publisher extends Pick<ChangeContext, 'tenant'> {
  readonly services: { readonly wiring: { readonly timeZone: string } }
}

type Products = ReadonlyMap<string, Product>

/** Throws what {@link requireOpenHours} throws for the packages of a new order, which are those of its request in their order. */
export function requireHours(context: Publisher, { packages }: MediaBuy, products: Products): void {
  for (const [index, pkg] of packages.entries()) requireHoursOf(context, pkg, products, `packages[${index}]`)
}

/** The same for what a change adds, and for packages whose hours, flight or impressions it changes. */
export function requireChangedHours(
  context: Publisher,
  before: MediaBuy,
  sent: WithTotal,
  after: MediaBuy,
  products: Products,
): void {
  const known = new Map(before.packages.map((pkg) => [pkg.packageId, pkg]))
  for (const [index, pkg] of after.packages.entries()) {
    const old = known.get(pkg.packageId)
    if (pkg.cancellation || (old && isAsBefore(old, pkg))) continue
    const place = sent.packages?.findIndex(({ package_id: id }) => id === pkg.packageId) ?? -1
    const path = place >= 0 ? `packages[${place}]` : `new_packages[${index - before.packages.length}]`
    requireHoursOf(context, pkg, products, old && place < 0 ? 'packages' : path)
  }
}

function isAsBefore(before: Package, after: Package): boolean {
  return (
    before.targetingOverlay?.daypart_targets === after.targetingOverlay?.daypart_targets &&
    before.reservedImpressions >= after.reservedImpressions &&
    before.terms.startsAt === after.terms.startsAt &&
    before.terms.endsAt === after.terms.endsAt
  )
}

function requireHoursOf({ tenant, services }: Publisher, pkg: Package, products: Products, path: string): void {
  requireOpenHours(pkg, products.get(pkg.productId), { timeZone: timeZoneOf(tenant.settings, services.wiring.timeZone), path })
}
