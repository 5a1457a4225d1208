import type { Availability, AvailabilityQuery } from '../../ad-serving/ad-server.ts'
import { plannedAvailability } from '../../ad-serving/planned-availability.ts'
import type { Flight } from '../../domain/calendar/flight.ts'
import type { OpenWeek } from '../../domain/calendar/open-week.ts'
import { groupBy } from '../../domain/group-by.ts'
import { rememberedDayText } from '../../domain/media-buy/flight.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { sharesOf } from '../../domain/media-buy/inventory.ts'
import { type Booking, bookedBudget, type Shortage, shownShortageOf, soldOut } from '../../domain/media-buy/shortage.ts'
import { shownRoom } from '../../domain/media-buy/shown-room.ts'
import type { Product } from '../../domain/product/product.ts'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { mapInTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type Hold, reservedNow } from '../../store/media-buy/inventory-holds.ts'
import { adServerOf, type OrderContext, poolOf } from './orders.ts'

type TargetedBooking = Booking & { readonly targetingOverlay?: TargetingOverlay | undefined }

/** What is wanted of one product over one flight. */
export interface Wish {
  readonly productId: string
  readonly product: Pick<Product, 'selling'>
  readonly flight: Flight
  /** 0: only what is left is asked for. */
  readonly impressions: number
  readonly targeting?: TargetingOverlay
  /** The hours of a week in which they are to be shown; absent: all. */
  readonly openWeek?: OpenWeek
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
): Promise<readonly ShownAvailability[]> {
  if (wishes.length === 0) return []
  const held = await heldOf(context, wishes, own)
  const queries = wishes.map(
    ({ productId, flight, impressions, product, targeting, openWeek }): AvailabilityQuery => ({
      ...(targeting && { targeting }),
      ...(openWeek !== undefined && { openWeek }),
      productId,
      flight,
      impressions,
      dailyCapacity: product.selling.dailyCapacity,
      held: held.get(productId) ?? new HeldInventory(new Map()),
    }),
  )
  if (!isAsked) return shownToBuyers(queries, await plannedAvailability(queries))
  try {
    return await shownToBuyers(queries, await adServerOf(context).checkAvailability(queries))
  } catch (error) {
    if (isRequired || !(error instanceof AdcpError)) throw error
    return shownToBuyers(queries, await plannedAvailability(queries))
  }
}

/** What is left as a buyer sees it. `sufficient` is exact: orders go by it. `fitsShown`: enough by what the buyer sees, which plans and the words of refusals go by. */
export interface ShownAvailability extends Availability {
  readonly fitsShown: boolean
  /** What decides where it is not enough: the days that are full, and how much fits. Absent where it is. */
  readonly shortage?: Shortage
}

/** A flight of a year by open hours takes some tenths of a millisecond, and an order has hundreds of packages. */
const ANSWERS_OF_A_STEP = 2

function shownToBuyers(
  queries: readonly AvailabilityQuery[],
  answers: readonly Availability[],
): Promise<readonly ShownAvailability[]> {
  const textOf = rememberedDayText()
  const shown = (each: Availability, index: number): ShownAvailability => {
    const available = shownRoom(each.available)
    const query = queries[index]
    const inBook = query && shownShortageIn(query, textOf)
    const fitsShown = each.sufficient && query !== undefined && !inBook && query.impressions <= available
    return { ...each, available, fitsShown, ...(query && !fitsShown && { shortage: shortageFor(query, inBook, available) }) }
  }
  return mapInTurns(answers, shown, ANSWERS_OF_A_STEP)
}

/** What the book lacks for a wish, as its buyer sees it. */
function shownShortageIn(
  { impressions, flight, dailyCapacity, held, openWeek }: AvailabilityQuery,
  textOf: (day: number) => string,
): Shortage | undefined {
  const wanted = sharesOf(impressions, flight, { openWeek, textOf }).map(({ period, impressions: delta }) => ({ period, delta }))
  return shownShortageOf(wanted, (period) => dailyCapacity - held.mostIn(period))
}

