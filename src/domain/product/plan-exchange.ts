import type { ShareChange } from './ask-changes.ts'
import { isIn } from './ask-money.ts'
import type { Subject } from './ask-subject.ts'
import type { Share } from './draft-id.ts'
import { bestFor, type PlanContext, whyNone } from './joining-products.ts'
import { rescale } from './media-plan.ts'
import {
  asFound,
  type Draft,
  done,
  exactly,
  fail,
  inOrder,
  isAbout,
  nameOf,
  quotedName,
  type Result,
  scaleTo,
  sumOf,
} from './plan-draft.ts'
import { STEP_POINTS } from './share-target.ts'

/** The products of a plan that a part of an ask names: one by its id, else those that are what it says; none where it says nothing. */
function partOf({ shares }: Draft, subject: Subject, { products }: PlanContext): readonly Share[] {
  const named = shares.filter(({ productId }) => subject.text === productId)
  const isNothing = subject.channels.length + subject.terms.length + subject.ids.length === 0 && !subject.meets
  return named.length > 0 || isNothing ? named : shares.filter(({ productId }) => isAbout(products.get(productId), subject))
}

/** The name of a part that a plan holds: the buyer's words, or what they mean. */
function nameIn(subject: Subject, part: readonly Share[], { products }: PlanContext, isPlain = false): string {
  const found = asFound(
    subject,
    part.map(({ productId }) => products.get(productId)),
  )
  return isPlain ? nameOf(found) : quotedName(found)
}

type Moving = Extract<ShareChange, { kind: 'move' | 'transfer' }>

/** Moves points or money from one part of a plan to another, which may join it; the rest stays as it is. */
export function move(plan: Draft, change: Moving, context: PlanContext): Draft {
  const { from, ...to } = change
  const [named, wanted] = [partOf(plan, from, context), partOf(plan, to, context)]
  // "from video to CTV" leaves CTV out of the video, "from video to video and CTV" the other way round.
  const source = wanted.length < named.length ? named.filter((share) => !wanted.includes(share)) : named
  const target = wanted.filter((share) => !source.includes(share))
  const joining = wanted.length === 0 && source.length > 0 ? bestFor(plan, to, context) : undefined
  const isMissing = source.length === 0
  if (isMissing || (target.length === 0 && !joining)) {
    const why = isMissing || wanted.length > 0 ? '' : `, and ${whyNone(plan, to, context)}`
    return fail(plan, `the plan holds no "${isMissing ? from.text : to.text}" to move a share ${isMissing ? 'from' : 'to'}${why}`)
  }
  const has = sumOf(source)
  const step = pointsOf(change, has, context)
  if (typeof step === 'string') return fail(plan, step)
  const isStep = change.kind === 'move' && change.points === undefined
  const giver = nameIn(from, source, context, isStep)
  if (has < step.points) return fail(plan, `${giver} has ${has}% of the budget: ${step.words} cannot be moved from it`)
  const was = joining ? 0 : before(plan, target)
  const taking = joining ? [{ ...joining, percent: 0 }] : target
  const moved = exchanged(plan, { source, target: taking, points: step.points }, (is) => ({
    holds: is > was,
    text: joining
      ? `added ${joining.productId} with ${is}% of the budget${isStep ? '' : `; ${giver} gave ${step.words}`}`
      : `${nameIn(to, target, context, isStep)} has ${is}% of the budget, was ${was}%${isStep ? '' : `; ${giver} gave ${step.words}`}`,
  }))
  return isStep ? lessened(moved, source, giver) : moved
}

/** Says what a part has that gave a step, before what it gave the step to. */
function lessened({ done: results, ...plan }: Draft, source: readonly Share[], name: string): Draft {
  const ids = new Set(source.map(({ productId }) => productId))
  const was = before({ ...plan, done: results }, source)
  const resultIn = (all: readonly Share[]): Result => {
    const is = sumOf(all.filter(({ productId }) => ids.has(productId)))
    return { holds: is < was, text: `${name} has ${is}% of the budget, was ${was}%` }
  }
  return { ...plan, done: [...results.slice(0, -1), resultIn, ...results.slice(-1)] }
}

interface Step {
  readonly points: number
  readonly words: string
}

