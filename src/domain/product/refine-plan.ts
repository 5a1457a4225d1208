import type { Ask, ShareChange } from './ask.ts'
import { wordsOf } from './brief-terms.ts'
import type { Share } from './draft-id.ts'
import { rescale } from './media-plan.ts'
import type { OfferedProducts } from './product-list.ts'

export interface PlanRefinement {
  readonly shares: readonly Share[]
  /** What was done, in words. */
  readonly done: readonly string[]
  /** What was asked and could not be done, with the reason. */
  readonly failed: readonly string[]
}

/** A step towards more of a channel, in points of share: visible, and still a plan. */
const MORE_POINTS = 15

/** A share that is named in figures holds after everything else was moved. */
const ORDER: Readonly<Record<ShareChange['kind'], number>> = { drop: 0, more: 1, set: 2, scale: 3 }

/**
 * Applies the share changes of an ask to a plan. Shares stay proportional apart from what is asked and sum to 100; a plan is
 * never emptied.
 */
export function refinePlan(shares: readonly Share[], ask: Ask, products: OfferedProducts): PlanRefinement {
  const changes = ask.changes.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind])
  return changes.reduce<PlanRefinement>((plan, change) => applyChange(plan, change, products), { shares, done: [], failed: [] })
}

function applyChange(plan: PlanRefinement, change: ShareChange, products: OfferedProducts): PlanRefinement {
  if (change.kind === 'scale') return plan
  const { shares } = plan
  const inChannels = (share: Share) =>
    (products.get(share.productId)?.offer.channels ?? []).some((channel) => change.channels.includes(channel))
  if (change.kind === 'drop') {
    const dropped = shares.filter((share) => inChannels(share) || isNamed(share, change.text, products))
    if (dropped.length === 0) return fail(plan, 'nothing in the plan matches what should be dropped')
    if (dropped.length === shares.length) return fail(plan, 'dropping that would leave no product in the plan')
    const kept = rescale(shares.filter((share) => !dropped.includes(share)))
    return { ...plan, shares: kept, done: [...plan.done, `dropped ${dropped.map((share) => share.productId).join(', ')}`] }
  }
  const group = shares.filter(inChannels)
  const others = shares.filter((share) => !inChannels(share))
  const names = change.channels.join(', ')
  if (group.length === 0) return fail(plan, `the plan holds no ${names}`)
  if (others.length === 0) return { ...plan, done: [...plan.done, `${names} already has the whole budget`] }
  const now = group.reduce((sum, share) => sum + share.percent, 0)
  const target = change.kind === 'set' ? change.percent : Math.min(100, now + MORE_POINTS)
  const scaled = [...scaleTo(group, target), ...scaleTo(others, 100 - target)]
  const ordered = shares.flatMap((share) =>
    scaled.filter((candidate) => candidate.productId === share.productId && candidate.optionId === share.optionId),
  )
  return { ...plan, shares: rescale(ordered), done: [...plan.done, `${names} now has ${target}% of the budget`] }
}

function scaleTo(shares: readonly Share[], target: number): Share[] {
  const sum = shares.reduce((total, share) => total + share.percent, 0)
  return shares.map((share) => ({ ...share, percent: (share.percent * target) / sum }))
}

/** Whether a clause names a product by its id, or by all words of its name. */
function isNamed({ productId }: Share, text: string, products: OfferedProducts): boolean {
  const words = new Set(wordsOf(text))
  const name = wordsOf(products.get(productId)?.offer.name ?? '')
  return text.includes(productId) || (name.length > 0 && name.every((word) => words.has(word)))
}

function fail(plan: PlanRefinement, reason: string): PlanRefinement {
  return { ...plan, failed: [...plan.failed, reason] }
}
