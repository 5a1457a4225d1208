import type { Ask } from './ask.ts'
import type { ShareChange, Subject } from './ask-changes.ts'
import type { Wish } from './ask-wishes.ts'
import { stem, wordsOf } from './brief-terms.ts'
import type { Share } from './draft-id.ts'
import { planOption, rescale } from './media-plan.ts'
import { pricingOption } from './negotiated-price.ts'
import type { Product } from './product.ts'
import { fieldsByTerm } from './product-index.ts'
import type { ProductsById } from './product-list.ts'

export interface PlanRefinement {
  readonly shares: readonly Share[]
  /** What was done, in words. */
  readonly done: readonly string[]
  /** What was asked and could not be done, with the reason. */
  readonly failed: readonly string[]
}

/** A plan that is being changed; what was done is worded when all of it is. */
interface Draft {
  readonly shares: readonly Share[]
  readonly done: readonly ((shares: readonly Share[]) => Result)[]
  readonly failed: readonly string[]
  /** The plan as it was, and the products whose shares are named in figures. */
  readonly before: readonly Share[]
  readonly held: ReadonlySet<string>
}

/** What became of a change in the finished plan: only what holds there was done. */
interface Result {
  readonly holds: boolean
  readonly text: string
}

export interface PlanContext {
  readonly products: ProductsById
  /** Products that a text names and that may join the plan, best first. */
  readonly search: (text: string) => readonly Product[]
  /** The principal that asks; undefined without credentials. */
  readonly buyer: string | undefined
}

type PlanChange = Exclude<ShareChange, { kind: 'scale' }>

/** A step towards more or less of a channel, in points of share: visible, and still a plan. */
const STEP_POINTS = 15

/** A share that is named in figures holds after everything else was moved. */
const ORDER: Readonly<Record<ShareChange['kind'], number>> = {
  ...{ drop: 0, equal: 1, swap: 1, times: 1, less: 2, more: 3, move: 4, set: 5, scale: 6 },
}

/**
 * Applies the share changes and conditions of an ask to a plan. Shares stay proportional apart from what is asked and sum to 100; a plan is
 * never emptied. What the plan lacks may join it.
 */
export function refinePlan(shares: readonly Share[], ask: Ask, context: PlanContext): PlanRefinement {
  const changes = ask.changes.flatMap((change) => (change.kind === 'scale' ? [] : change))
  const start: Draft = { shares, done: [], failed: [], before: shares, held: new Set() }
  const changed = changes
    .toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind])
    .reduce((plan, change) => applyChange(plan, change, context), start)
  const { shares: after, done, failed } = ask.wishes.reduce((plan, wish) => applyWish(plan, wish, context), changed)
  const results = done.map((resultIn) => resultIn(after))
  const textsOf = (holds: boolean) => results.filter((result) => result.holds === holds).map(({ text }) => text)
  return { shares: after, done: textsOf(true), failed: [...failed, ...textsOf(false)] }
}

function applyChange(plan: Draft, change: PlanChange, context: PlanContext): Draft {
  if (change.kind === 'drop') return drop(plan, change, context)
  if (change.kind === 'move') return move(plan, change, context)
  if (change.kind === 'swap') return swap(plan, change, context)
  if (change.kind === 'equal') return equal(plan)
  const { shares } = plan
  const points = change.kind === 'more' ? (change.points ?? STEP_POINTS) : undefined
  // What is asked for by more than its channel is the product that fits the words best, in the plan or not.
  const best = points !== undefined && change.terms.length > 0 ? bestFor(plan, change, context) : undefined
  if (best && points !== undefined && !shares.some(({ productId }) => productId === best.productId))
    return join(plan, best, points)
  const isMeant = (share: Share) => isAbout(context.products.get(share.productId), change)
  const group = shares.filter(isMeant)
  const others = shares.filter((share) => !isMeant(share))
  if (group.length === 0) {
    const other = points === undefined ? undefined : bestFor(plan, change, context)
    if (other && points !== undefined) return join(plan, other, points)
    return fail(
      plan,
      `the plan holds no such product${points === undefined ? '' : ', and nothing in its currency is offered'}: "${change.text}"`,
    )
  }
  if (others.length === 0) {
    if (change.kind === 'less') return fail(plan, `${nameOf(change)} is all that the plan holds`)
    const isNew = plan.before.length > shares.length || (change.kind === 'set' && change.percent === 100)
    if (!isNew || (change.kind === 'set' && change.percent !== 100))
      return fail(plan, `${nameOf(change)} is all that the plan holds: "${change.text}"`)
    return done(plan, shares, () => `${nameOf(change)} has the whole budget`)
  }
  const now = group.reduce((sum, share) => sum + share.percent, 0)
  const target = targetOf(change, now)
  if (change.kind === 'times' && target >= 100)
    return fail(plan, `${nameOf(change)} has ${now}% of the budget: ${change.factor} times that is all or more`)
  const ids = new Set(group.map(({ productId }) => productId))
  const was = sumOf(plan.before.filter(({ productId }) => ids.has(productId)))
  if (change.kind === 'set' && ((change.way === 'up' && target <= was) || (change.way === 'down' && target >= was)))
    return fail(plan, `${nameOf(change)} has ${was}% already: "${change.text}"; say the share that it should have`)
  const kept = others.filter(({ productId }) => plan.held.has(productId))
  const free = others.filter(({ productId }) => !plan.held.has(productId))
  const rest = 100 - target - sumOf(kept)
  const moved = free.length > 0 && rest >= 0 ? [...kept, ...scaleTo(free, rest)] : scaleTo(others, 100 - target)
  const held = change.kind === 'set' ? new Set([...plan.held, ...ids]) : plan.held
  const ordered = inOrder(shares, [...scaleTo(group, target), ...moved])
  return done({ ...plan, held }, rescale(ordered), (all) => {
    const isMember = ({ productId }: Share) => ids.has(productId)
    const is = sumOf(all.filter(isMember))
    const isExact = change.kind === 'set' || change.kind === 'times'
    const holds = isExact ? Math.abs(is - target) < 1 : change.kind === 'more' ? is > was : is < was
    const text = `${nameOf(change)} has ${is}% of the budget, was ${was}%`
    return { holds, text: holds ? text : `"${change.text}" beside the rest of the ask: ${text}` }
  })
}

