import type { Ask } from './ask.ts'
import type { ShareChange } from './ask-changes.ts'
import { type Wish, withCapCarried } from './ask-wishes.ts'
import type { Share } from './draft-id.ts'
import { bestFor, joiningShare, type PlanContext, whyNone } from './joining-products.ts'
import { rescale } from './media-plan.ts'
import { takesOf } from './overlay-support.ts'
import { changesIn, missingOf, type PlanChange } from './plan-changes.ts'
import { asFound, type Draft, done, fail, inOrder, isAbout, nameOf, refit, scaleTo, sumOf } from './plan-draft.ts'
import { equal, move, replace, swap } from './plan-exchange.ts'
import { applyWish, carriedOut, drop } from './plan-leaving.ts'
import type { Product } from './product.ts'
import type { ProductsById } from './product-list.ts'
import { isOfPlaces, placesOfPlan } from './refine-places.ts'
import { basisOf, boundResult, STEP_POINTS, targetOf } from './share-target.ts'

export interface PlanRefinement {
  readonly shares: readonly Share[]
  /** What was done, in words. */
  readonly done: readonly string[]
  /** What was asked and could not be done, with the reason. */
  readonly failed: readonly string[]
  /** Countries (ISO 3166-1 alpha-2) that delivery is limited to from now on; absent: as before. */
  readonly only?: readonly string[]
  /** Countries that delivery is kept out of from now on; absent: as before. */
  readonly not?: readonly string[]
}

type Kept = Extract<ShareChange, { kind: 'keep' }>

/** A share that is named in figures holds after everything else was moved. */
const ORDER: Readonly<Record<ShareChange['kind'], number>> = {
  ...{ keep: 0, drop: 0, equal: 1, swap: 1, replace: 1, times: 1, less: 2, more: 3, move: 4, transfer: 4, set: 5, scale: 6 },
}

/**
 * Applies the share changes and conditions of an ask to a plan. Shares stay proportional apart from what is asked and sum to 100; a plan is
 * never emptied. What the plan lacks may join it.
 */
export function refinePlan(shares: readonly Share[], ask: Ask, context: PlanContext): PlanRefinement {
  const start: Draft = { shares, done: [], failed: [], before: shares, held: new Set() }
  // Shares are of what runs in the places that are asked for.
  const asked = ask.carried.frequency_cap ? withCapCarried(ask.wishes) : ask.wishes
  const wishes = carriedOut(asked, shares, context)
  const staying = ask.wishes.flatMap(({ not, instead = [] }) =>
    not && !wishes.some((wish) => wish.not === not)
      ? [`${not.join(', ')} stays in the plan, since nothing of it runs in ${instead.join(', ')}`]
      : [],
  )
  const placed = wishes.filter(isOfPlaces).reduce((plan, wish) => applyWish(plan, wish, context), start)
  const changes = changesIn(ask.changes, placed.shares, context)
  const keeping = ask.changes
    .flatMap((change) => (change.kind === 'keep' ? change : []))
    .reduce((plan, change) => keep(plan, change, context, changes.length > 0), placed)
  const changed = changes
    .toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind])
    .reduce((plan, change) => applyKnown(plan, change, inPlaces(context, wishes)), keeping)
  const others = wishes.filter((wish) => !isOfPlaces(wish))
  const { shares: after, done, failed } = others.reduce((plan, wish) => applyWish(plan, wish, context), changed)
  const planned = after.flatMap(({ productId }) => context.products.get(productId) ?? [])
  const places = placesOfPlan(wishes, planned, context.keepsOf)
  const results = done.map((resultIn) => resultIn(after))
  const textsOf = (holds: boolean) => [...new Set(results.filter((result) => result.holds === holds).map(({ text }) => text))]
  return {
    shares: after,
    done: [...textsOf(true), ...places.done],
    failed: [...new Set([...failed, ...staying, ...textsOf(false), ...places.failed])],
    ...(places.only && { only: places.only }),
    ...(places.not && { not: places.not }),
  }
}

