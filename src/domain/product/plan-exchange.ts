import type { ShareChange, Subject } from './ask-changes.ts'
import type { Share } from './draft-id.ts'
import { bestFor, type PlanContext, whyNone } from './joining-products.ts'
import { rescale } from './media-plan.ts'
import { asFound, type Draft, done, fail, inOrder, isAbout, quotedName, type Result, scaleTo, sumOf } from './plan-draft.ts'

/** The products of a plan that a part of an ask names: one by its id, else those that are what it says; none where it says nothing. */
function partOf({ shares }: Draft, subject: Subject, { products }: PlanContext): readonly Share[] {
  const named = shares.filter(({ productId }) => subject.text === productId)
  const isNothing = subject.channels.length + subject.terms.length + subject.ids.length === 0
  return named.length > 0 || isNothing ? named : shares.filter(({ productId }) => isAbout(products.get(productId), subject))
}

/** The name of a part that a plan holds. */
function nameIn(subject: Subject, part: readonly Share[], { products }: PlanContext): string {
  return quotedName(
    asFound(
      subject,
      part.map(({ productId }) => products.get(productId)),
    ),
  )
}

/** Moves points from one part of a plan to another; the rest stays as it is. */
export function move(
  plan: Draft,
  { from, points: figure, relative, ...to }: Extract<ShareChange, { kind: 'move' }>,
  context: PlanContext,
): Draft {
  const source = partOf(plan, from, context)
  const target = partOf(plan, to, context).filter((share) => !source.includes(share))
  if (source.length === 0 || target.length === 0)
    return fail(
      plan,
      `the plan holds no "${source.length === 0 ? from.text : to.text}" to move a share ${source.length === 0 ? 'from' : 'to'}`,
    )
  const has = sumOf(source)
  const points = relative ? (has * figure) / 100 : figure
  const [giver, taker] = [nameIn(from, source, context), nameIn(to, target, context)]
  if (has < points) return fail(plan, `${giver} has ${has}% of the budget: ${points}% cannot be moved from it`)
  const was = before(plan, target)
  return exchanged(plan, { source, target, points }, (is) => ({
    holds: is > was,
    text: `${taker} has ${is}% of the budget, was ${was}%; ${giver} gave ${Math.round(points)} points`,
  }))
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
  const scaled = [...scaleTo(source, sumOf(source) - points), ...scaleTo(target, sumOf(target) + points), ...others]
  const ids = new Set(target.map(({ productId }) => productId))
  return done(plan, rescale(inOrder(shares, scaled)), (all) => result(sumOf(all.filter(({ productId }) => ids.has(productId)))))
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
