import { groupBy } from '../../domain/group-by.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { daysIn, type Period, spanOf } from '../../domain/media-buy/calendar-period.ts'
import type { Purchase } from '../../domain/media-buy/commercial-terms.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, type PeriodChange, reservationSteps } from '../../domain/media-buy/inventory.ts'
import { isBilledByUnit } from '../../domain/media-buy/pricing.ts'
import {
  type BookedBudget,
  daysInWords,
  exactShortageOf,
  fittingMicros,
  holdLimitWords,
  type Shortage,
  shortageOf,
} from '../../domain/media-buy/shortage.ts'
import { budgetToMicros, microsToAmount } from '../../domain/money.ts'
import { holdPolicy } from '../../domain/proposal/hold-policy.ts'
import type { Negotiated, Snapshot } from '../../domain/proposal/negotiated.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { holdsOfAgent, type ProposalHold, reservedNow } from '../../store/media-buy/inventory-holds.ts'
import type { Capacities, PoolNow } from './reservations.ts'

/** Who wants to hold inventory, in a transaction. */
interface Holder extends Pick<PublicContext, 'tenant' | 'now'> {
  readonly tx: Db
  readonly principal: PrincipalRef
}

/** What is to be held. */
interface Wanted {
  readonly negotiated: Pick<Negotiated, 'holdings' | 'terms' | 'prices'>
}

/**
 * Why a hold would leave too little to others: a buyer may hold a share of each day of a product at once. Names the product that limits the plan most, how much of it can be held, in
 * impressions and in money, and what the buyer holds of it already.
 */
export async function capFault(
  context: Holder,
  { negotiated: { holdings, terms, prices } }: Wanted,
  pool: PoolNow,
  products: Capacities,
): Promise<string | undefined> {
  const { share } = holdPolicy(context.tenant.settings)
  const own = await ownHolds(context, holdings, pool)
  let tightest: { readonly part: number; readonly fault: string } | undefined
  for (const [productId, wanted] of await inTurns(reservationSteps([], holdings))) {
    const capacity = products.get(productId)?.selling.dailyCapacity
    if (capacity === undefined) continue
    const most = mostHeld(capacity, share)
    const held = own.get(productId)
    const shortage = exactShortageOf(wanted, roomBeside(held?.inventory, most))
    const part = shortage ? shortage.fits / shortage.requested : 1
    if (!shortage || (tightest && tightest.part <= part)) continue
    const allowed = `you may hold ${most} impressions of ${productId} a day without an order, ${share}% of them`
    const isLeft = held ? heldWords(held, wanted) : ''
    const budget = isPaidByUnit(prices) ? budgetOf(terms.purchases, productId) : undefined
    const money = budget && shortage.fits > 0 ? ` (${microsToAmount(fittingMicros(shortage, budget))} ${budget.currency})` : ''
    tightest = { part, fault: `${allowed}${isLeft}; ${holdLimitWords(shortage)}${money}` }
  }
  return tightest?.fault
}

/** What is charged for the purchases of a product together; undefined where one has no budget. */
function budgetOf(purchases: readonly Purchase[], productId: string): BookedBudget | undefined {
  const own = purchases.filter((purchase) => purchase.product_id === productId)
  const [{ pricing } = {}] = own
  if (!pricing || own.some((each) => each.budget === undefined)) return undefined
  const { currency } = pricing
  const micros = own.reduce((sum, { budget = 0 }) => sum + budgetToMicros(budget, currency, 'budget'), 0)
  return { micros, currency }
}

/** Proposals that a sentence names. */
const MOST_NAMED = 3