/** How many points of the budget a change moves from a part that has some; why none, where it cannot be told. */
function pointsOf(change: Moving, has: number, { total }: PlanContext): Step | string {
  if (change.kind === 'move') {
    // Less is not nothing: dropping has a word of its own.
    const figure = change.points ?? Math.min(STEP_POINTS, has / 2)
    const points = change.relative ? (has * figure) / 100 : figure
    return { points, words: `${Math.round(points * 100) / 100} points` }
  }
  const { money, text } = change
  if (!total) return `"${text}": the plan names no budget`
  const { amount, currency } = total
  if (!isIn(money, currency)) return `"${money.amount} ${money.currencies?.join(' or ')}": the plan is priced in ${currency}`
  return { points: (money.amount * 100) / amount, words: `${money.amount} ${currency}` }
}

/** What a part had of the plan that the buyer has seen, in per cent. */
function before({ before: seen }: Draft, part: readonly Share[]): number {
  const ids = new Set(part.map(({ productId }) => productId))
  return sumOf(seen.filter(({ productId }) => ids.has(productId)))
}

/** Two parts of a plan exchange their shares. */
export function swap(plan: Draft, { other, joins, ...one }: Extract<ShareChange, { kind: 'swap' }>, context: PlanContext): Draft {
  const [source, target] = [partOf(plan, one, context), partOf(plan, other, context)]
  const missing = source.length === 0 ? one : other
  if (joins && source.length > 0 && target.length === 0) return replace(plan, { ...one, kind: 'replace', by: other }, context)
  if (source.length === 0 || target.length === 0) return fail(plan, `the plan holds no "${missing.text}" to swap`)
  if (source.some((share) => target.includes(share))) return fail(plan, `"${one.text}" and "${other.text}" share products`)
  const has = sumOf(source)
  return exchanged(plan, { source, target, points: has - sumOf(target) }, (is) => ({
    holds: Math.abs(is - has) < 1,
    text: `${nameIn(other, target, context)} has ${is}% of the budget, was ${before(plan, target)}%; ${nameIn(one, source, context)} has what that had`,
  }))
}

/** What takes the place of a part of a plan has its share; what is in the plan already has it beside its own. */
export function replace(plan: Draft, { by, ...of }: Extract<ShareChange, { kind: 'replace' }>, context: PlanContext): Draft {
  const source = partOf(plan, of, context)
  if (source.length === 0) return fail(plan, `the plan holds no "${of.text}" to replace`)
  const there = partOf(plan, by, context).filter((share) => !source.includes(share))
  const best = there.length > 0 ? undefined : bestFor(plan, by, context)
  if (there.length === 0 && !best) return fail(plan, `"${by.text}" takes the place of nothing: ${whyNone(plan, by, context)}`)
  const growing = best ? source.filter(({ productId }) => productId === best.productId) : there
  const leaving = source.filter((share) => !growing.includes(share))
  if (leaving.length === 0) return fail(plan, `"${of.text}" and "${by.text}" are the same product`)
  const points = sumOf(leaving)
  const taking = best && growing.length === 0 ? [{ ...best, percent: points }] : scaleTo(growing, points + sumOf(growing))
  const shares = plan.shares.flatMap((share) => {
    if (leaving.includes(share)) return share === leaving[0] && growing.length === 0 ? taking : []
    return taking.find(({ productId }) => productId === share.productId) ?? share
  })
  const names = (part: readonly Pick<Share, 'productId'>[]) => part.map(({ productId }) => productId).join(', ')
  const ids = new Set(taking.map(({ productId }) => productId))
  return done(plan, rescale(shares), (all) => {
    const is = sumOf(all.filter(({ productId }) => ids.has(productId)))
    return `${names(taking)} in place of ${names(leaving)}, with ${is}% of the budget`
  })
}

/** A plan in which `target` has points of `source`; what is left stays as it is. */
function exchanged(
  plan: Draft,
  { source, target, points }: { readonly source: readonly Share[]; readonly target: readonly Share[]; readonly points: number },
  result: (is: number) => Result,
): Draft {
  const { shares } = plan
  const others = shares.filter((share) => !source.includes(share) && !target.includes(share))
  const had = sumOf(target)
  const left = sumOf(source) - points
  const growing = had === 0 ? target.map((share) => ({ ...share, percent: points / target.length })) : target
  const joining = growing.filter(({ productId }) => !shares.some((share) => share.productId === productId))
  const changed = [...(left > 0 ? exactly(source, left) : []), ...exactly(growing, had + points), ...others]
  const ids = new Set(target.map(({ productId }) => productId))
  const joined = changed.filter(({ productId }) => joining.some((share) => share.productId === productId))
  return done(plan, [...inOrder(shares, changed), ...joined], (all) =>
    result(sumOf(all.filter(({ productId }) => ids.has(productId)))),
  )
}

/** The same share for every product. */
export function equal(plan: Draft): Draft {
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