interface AskOptions {
  readonly own?: readonly Hold[]
  readonly isAsked?: boolean
  readonly isRequired?: boolean
}

/**
 * Asks the ad server for the guaranteed packages that take more than before. Throws PRODUCT_UNAVAILABLE for the first that does not fit, with what would. The reservation in the
 * transaction has the last word; this one spares an order that would have to be canceled again. `own`: what the order's own proposal holds.
 */
export async function requireAvailability(
  context: OrderContext,
  packages: readonly TargetedBooking[],
  products: ReadonlyMap<string, Product>,
  own: readonly Hold[] = [],
): Promise<void> {
  const wishes = wishesOf(packages, products)
  const answers = await availabilityOf(context, wishes, { own, isRequired: true })
  if (answers.every(({ sufficient }) => sufficient)) return
  for (const [index, wish] of wishes.entries()) {
    const shortage = answers[index]?.shortage
    if (!shortage) continue
    throw soldOut(wish.productId, shortage, `packages[${wish.packageIndex}]`, bookedBudget(wish.bookings))
  }
}

const NO_DAYS = { shortDays: [], shortDayCount: 0, fullDays: [] }

/** What an ad server has too little for, by the book where that knows the days; else what it has left. */
function shortageFor(
  { impressions, openWeek }: Pick<AvailabilityQuery, 'impressions' | 'openWeek'>,
  inBook: Shortage | undefined,
  available: number,
): Shortage {
  const { fits, ...known } = inBook ?? { requested: impressions, fits: impressions, ...NO_DAYS }
  const inOpenHours = openWeek !== undefined && { inOpenHours: true as const }
  return { ...known, ...inOpenHours, fits: Math.max(0, Math.min(fits, available)), available }
}

/** What the packages of an order want of one product over one flight, together. */
interface PackageWish extends Wish {
  /** Position of the first of the packages. */
  readonly packageIndex: number
  readonly bookings: readonly Booking[]
}

/** By product, flight and targeting; packages that share a product and are targeted in several ways want it together, too. */
function wishesOf(packages: readonly TargetedBooking[], products: ReadonlyMap<string, Product>): readonly PackageWish[] {
  const all = packages.flatMap((booking, packageIndex) => {
    const { productId, reservedImpressions: impressions, terms, targetingOverlay, openWeek } = booking
    const product = products.get(productId)
    if (!product || impressions === 0) return []
    const targeting = targetingOverlay && { targeting: targetingOverlay }
    const open = openWeek !== undefined && { openWeek }
    return [{ packageIndex, productId, product, flight: terms, impressions, bookings: [booking], ...targeting, ...open }]
  })
  const flights = groupBy(all, ({ productId, flight }) => JSON.stringify([productId, flight.startsAt, flight.endsAt]))
  return [...flights.values()].flatMap((wanted) => {
    const ways = [
      ...groupBy(wanted, ({ targeting = null, openWeek = null }) => JSON.stringify([targeting, openWeek])).values(),
    ].flatMap(together)
    if (ways.length === 1) return ways
    // What is shown in different hours is no spread of one kind: whether it fits together the reservation tells.
    if (new Set(ways.map(({ openWeek }) => openWeek)).size > 1) return ways
    const narrowed = ways.filter(({ targeting }) => targeting !== undefined)
    return [...narrowed, ...together(wanted).map(({ targeting: _targeting, ...wish }) => wish)]
  })
}

/** What wishes of one kind come to. */
function together(wishes: readonly PackageWish[]): readonly PackageWish[] {
  const impressions = wishes.reduce((sum, wish) => sum + wish.impressions, 0)
  return wishes.slice(0, 1).map((first) => ({ ...first, impressions, bookings: wishes.flatMap(({ bookings }) => bookings) }))
}

/** What is held already of each product over all flights that want it: one query a product, other calls run in between. */
export async function heldOf(
  context: OrderContext,
  wishes: readonly Wish[],
  own: readonly Hold[],
): Promise<Map<string, HeldInventory>> {
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
