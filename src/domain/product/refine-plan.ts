import type { Ask } from './ask.ts'
import type { ShareChange, Subject } from './ask-changes.ts'
import type { Wish } from './ask-wishes.ts'
import { wordsOf } from './brief-terms.ts'
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
  readonly done: readonly ((shares: readonly Share[]) => string)[]
  readonly failed: readonly string[]
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
const ORDER: Readonly<Record<ShareChange['kind'], number>> = { drop: 0, less: 1, more: 2, set: 3, scale: 4 }

/**
 * Applies the share changes and conditions of an ask to a plan. Shares stay proportional apart from what is asked and sum to 100; a plan is
 * never emptied. What the plan lacks may join it.
 */
export function refinePlan(shares: readonly Share[], ask: Ask, context: PlanContext): PlanRefinement {
  const changes = ask.changes.flatMap((change) => (change.kind === 'scale' ? [] : change))
  const start: Draft = { shares, done: [], failed: [] }
  const changed = changes
    .toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind])
    .reduce((plan, change) => applyChange(plan, change, context), start)
  const { shares: after, done, failed } = ask.wishes.reduce((plan, wish) => applyWish(plan, wish, context), changed)
  return { shares: after, done: done.map((note) => note(after)), failed }
}

function applyChange(plan: Draft, change: PlanChange, context: PlanContext): Draft {
  if (change.kind === 'drop') return drop(plan, change, context)
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
      `the plan holds no ${nameOf(change)}${points === undefined ? '' : ', and nothing in its currency is offered'}: "${change.text}"`,
    )
  }
  if (others.length === 0) {
    if (change.kind === 'less') return fail(plan, `${nameOf(change)} is all that the plan holds`)
    return done(plan, shares, () => `${nameOf(change)} has the whole budget`)
  }
  const now = group.reduce((sum, share) => sum + share.percent, 0)
  const target = targetOf(change, now)
  const scaled = [...scaleTo(group, target), ...scaleTo(others, 100 - target)]
  const ordered = shares.flatMap((share) =>
    scaled.filter((candidate) => candidate.productId === share.productId && candidate.optionId === share.optionId),
  )
  const ids = new Set(group.map(({ productId }) => productId))
  const percentOf = (all: readonly Share[]) => all.reduce((sum, share) => sum + (ids.has(share.productId) ? share.percent : 0), 0)
  return done(plan, rescale(ordered), (all) => `${nameOf(change)} has ${percentOf(all)}% of the budget, was ${now}%`)
}

function targetOf(change: Exclude<PlanChange, { kind: 'drop' }>, now: number): number {
  if (change.kind === 'set') return change.percent
  const points = change.points ?? STEP_POINTS
  // Less is not nothing: dropping has a word of its own.
  return change.kind === 'more' ? Math.min(100, now + points) : Math.max(1, now - Math.min(points, now / 2))
}

function drop(plan: Draft, change: PlanChange, { products }: PlanContext): Draft {
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

/** How answers name it. */
export function nameOf({ channels, terms }: Subject): string {
  return [terms.join(' '), channels.join(', ')].filter((part) => part !== '').join(' ')
}

function scaleTo(shares: readonly Share[], target: number): Share[] {
  const sum = shares.reduce((total, share) => total + share.percent, 0)
  return shares.map((share) => ({ ...share, percent: (share.percent * target) / sum }))
}

/** Whether a clause names a product by its id, or by all words of its name. */
function isNamed({ productId }: Share, text: string, products: ProductsById): boolean {
  const words = new Set(wordsOf(text))
  const name = wordsOf(products.get(productId)?.offer.name ?? '')
  return text.includes(productId) || (name.length > 0 && name.every((word) => words.has(word)))
}

function done(plan: Draft, shares: readonly Share[], what: Draft['done'][number]): Draft {
  return { ...plan, shares, done: [...plan.done, what] }
}

function fail(plan: Draft, reason: string): Draft {
  return { ...plan, failed: [...plan.failed, reason] }
}
