import { plannedAvailability } from '../../ad-serving/planned-availability.ts'
import type { Flight } from '../../domain/calendar/flight.ts'
import type { OpenWeek } from '../../domain/calendar/open-week.ts'
import type { Period } from '../../domain/media-buy/calendar-period.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { reservationSteps } from '../../domain/media-buy/inventory.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { plannedImpressions } from '../../domain/media-buy/planned-impressions.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import type { Pool } from '../../store/media-buy/inventory.ts'
import { type ReservedAt, reservedNow } from '../../store/media-buy/inventory-holds.ts'
import { findProduct } from '../../store/product/products.ts'

/** A product of an order and the inventory of its flight, in impressions. */
export interface ProductInventory {
  readonly product_id: string
  readonly name: string
  /** What the order would take, or is expected to bring. */
  readonly asked: number
  /** What it takes before a change; undefined for a new order. */
  readonly before: number | undefined
  /** What other orders leave of the flight's days; undefined for a product that is gone. */
  readonly left: number | undefined
  /** Whether an even spread of `asked` fits on each day. */
  readonly fits: boolean
}

/** The packages of an order as its buyer wants them, and as they are now: none of a new order. */
interface Wanted {
  readonly packages: readonly Package[]
  readonly now: readonly Package[]
}

/** What an order takes of each product, and what other orders leave of it at a moment. A change shows the products in which something changes. */
export async function decisionInventory(
  db: Db,
  pool: Pool,
  { packages, now }: Wanted,
  at: ReservedAt,
): Promise<readonly ProductInventory[]> {
  const current = new Map(wishesOf(now).map((wish) => [wish.productId, wish]))
  const own = await inTurns(reservationSteps(now, []))
  const found: ProductInventory[] = []
  for (const wish of wishesOf(packages)) {
    const before = current.get(wish.productId)
    if (before && JSON.stringify(before) === JSON.stringify(wish)) continue
    const released = new Map((own.get(wish.productId) ?? []).map(({ period, delta }) => [period, delta]))
    const inventory = await inventoryOf(db, pool, wish, { ...at, released })
    found.push({ ...inventory, before: now.length === 0 ? undefined : (before?.asked ?? 0) })
  }
  return found
}

interface Wish {
  readonly productId: string
  readonly flight: Flight
  readonly asked: number
  /** Where all packages of it are shown in the same hours alone. */
  readonly openWeek?: OpenWeek
}

/** By product: packages of one product share its inventory. */
function wishesOf(packages: readonly Package[]): readonly Wish[] {
  const wishes = new Map<string, Wish>()
  for (const { productId, pricing, terms, cancellation, openWeek } of packages) {
    if (cancellation) continue
    const before = wishes.get(productId)
    const flight = {
      startsAt: before && before.flight.startsAt < terms.startsAt ? before.flight.startsAt : terms.startsAt,
      endsAt: before && before.flight.endsAt > terms.endsAt ? before.flight.endsAt : terms.endsAt,
    }
    const asked = (before?.asked ?? 0) + plannedImpressions(pricing, terms)
    const isOpen = openWeek !== undefined && (!before || before.openWeek === openWeek)
    wishes.set(productId, { productId, flight, asked, ...(isOpen && { openWeek }) })
  }
  return [...wishes.values()]
}

/** `released`: what the order itself holds, by period, as negative numbers: it is not in its own way. */
async function inventoryOf(
  db: Db,
  pool: Pool,
  { productId, flight, asked, openWeek }: Wish,
  { released, ...at }: ReservedAt & { readonly released: ReadonlyMap<Period, number> },
): Promise<Omit<ProductInventory, 'before'>> {
  const product = await findProduct(db, pool.tenantId, productId)
  if (!product) return { product_id: productId, name: productId, asked, left: undefined, fits: false }
  const days = { first: flight.startsAt.slice(0, 10), last: flight.endsAt.slice(0, 10) }
  const reserved = await reservedNow(db, pool, productId, days, at)
  const others = new Map([...reserved].map(([period, held]) => [period, Math.max(0, held + (released.get(period) ?? 0))]))
  const dailyCapacity = product.selling.daily_capacity
  const query = {
    productId,
    flight,
    impressions: asked,
    dailyCapacity,
    held: new HeldInventory(others),
    ...(openWeek && { openWeek }),
  }
  const [found] = await plannedAvailability([query])
  return { product_id: productId, name: product.name, asked, left: found?.available ?? 0, fits: found?.sufficient === true }
}