/** What a buyer holds already on the days of a plan, by which proposals, and what frees it; empty where that is nothing. */
function heldWords({ inventory, holds }: OwnHolds, wanted: readonly PeriodChange[]): string {
  const most = Math.max(0, ...wanted.map(({ period }) => inventory.mostIn(period)))
  if (most === 0) return ''
  const { first, last } = spanOf(wanted.map(({ period }) => period))
  const near = holds.filter(({ terms }) => terms.startsAt.slice(0, 10) <= last && terms.endsAt.slice(0, 10) >= first)
  const ids = [...new Set(near.map(({ proposalId }) => proposalId))]
  const more = ids.length - MOST_NAMED
  const named = `${ids.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `, and hold up to ${most} of them already by ${named}: buying or declining (decline_proposals, AdCP 3.2) such a proposal frees them`
}

/** The most impressions of a product that one buyer may hold on a day. */
function mostHeld(capacity: number, share: number): number {
  return Math.floor((capacity * share) / 100)
}

/** What an agent holds of a product. */
interface OwnHolds {
  readonly inventory: HeldInventory
  readonly holds: readonly ProposalHold[]
}

/** What an agent holds of products by all its proposals, by product id. */
async function ownHolds(
  { tx, principal, now }: Holder,
  holdings: readonly Holding[],
  { pool }: PoolNow,
): Promise<ReadonlyMap<string, OwnHolds>> {
  const ids = [...new Set(holdings.map(({ productId }) => productId))]
  const all = await holdsOfAgent(tx, principal, pool, ids, now)
  const byProduct = groupBy(all, ({ productId }) => productId)
  return new Map(
    [...(await inTurns(reservationSteps([], all)))].map(([id, changes]) => [
      id,
      {
        inventory: new HeldInventory(new Map(changes.map(({ period, delta }) => [period, delta]))),
        holds: byProduct.get(id) ?? [],
      },
    ]),
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
  /** The days on which too little is left to buy, in words, where other days have enough; absent: all have too little, or none. */
  readonly shortOn?: string
}

/** A draft is not bought by its id. */
const BUYS_UNHELD =
  'create_media_buy or buy_products with packages in place of proposal_id, one for each product (product_id, pricing_option_id, budget)'

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
  return `${lowerTo(fitting, held, 'be held without an order')}; ${most} ${currency} can be bought without a hold: ${BUYS_UNHELD}`
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
  const isOfSeveral = new Set(args[1].negotiated.holdings.map(({ productId }) => productId)).size > 1
  const limit = isOfSeveral && held > 0 ? `, which limits the plan to ${held} of its ${asked} ${currency}` : ''
  return `${limit}. There is room for all of its ${asked} ${currency} now: create_media_buy with this proposal_id buys it`
}

/** What a smaller budget would do; empty where the whole fits, or nothing. */
function lowerTo({ currency, asked, least }: FittingBudgets, amount: number, can: string): string {
  if (amount <= 0 || amount === asked) return ''
  const most = `; at most ${amount} ${currency} of it can ${can}`
  return amount < least
    ? `${most}, less than its minimum of ${least}: move the flight`
    : `${most}: ask for "a budget of ${amount} ${currency}", or move the flight`
}

/** Whether all of a plan is paid by what is delivered: less money buys less of it. */
function isPaidByUnit(prices: Negotiated['prices']): boolean {
  return prices.every(({ pricing_model: model }) => isBilledByUnit(model))
}

/** The budgets that a plan has room for; undefined where it names none, or a part of it is not paid by what is delivered. */
export async function fittingBudgets(
  context: Holder,
  { proposal, negotiated }: Pick<Snapshot, 'proposal' | 'negotiated'>,
  pool: PoolNow,
  products: Capacities,
): Promise<FittingBudgets | undefined> {
  const { total_budget: total } = negotiated.terms
  if (!total || !isPaidByUnit(negotiated.prices)) return undefined
  const parts = await fittingParts(context, negotiated.holdings, pool, products)
  const { amount: asked, currency } = total
  const micros = budgetToMicros(asked, currency, 'total_budget.amount')
  const of = (part: Part) => (part.fits >= part.requested ? asked : microsToAmount(fittingMicros(part, { micros, currency })))
  const least = proposal.total_budget_guidance?.min ?? 0
  const { shortOn } = parts.bought
  return { currency, asked, least, bought: of(parts.bought), held: of(parts.held), ...(shortOn !== undefined && { shortOn }) }
}

/** How much of what a product is wanted for there is room for. */
type Part = Pick<Shortage, 'fits' | 'requested'> & { readonly shortOn?: string }

const WHOLE: Part = { fits: 1, requested: 1 }

function smaller(a: Part, b: Part): Part {
  return b.fits / b.requested < a.fits / a.requested ? b : a
}

/** What a shortage leaves, with its days where the booking has others too. */
function partOf(shortage: Shortage | undefined, wanted: readonly PeriodChange[]): Part {
  if (!shortage) return WHOLE
  const { fits, requested } = shortage
  const days = wanted.reduce((sum, { period, delta }) => sum + (delta > 0 ? daysIn(period) : 0), 0)
  return { fits, requested, ...(shortage.shortDayCount < days && { shortOn: daysInWords(shortage) }) }
}

/** The largest part of all holdings that is left to buy, and that can be held: as much less of each as the shortest product has too little of. */
async function fittingParts(
  context: Holder,
  holdings: readonly Holding[],
  pool: PoolNow,
  products: Capacities,
): Promise<{ readonly bought: Part; readonly held: Part }> {
  const { share } = holdPolicy(context.tenant.settings)
  const own = await ownHolds(context, holdings, pool)
  let [bought, held] = [WHOLE, WHOLE]
  for (const [productId, wanted] of await inTurns(reservationSteps([], holdings))) {
    const capacity = products.get(productId)?.selling.dailyCapacity
    if (capacity === undefined || wanted.length === 0) continue
    const span = spanOf(wanted.map(({ period }) => period))
    const taken = new HeldInventory(await reservedNow(context.tx, pool, productId, span, { now: context.now }))
    bought = smaller(bought, partOf(shortageOf(wanted, roomBeside(taken, capacity)), wanted))
    held = smaller(held, exactShortageOf(wanted, roomBeside(own.get(productId)?.inventory, mostHeld(capacity, share))) ?? WHOLE)
  }
  return { bought, held: smaller(bought, held) }
}
