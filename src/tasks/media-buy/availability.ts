import type { Availability, AvailabilityQuery } from '../../ad-serving/ad-server.ts'
import { plannedAvailability } from '../../ad-serving/planned-availability.ts'
import type { Flight } from '../../domain/calendar/flight.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import type { Holding } from '../../domain/media-buy/inventory.ts'
import type { Product } from '../../domain/product/product.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type Hold, reservedNow } from '../../store/media-buy/inventory-holds.ts'
import { adServerOf, type OrderContext, poolOf } from './orders.ts'

/** What is wanted of one product over one flight. */
export interface Wish {
  readonly productId: string
  readonly product: Pick<Product, 'selling'>
  readonly flight: Flight
  /** 0: only what is left is asked for. */
  readonly impressions: number
}

/**
 * What is left of products in flights, in the order of the wishes: this is what forecasts, plans and orders go by. What orders and holds have taken is counted, and the
 * ad server is asked, over a network: never in a transaction, where `isAsked: false` leaves it at the book. A forecast that cannot be had
 * leaves it at the book too, and fails an order (`isRequired`). `own`: what the order's own proposal holds.
 */
export async function availabilityOf(
  context: OrderContext,
  wishes: readonly Wish[],
  { own = [], isAsked = true, isRequired = false }: AskOptions = {},
): Promise<readonly Availability[]> {
  if (wishes.length === 0) return []
  const held = await heldOf(context, wishes, own)
  const queries = wishes.map(
    ({ productId, flight, impressions, product }): AvailabilityQuery => ({
      productId,
      flight,
      impressions,
      dailyCapacity: product.selling.dailyCapacity,
      held: held.get(productId) ?? new HeldInventory(new Map()),
    }),
  )
  if (!isAsked) return plannedAvailability(queries)
  try {
    return await adServerOf(context).checkAvailability(queries)
  } catch (error) {
    if (isRequired || !(error instanceof AdcpError)) throw error
    return plannedAvailability(queries)
  }
}

interface AskOptions {
  readonly own?: readonly Hold[]
  readonly isAsked?: boolean
  readonly isRequired?: boolean
}

/**
 * Asks the ad server for the guaranteed packages that take more than before. Throws PRODUCT_UNAVAILABLE for the first that does not fit. The reservation in the
 * transaction has the last word; this one spares an order that would have to be canceled again. `own`: what the order's own proposal holds.
 */
export async function requireAvailability(
  context: OrderContext,
  packages: readonly Holding[],
  products: ReadonlyMap<string, Product>,
  own: readonly Hold[] = [],
): Promise<void> {
  const wishes = wishesOf(packages, products)
  const answers = await availabilityOf(context, wishes, { own, isRequired: true })
  for (const [index, wish] of wishes.entries()) {
    const answer = answers[index]
    if (answer && !answer.sufficient) throw soldOut(answer, wish.impressions, wish.packageIndex)
  }
}

/** What the packages of an order want of one product over one flight, together. */
interface PackageWish extends Wish {
  /** Position of the first of the packages. */
  readonly packageIndex: number
}

function wishesOf(packages: readonly Holding[], products: ReadonlyMap<string, Product>): PackageWish[] {
  const wishes = new Map<string, PackageWish>()
  for (const [packageIndex, { productId, reservedImpressions, terms }] of packages.entries()) {
    const product = products.get(productId)
    if (!product || reservedImpressions === 0) continue
    const key = JSON.stringify([productId, terms.startsAt, terms.endsAt])
    const known = wishes.get(key)
    const impressions = (known?.impressions ?? 0) + reservedImpressions
    wishes.set(key, { packageIndex, productId, product, flight: terms, ...known, impressions })
  }
  return [...wishes.values()]
}

/** What is held already of each product over all flights that want it: one query a product, other calls run in between. */
async function heldOf(context: OrderContext, wishes: readonly Wish[], own: readonly Hold[]): Promise<Map<string, HeldInventory>> {
  const spans = new Map<string, { first: string; last: string }>()
  for (const { productId, flight } of wishes) {
    const [first, last] = [flight.startsAt.slice(0, 10), flight.endsAt.slice(0, 10)]
    const known = spans.get(productId) ?? { first, last }
    spans.set(productId, { first: first < known.first ? first : known.first, last: last > known.last ? last : known.last })
  }
  const held = new Map<string, HeldInventory>()
  for (const [productId, span] of spans) {
    const reserved = await reservedNow(context.db, poolOf(context), productId, span, { now: context.now, own })
    held.set(productId, new HeldInventory(reserved))
    if (spans.size > 1) await yieldToEventLoop()
  }
  return held
}

function soldOut({ productId, available }: Availability, requested: number, index: number): AdcpError {
  return new AdcpError('PRODUCT_UNAVAILABLE', `${productId} does not have enough inventory left in this flight`, {
    field: `packages[${index}].product_id`,
    suggestion: 'lower the budget, move the flight, or choose a different product',
    details: { product_id: productId, available_impressions: available, requested_impressions: requested },
  })
}