/** What may join the plan runs in the places that are asked for. */
function inPlaces(context: PlanContext, wishes: readonly Wish[]): PlanContext {
  const places = wishes.filter(isOfPlaces)
  const isThere = (product: Product) => places.every(({ satisfies }) => satisfies(product, takesOf(context.keepsOf)))
  return places.length === 0 ? context : { ...context, search: (text) => context.search(text).filter(isThere) }
}

/** A change with what it names and the plan does not have, where it has something else of it. */
function applyKnown(plan: Draft, change: PlanChange, context: PlanContext): Draft {
  const changed = applyChange(plan, change, context)
  const subjects = 'ids' in change && change.kind !== 'drop' ? [change, ...('from' in change ? [change.from] : [])] : []
  const missing = subjects.flatMap(({ each = [] }) => {
    const without = missingOf(each, changed.shares, context)
    return without.length < each.length ? without : []
  })
  return missing.reduce((after, { text }) => fail(after, `the plan holds no "${text}"`), changed)
}

/** Nothing moves what is to stay, while there is something else to move; said where other things of the plan change. */
function keep(plan: Draft, change: Kept, { products }: PlanContext, isBeside: boolean): Draft {
  const meant = plan.shares.filter(({ productId }) => isAbout(products.get(productId), change))
  const ids = new Set(meant.map(({ productId }) => productId))
  if (meant.length === 0 || meant.length === plan.shares.length) return plan
  const held = { ...plan, held: new Set([...plan.held, ...ids]) }
  if (!isBeside) return held
  const was = sumOf(meant)
  const named = asFound(change, productsOf(meant, products))
  return done(held, plan.shares, (all) => {
    const is = sumOf(all.filter(({ productId }) => ids.has(productId)))
    return {
      holds: is === was,
      text: is === was ? `${nameOf(named)} keeps ${was}%` : `"${change.text}": it has ${is}%, was ${was}%`,
    }
  })
}

