import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { type PublisherClock, publisherClock, requireOpenHours, withOpenWeek } from '../../domain/media-buy/open-hours.ts'
import type { WithTotal } from '../../domain/media-buy/redistribute.ts'
import type { Product } from '../../domain/product/product.ts'
import type { ChangeContext } from './plan-update.ts'

interface Publisher extends Pick<ChangeContext, 'tenant'> {
  readonly services: { readonly wiring: { readonly timeZone: string } }
}

type Products = ReadonlyMap<string, Product>

/** A new order whose packages hold inventory in the hours that they are open. Throws what {@link requireOpenHours} throws for its packages, which are those of its request in their order. */
export function withHours(context: Publisher, buy: MediaBuy, products: Products): MediaBuy {
  const clock = clockOf(context)
  return { ...buy, packages: buy.packages.map((pkg, index) => withHoursOf(clock, pkg, products, `packages[${index}]`)) }
}

/** The same for what a change adds, and for packages whose hours, flight or impressions it changes; others hold what they held. */
export function withChangedHours(
  context: Publisher,
  before: MediaBuy,
  sent: WithTotal,
  after: MediaBuy,
  products: Products,
): MediaBuy {
  const clock = clockOf(context)
  const known = new Map(before.packages.map((pkg) => [pkg.packageId, pkg]))
  const packages = after.packages.map((pkg, index) => {
    const old = known.get(pkg.packageId)
    if (pkg.cancellation || (old && isAsBefore(old, pkg))) return pkg
    const place = sent.packages?.findIndex(({ package_id: id }) => id === pkg.packageId) ?? -1
    const path = place >= 0 ? `packages[${place}]` : `new_packages[${index - before.packages.length}]`
    return withHoursOf(clock, pkg, products, old && place < 0 ? 'packages' : path)
  })
  return { ...after, packages }
}

function isAsBefore(before: Package, after: Package): boolean {
  return (
    before.targetingOverlay?.daypart_targets === after.targetingOverlay?.daypart_targets &&
    before.reservedImpressions >= after.reservedImpressions &&
    before.terms.startsAt === after.terms.startsAt &&
    before.terms.endsAt === after.terms.endsAt
  )
}

function clockOf({ tenant, services }: Publisher): PublisherClock {
  return publisherClock(timeZoneOf(tenant.settings, services.wiring.timeZone))
}

function withHoursOf(clock: PublisherClock, pkg: Package, products: Products, path: string): Package {
  requireOpenHours(pkg, products.get(pkg.productId), { clock, path })
  return withOpenWeek(pkg, clock)
}