/** The products of a plan that a part of an ask names: one by its id, else those that are what it says; none where it says nothing. */
function partOf({ shares }: Draft, subject: Subject, { products }: PlanContext): readonly Share[] {
  const named = shares.filter(({ productId }) => subject.text === productId)
  const isNothing = subject.channels.length === 0 && subject.terms.length === 0
  return named.length > 0 || isNothing ? named : shares.filter(({ productId }) => isAbout(products.get(productId), subject))
}

/** Moves points from one part of a plan to another; the rest stays as it is. */
function move(plan: Draft, { from, points, ...to }: Extract<PlanChange, { kind: 'move' }>, context: PlanContext): Draft {
  const source = partOf(plan, from, context)
  const target = partOf(plan, to, context).filter((share) => !source.includes(share))
  if (source.length === 0 || target.length === 0)
    return fail(
      plan,
      `the plan holds no "${source.length === 0 ? from.text : to.text}" to move a share ${source.length === 0 ? 'from' : 'to'}`,
    )
  const [has, now] = [sumOf(source), sumOf(target)]
  if (has < points) return fail(plan, `${quotedName(from)} has ${has}% of the budget: ${points}% cannot be moved from it`)
  return exchanged(plan, { source, target, points }, (is) => ({
    holds: is > now,
    text: `${quotedName(to)} has ${is}% of the budget, was ${now}%; ${quotedName(from)} gave ${points} points`,
  }))
}

function swap(plan: Draft, { other, ...one }: Extract<PlanChange, { kind: 'swap' }>, context: PlanContext): Draft {
  const [source, target] = [partOf(plan, one, context), partOf(plan, other, context)]
  const missing = source.length === 0 ? one : other
  if (source.length === 0 || target.length === 0) return fail(plan, `the plan holds no "${missing.text}" to swap`)
  if (source.some((share) => target.includes(share))) return fail(plan, `"${one.text}" and "${other.text}" share products`)
  const [has, now] = [sumOf(source), sumOf(target)]
  return exchanged(plan, { source, target, points: has - now }, (is) => ({
    holds: Math.abs(is - has) < 1,
    text: `${quotedName(other)} has ${is}% of the budget, was ${now}%; ${quotedName(one)} has what that had`,
  }))
}

/** A plan in which `target` has points of `source`; what is left stays as it is. */
function exchanged(
  plan: Draft,
  { source, target, points }: { readonly source: readonly Share[]; readonly target: readonly Share[]; readonly points: number },
  result: (is: number) => Result,
): Draft {
  const { shares } = plan
  const others = shares.filter((share) => !source.includes(share) && !target.includes(share))
  const scaled = [...scaleTo(source, sumOf(source) - points), ...scaleTo(target, sumOf(target) + points), ...others]
  const ids = new Set(target.map(({ productId }) => productId))
  return done(plan, rescale(inOrder(shares, scaled)), (all) => result(sumOf(all.filter(({ productId }) => ids.has(productId)))))
}

function equal(plan: Draft): Draft {
  const { shares } = plan
  const same = rescale(shares.map((share) => ({ ...share, percent: 100 / shares.length })))
  return done(plan, same, (all) => {
    const percents = all.map(({ percent }) => percent)
    return {
      holds: Math.max(...percents) - Math.min(...percents) <= 1,
      text: `equal shares: ${all.map(({ productId, percent }) => `${productId} ${percent}%`).join(', ')}`,
    }
  })
}

function inOrder(shares: readonly Share[], changed: readonly Share[]): Share[] {
  return shares.flatMap((share) =>
    changed.filter((candidate) => candidate.productId === share.productId && candidate.optionId === share.optionId),
  )
}

function sumOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { percent }) => sum + percent, 0)
}

function targetOf(change: Exclude<PlanChange, { kind: 'drop' | 'move' | 'swap' | 'equal' }>, now: number): number {
  if (change.kind === 'set') return change.percent
  if (change.kind === 'times') return now * change.factor
  const points = change.points ?? STEP_POINTS
  // Less is not nothing: dropping has a word of its own.
  return change.kind === 'more' ? Math.min(100, now + points) : Math.max(1, now - Math.min(points, now / 2))
}

function drop(plan: Draft, change: Extract<PlanChange, { kind: 'drop' }>, { products }: PlanContext): Draft {
  const { shares } = plan
  const isMeant = (share: Share) =>
    (change.channels.length > 0 && isAbout(products.get(share.productId), change)) || isNamed(share, change.text, products)
  const dropped = shares.filter(isMeant)
  if (dropped.length === 0) return fail(plan, `nothing in the plan matches what should be dropped: "${change.text}"`)
  if (dropped.length === shares.length) return fail(plan, 'dropping that would leave no product in the plan')
  const kept = rescale(shares.filter((share) => !dropped.includes(share)))
  return done(plan, kept, () => `dropped ${dropped.map((share) => share.productId).join(', ')}`)
}

/** The product that fits a change best, with the price at which it may join the plan. */
function bestFor(
  { shares: [first] }: Draft,
  change: Subject,
  { products, search, buyer }: PlanContext,
): Omit<Share, 'percent'> | undefined {
  const product = first && products.get(first.productId)
  const currency = product && pricingOption(product, first.optionId, buyer)?.currency
  for (const candidate of search(change.text)) {
    const isFit = isAbout(candidate, change) && candidate.selling.approval === 'automatic'
    const option = isFit ? planOption(candidate, currency) : undefined
    if (option) return { productId: candidate.id, optionId: option.pricing_option_id }
  }
  return undefined
}

function join(plan: Draft, added: Omit<Share, 'percent'>, points: number): Draft {
  const shares = rescale([...scaleTo(plan.shares, 100 - points), { ...added, percent: points }])
  return done(plan, shares, (all) => {
    const percent = all.find(({ productId }) => productId === added.productId)?.percent ?? 0
    return `added ${added.productId} with ${percent}% of the budget`
  })
}

/** A condition holds for every product of a plan: those that do not meet it leave, while others remain. */
function applyWish(plan: Draft, { label, satisfies }: Wish, { products }: PlanContext): Draft {
  const meets = ({ productId }: Share) => {
    const product = products.get(productId)
    return product !== undefined && satisfies(product)
  }
  const kept = plan.shares.filter(meets)
  if (kept.length === 0) return fail(plan, `no product of the plan has ${label}`)
  if (kept.length === plan.shares.length) return done(plan, kept, () => `all of the plan: ${label}`)
  const left = plan.shares.filter((share) => !meets(share)).map(({ productId }) => productId)
  return done(plan, rescale(kept), () => `${label}: dropped ${left.join(', ')}`)
}

/** Whether a product is what a change names: in one of its channels, and with all of its other words. */
export function isAbout(product: Product | undefined, { channels, terms }: Subject): boolean {
  if (!product) return false
  if (channels.length > 0 && !(product.offer.channels ?? []).some((channel) => channels.includes(channel))) return false
  if (terms.length === 0) return true
  const own = fieldsByTerm(product)
  return terms.every((term) => own.has(term))
}

/** How answers name it: the buyer's own words, and the channels that they stand for. */
export function nameOf({ channels, terms, text }: Subject): string {
  const words = wordsOf(text).filter((word) => terms.includes(stem(word)))
  return [...words, channels.join(', ')].filter((part) => part !== '').join(' ')
}

/** A part of an ask in the buyer's words, with the channels that these stand for where they are others ("video" is two). */
function quotedName({ channels, text }: Subject): string {
  return channels.length > 1 ? `"${text}" (${channels.join(', ')})` : `"${text}"`
}

function scaleTo(shares: readonly Share[], target: number): Share[] {
  const sum = sumOf(shares)
  return shares.map((share) => ({ ...share, percent: (share.percent * target) / sum }))
}

/** Whether a clause names a product by its id, or by all words of its name. */
function isNamed({ productId }: Share, text: string, products: ProductsById): boolean {
  const words = new Set(wordsOf(text))
  const name = wordsOf(products.get(productId)?.offer.name ?? '')
  return text.includes(productId) || (name.length > 0 && name.every((word) => words.has(word)))
}

function done(plan: Draft, shares: readonly Share[], what: (shares: readonly Share[]) => Result | string): Draft {
  const resultIn = (all: readonly Share[]): Result => {
    const result = what(all)
    return typeof result === 'string' ? { holds: true, text: result } : result
  }
  return { ...plan, shares, done: [...plan.done, resultIn] }
}

function fail(plan: Draft, reason: string): Draft {
  return { ...plan, failed: [...plan.failed, reason] }
}