function applyChange(plan: Draft, change: PlanChange, context: PlanContext): Draft {
  if (change.kind === 'drop') return drop(plan, change, context)
  if (change.kind === 'move' || change.kind === 'transfer') return move(plan, change, context)
  if (change.kind === 'swap') return swap(plan, change, context)
  if (change.kind === 'replace') return replace(plan, change, context)
  if (change.kind === 'equal') return equal(plan)
  const { shares } = plan
  const points = change.kind === 'more' ? (change.points ?? STEP_POINTS) : undefined
  // What is asked for by more than its channel is the product that fits the words best, in the plan or not.
  const best = points !== undefined && change.terms.length + change.ids.length > 0 ? bestFor(plan, change, context) : undefined
  if (best && points !== undefined && !shares.some(({ productId }) => productId === best.productId))
    return join(plan, best, joiningShare(best, points, context))
  const isMeant = (share: Share) => isAbout(context.products.get(share.productId), change)
  const group = shares.filter(isMeant)
  const others = shares.filter((share) => !isMeant(share))
  if (group.length === 0) {
    const isLimit = change.kind === 'set' && (change.bound === 'most' || change.way === 'down')
    const joining = change.kind === 'set' && change.meets && !isLimit ? change.percent : points
    const other = joining === undefined ? undefined : bestFor(plan, change, context)
    if (other && joining !== undefined) return join(plan, other, joiningShare(other, joining, context))
    return fail(
      plan,
      `the plan holds no such product${joining === undefined ? '' : `, and ${whyNone(plan, change, context)}`}: "${change.text}"`,
    )
  }
  const named = asFound(change, productsOf(group, context.products))
  // A place has no share that could become larger.
  if (change.countries && change.channels.length + change.terms.length + change.ids.length === 0 && !change.meets)
    return done(plan, shares, () => `${group.map(({ productId }) => productId).join(', ')} of the plan: ${nameOf(named)}`)
  if (others.length === 0) {
    if (change.kind === 'less') return fail(plan, `${nameOf(named)} is all that the plan holds`)
    const isNew = plan.before.length > shares.length || (change.kind === 'set' && change.percent === 100)
    if (!isNew || (change.kind === 'set' && change.percent !== 100))
      return fail(plan, `${nameOf(named)} is all that the plan holds: "${change.text}"`)
    return done(plan, shares, () => `${nameOf(named)} has the whole budget`)
  }
  const now = sumOf(group)
  const ids = new Set(group.map(({ productId }) => productId))
  const was = sumOf(plan.before.filter(({ productId }) => ids.has(productId)))
  const isExact = change.kind === 'set' || change.kind === 'times' || change.points !== undefined
  // Figures and steps are about the plan that the buyer has seen, whatever other parts of the ask moved before.
  const target = targetOf(change, was > 0 ? was : now)
  const isThere = change.kind === 'more' ? now >= target : change.kind === 'less' && now <= target
  if (!isExact && was > 0 && isThere)
    return done(plan, shares, (all) => {
      const is = sumOf(all.filter(isMeant))
      return {
        holds: change.kind === 'more' ? is > was : is < was,
        text: `${nameOf(named)} has ${is}% of the budget, was ${was}%`,
      }
    })
  if (change.kind !== 'set' && (target >= 100 || target < 1))
    return fail(
      plan,
      `"${change.text}": ${nameOf(named)} has ${now}% of the budget, and that would be ${target < 1 ? 'nothing' : 'all'} of it`,
    )
  if (change.kind === 'set' && (change.bound === 'least' ? now >= target : change.bound === 'most' && now <= target))
    return done(plan, shares, (all) => boundResult(named, sumOf(all.filter(isMeant)), target))
  if (change.kind === 'set' && ((change.way === 'up' && target <= was) || (change.way === 'down' && target >= was)))
    return fail(plan, `${nameOf(named)} has ${was}% already: "${change.text}"; say the share that it should have`)
  const kept = others.filter(({ productId }) => plan.held.has(productId))
  const free = others.filter(({ productId }) => !plan.held.has(productId))
  const rest = 100 - target - sumOf(kept)
  const moved = free.length > 0 && rest >= 0 ? [...kept, ...scaleTo(free, rest)] : scaleTo(others, 100 - target)
  const held = isExact ? new Set([...plan.held, ...ids]) : plan.held
  const ordered = inOrder(shares, [...scaleTo(group, target), ...moved])
  return done({ ...plan, held }, rescale(ordered), (all) => {
    const isMember = ({ productId }: Share) => ids.has(productId)
    const is = sumOf(all.filter(isMember))
    const isMoved = change.kind === 'more' ? is > was : change.kind === 'less' ? is < was : true
    const holds = isMoved && (!isExact || Math.abs(is - target) < 1)
    const text = `${nameOf(named)} has ${is}% of the budget, was ${was}%${basisOf(change, was)}`
    return { holds, text: holds ? text : `"${change.text}" beside the rest of the ask: ${text}` }
  })
}

function productsOf(shares: readonly Share[], products: ProductsById): (Product | undefined)[] {
  return shares.map(({ productId }) => products.get(productId))
}

function join(plan: Draft, added: Omit<Share, 'percent'>, points: number): Draft {
  if (points >= 100) return fail(plan, `${added.productId} has one price for the flight, which is all of the budget or more`)
  const isOpen = 100 - points > sumOf(plan.shares.filter(({ productId }) => plan.held.has(productId)))
  const joined = { ...added, percent: points }
  const shares = isOpen
    ? refit({ ...plan, held: new Set([...plan.held, added.productId]) }, [...plan.shares, joined])
    : rescale([...scaleTo(plan.shares, 100 - points), joined])
  return done(plan, shares, (all) => {
    const percent = all.find(({ productId }) => productId === added.productId)?.percent ?? 0
    return `added ${added.productId} with ${percent}% of the budget`
  })
}
