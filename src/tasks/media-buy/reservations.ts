import { spanOf } from '../../domain/media-buy/calendar-period.ts'
import { type HeldByPeriod, HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, type PeriodChange, requireCapacity, reservationSteps } from '../../domain/media-buy/inventory.ts'
import { type BookedBudget, type Booking, bookedBudget } from '../../domain/media-buy/shortage.ts'
import type { Product } from '../../domain/product/product.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { moveReservation, type Pool } from '../../store/media-buy/inventory.ts'
import { reservedNow, takeLapsedHolds } from '../../store/media-buy/inventory-holds.ts'

/** Inventory that is sold from, at a moment: holds that are over by then count no more. */
export interface PoolNow extends Pool {
  readonly now: Date
}

/** Products by id, for their capacities. */
export interface Capacities {
  get(productId: string): Pick<Product, 'selling'> | undefined
}

/** Moves the reservations from one state of a media buy to the next. Throws PRODUCT_UNAVAILABLE when a day gets sold twice. */
export async function reserve(
  tx: Db,
  pool: PoolNow,
  before: readonly Booking[],
  after: readonly Booking[],
  products: Capacities,
): Promise<void> {
  const lapsed = await lapsedFor(tx, pool, after)
  const byProduct = await inTurns(reservationSteps([...before, ...lapsed], after))
  for (const [productId, changes] of byProduct) {
    const held = await moveReservation(tx, pool, productId, changes)
    requireFits({ productId, changes, held }, before, after, products)
    if (byProduct.size > 1) await yieldToEventLoop()
  }
}

/** Throws what {@link reserve} would throw now, and moves nothing: what waits for a person, or goes to an ad server, has room. The reservation has the last word. */
export async function requireRoom(
  db: Db,
  pool: PoolNow,
  before: readonly Booking[],
  after: readonly Booking[],
  products: Capacities,
): Promise<void> {
  const byProduct = await inTurns(reservationSteps(before, after))
  for (const [productId, changes] of byProduct) {
    const fuller = changes.filter(({ delta }) => delta > 0).map(({ period }) => period)
    if (fuller.length === 0) continue
    const held = await reservedNow(db, pool, productId, spanOf(fuller), pool)
    for (const { period, delta } of changes) held.set(period, (held.get(period) ?? 0) + delta)
    requireFits({ productId, changes, held }, before, after, products)
    if (byProduct.size > 1) await yieldToEventLoop()
  }
}

interface Changed {
  readonly productId: string
  readonly changes: readonly PeriodChange[]
  /** After the changes. */
  readonly held: HeldByPeriod
}

/** Throws PRODUCT_UNAVAILABLE where more is held of a product than it has. */
function requireFits(
  { productId, changes, held }: Changed,
  before: readonly Booking[],
  after: readonly Booking[],
  products: Capacities,
): void {
  const capacity = products.get(productId)?.selling.dailyCapacity
  const index = after.findIndex((each) => each.productId === productId)
  const full = { changes, held: new HeldInventory(held) }
  if (capacity !== undefined)
    requireCapacity(productId, capacity, full, `packages[${index}]`, addedBudget(productId, before, after))
}

/** What comes to the budget of a product, and what its packages have already. */
function addedBudget(productId: string, before: readonly Booking[], after: readonly Booking[]): BookedBudget | undefined {
  const of = (bookings: readonly Booking[]) =>
    bookedBudget(bookings.filter((each) => each.productId === productId && each.reservedImpressions > 0))
  const [kept, all] = [of(before)?.micros ?? 0, of(after)]
  return all && { ...all, micros: all.micros - kept, keptMicros: kept }
}

/** Reserves what a proposal is to hold. Gives why it cannot, and has reserved nothing then; the transaction goes on. */
export async function tryReserve(
  tx: Db,
  pool: PoolNow,
  wanted: readonly Holding[],
  products: Capacities,
): Promise<string | undefined> {
  try {
    await reserve(tx, pool, [], wanted, products)
    return undefined
  } catch (error) {
    if (!(error instanceof AdcpError) || error.code !== 'PRODUCT_UNAVAILABLE') throw error
    await unreserveUpTo(tx, pool, wanted, error.details?.product_id)
    return error.message
  }
}

/** Takes back a reservation that stopped at a product: those before it, in their order, and its own. */
async function unreserveUpTo(tx: Db, pool: Pool, wanted: readonly Holding[], last: unknown): Promise<void> {
  for (const [productId, changes] of await inTurns(reservationSteps(wanted, []))) {
    await moveReservation(tx, pool, productId, changes)
    if (productId === last) return
  }
}

function lapsedFor(tx: Db, pool: PoolNow, after: readonly Holding[]) {
  const ids = [...new Set(after.filter(({ reservedImpressions }) => reservedImpressions > 0).map(({ productId }) => productId))]
  return takeLapsedHolds(tx, pool, ids, pool.now)
}
