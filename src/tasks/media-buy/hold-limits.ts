import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type Period, spanOf } from '../../domain/media-buy/calendar-period.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, reservationChanges } from '../../domain/media-buy/inventory.ts'
import { isBilledByUnit } from '../../domain/media-buy/pricing.ts'
import { shortageOf, shortageWords } from '../../domain/media-buy/shortage.ts'
import { minorDigits } from '../../domain/money.ts'
import { holdPolicy } from '../../domain/proposal/hold-policy.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import type { Db } from '../../store/database.ts'
import { holdsOfAgent, reservedNow } from '../../store/media-buy/inventory-holds.ts'
import type { Capacities, PoolNow } from './reservations.ts'

/** Who wants to hold inventory, in a transaction. */
interface Holder extends Pick<PublicContext, 'tenant' | 'now'> {
  readonly tx: Db
  readonly principal: PrincipalRef
}

/** Why a hold would leave too little to others: a buyer may hold a share of each day of a product at once. */
export async function capFault(
  context: Holder,
  { negotiated: { holdings } }: { readonly negotiated: { readonly holdings: readonly Holding[] } },
  pool: PoolNow,
  products: Capacities,
): Promise<string | undefined> {
  const { share } = holdPolicy(context.tenant.settings)
  const own = await ownHolds(context, holdings, pool)
  for (const [productId, wanted] of reservationChanges([], holdings)) {
    const capacity = products.get(productId)?.selling.dailyCapacity
    if (capacity === undefined) continue
    const most = mostHeld(capacity, share)
    const shortage = shortageOf(wanted, roomBeside(own.get(productId), most))
    if (shortage)
      return `you may hold ${most} impressions of ${productId} a day, ${share}% of them, and this would be more: ${shortageWords(shortage)}`
  }
  return undefined
}

/** The most impressions of a product that one buyer may hold on a day. */
function mostHeld(capacity: number, share: number): number {
  return Math.floor((capacity * share) / 100)
}

/** What an agent holds of products by all its proposals, by product id. */
async function ownHolds(
  { tx, principal, now }: Holder,
  holdings: readonly Holding[],
  { pool }: PoolNow,
): Promise<ReadonlyMap<string, HeldInventory>> {
  const ids = [...new Set(holdings.map(({ productId }) => productId))]
  const own = reservationChanges([], await holdsOfAgent(tx, principal, pool, ids, now))
  return new Map(
    [...own].map(([id, changes]) => [id, new HeldInventory(new Map(changes.map(({ period, delta }) => [period, delta])))]),
  )
}

/** What each day of a period has left of `most` beside what is held. */
function roomBeside(held: HeldInventory | undefined, most: number): (period: Period) => number {
  return (period) => most - (held?.mostIn(period) ?? 0)
}

/**
 * How a plan that cannot be held has to be changed to fit: the largest budget of which all of it can be held, as much less of each part as the shortest product has too little of; empty
 * where nothing fits, or less money would hold no less. Reads the book, not the ad server.
 */
export async function fittingNote(
  context: Holder,
  { proposal, negotiated }: Pick<Snapshot, 'proposal' | 'negotiated'>,
  pool: PoolNow,
  products: Capacities,
): Promise<string> {
  const { total_budget: total } = negotiated.terms
  if (!total || negotiated.prices.some(({ pricing_model: model }) => !isBilledByUnit(model))) return ''
  const part = await fittingPart(context, negotiated.holdings, pool, products)
  const units = 10 ** minorDigits(total.currency)
  const amount = Math.floor(total.amount * part * units) / units
  const least = proposal.total_budget_guidance?.min ?? 0
  if (part === 1 || amount <= 0) return ''
  if (amount < least) return `; ${amount} ${total.currency} of it would fit, less than its minimum of ${least}: move the flight`
  return `; at most ${amount} ${total.currency} of it fit: ask for "a budget of ${amount} ${total.currency}", or move the flight`
}

/** The largest part of all holdings (0 to 1) that the inventory and the rule of holds have room for. */
async function fittingPart(context: Holder, holdings: readonly Holding[], pool: PoolNow, products: Capacities): Promise<number> {
  const { share } = holdPolicy(context.tenant.settings)
  const own = await ownHolds(context, holdings, pool)
  let part = 1
  for (const [productId, wanted] of reservationChanges([], holdings)) {
    const capacity = products.get(productId)?.selling.dailyCapacity
    if (capacity === undefined || wanted.length === 0) continue
    const span = spanOf(wanted.map(({ period }) => period))
    const held = new HeldInventory(await reservedNow(context.tx, pool, productId, span, { now: context.now }))
    for (const room of [roomBeside(held, capacity), roomBeside(own.get(productId), mostHeld(capacity, share))]) {
      const { fits, requested } = shortageOf(wanted, room) ?? { fits: 1, requested: 1 }
      part = Math.min(part, fits / requested)
    }
  }
  return part
}
