import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type Period, spanOf } from '../../domain/media-buy/calendar-period.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, reservationChanges } from '../../domain/media-buy/inventory.ts'
import { isBilledByUnit } from '../../domain/media-buy/pricing.ts'
import { holdLimitWords, shortageOf } from '../../domain/media-buy/shortage.ts'
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
      return `you may hold ${most} impressions of ${productId} a day without an order, ${share}% of them; ${holdLimitWords(shortage)}`
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

/** The budgets of a plan that there is room for, in its currency; all of its budget where nothing is short. */
export interface FittingBudgets {
  readonly currency: string
  /** The whole budget. */
  readonly asked: number
  /** The least that the plan is sold for. */
  readonly least: number
  /** What can be bought: what the book of the seller has left. */
  readonly bought: number
  /** What can be held without an order: no more than can be bought, nor than a buyer may hold. */
  readonly held: number
}

/**
 * How a plan has to be changed that is finalized only with its inventory held, and cannot be held: the largest budget of which all can be held, and how much can be bought without a
 * hold. Empty where nothing fits, or less money would hold no less. Reads the book, not the ad server.
 */
export async function holdingNote(...args: Parameters<typeof fittingBudgets>): Promise<string> {
  const fitting = await fittingBudgets(...args)
  if (!fitting) return ''
  const { currency, asked, bought, held } = fitting
  if (held === bought) return lowerTo(fitting, bought, 'be bought')
  const most = bought === asked ? `all of its ${asked}` : `at most ${bought}`
  return `${lowerTo(fitting, held, 'be held without an order')}; ${most} ${currency} can be bought with create_media_buy or buy_products, which need no hold`
}

/** How a plan has to be changed that too little is left of to buy all of it: the largest budget that can be bought. Empty as {@link holdingNote} is. */
export async function buyingNote(...args: Parameters<typeof fittingBudgets>): Promise<string> {
  const fitting = await fittingBudgets(...args)
  return fitting ? lowerTo(fitting, fitting.bought, 'be bought') : ''
}

/** What a plan that is committed without a hold says: how much of it could be held, and that all of it can be bought. */
export async function unheldNote(...args: Parameters<typeof fittingBudgets>): Promise<string> {
  const fitting = await fittingBudgets(...args)
  if (!fitting) return '; there is room for all of it now: create_media_buy with this proposal_id buys it'
  const { currency, asked, held } = fitting
  return `${held > 0 ? ` (${held} ${currency})` : ''}. There is room for all of its ${asked} ${currency} now: create_media_buy with this proposal_id buys it`
}

/** What a smaller budget would do; empty where the whole fits, or nothing. */
function lowerTo({ currency, asked, least }: FittingBudgets, amount: number, can: string): string {
  if (amount <= 0 || amount === asked) return ''
  const most = `; at most ${amount} ${currency} of it can ${can}`
  return amount < least
    ? `${most}, less than its minimum of ${least}: move the flight`
    : `${most}: ask for "a budget of ${amount} ${currency}", or move the flight`
}

/** The budgets that a plan has room for; undefined where it names none, or a part of it is not paid by what is delivered. */
export async function fittingBudgets(
  context: Holder,
  { proposal, negotiated }: Pick<Snapshot, 'proposal' | 'negotiated'>,
  pool: PoolNow,
  products: Capacities,
): Promise<FittingBudgets | undefined> {
  const { total_budget: total } = negotiated.terms
  if (!total || negotiated.prices.some(({ pricing_model: model }) => !isBilledByUnit(model))) return undefined
  const parts = await fittingParts(context, negotiated.holdings, pool, products)
  const { amount: asked, currency } = total
  const units = 10 ** minorDigits(currency)
  const of = (part: number) => (part === 1 ? asked : Math.floor(asked * part * units) / units)
  return { currency, asked, least: proposal.total_budget_guidance?.min ?? 0, bought: of(parts.bought), held: of(parts.held) }
}

/** The largest part of all holdings (0 to 1) that is left to buy, and that can be held: as much less of each as the shortest product has too little of. */
async function fittingParts(
  context: Holder,
  holdings: readonly Holding[],
  pool: PoolNow,
  products: Capacities,
): Promise<{ readonly bought: number; readonly held: number }> {
  const { share } = holdPolicy(context.tenant.settings)
  const own = await ownHolds(context, holdings, pool)
  let [bought, held] = [1, 1]
  for (const [productId, wanted] of reservationChanges([], holdings)) {
    const capacity = products.get(productId)?.selling.dailyCapacity
    if (capacity === undefined || wanted.length === 0) continue
    const span = spanOf(wanted.map(({ period }) => period))
    const taken = new HeldInventory(await reservedNow(context.tx, pool, productId, span, { now: context.now }))
    bought = Math.min(bought, partOf(wanted, roomBeside(taken, capacity)))
    held = Math.min(held, partOf(wanted, roomBeside(own.get(productId), mostHeld(capacity, share))))
  }
  return { bought, held: Math.min(bought, held) }
}

/** The part (0 to 1) of what is wanted that there is room for. */
function partOf(wanted: Parameters<typeof shortageOf>[0], room: (period: Period) => number): number {
  const { fits, requested } = shortageOf(wanted, room) ?? { fits: 1, requested: 1 }
  return fits / requested
}
