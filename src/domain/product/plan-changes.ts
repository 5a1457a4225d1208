import type { ShareChange } from './ask-changes.ts'
import type { Subject } from './ask-subject.ts'
import type { Share } from './draft-id.ts'
import type { PlanContext } from './joining-products.ts'
import { isAbout } from './plan-draft.ts'

/** A change of the shares of a plan. */
export type PlanChange = Exclude<ShareChange, { kind: 'scale' | 'keep' }>

/** The changes of an ask as they are made in a plan that has these shares. */
export function changesIn(changes: readonly ShareChange[], shares: readonly Share[], context: PlanContext): PlanChange[] {
  const named = changes.flatMap((change) => (change.kind === 'scale' || change.kind === 'keep' ? [] : change))
  return apart(asExchange(named, shares, context).flatMap((change) => eachOf(change, shares, context)))
}

/** "less display and more video" is one change: what the one gives the other gets, and the rest stays. */
function asExchange(changes: readonly PlanChange[], shares: readonly Share[], { products }: PlanContext): readonly PlanChange[] {
  const steps = changes.filter((change) => (change.kind === 'less' || change.kind === 'more') && change.points === undefined)
  const [less, more] = [steps.find(({ kind }) => kind === 'less'), steps.find(({ kind }) => kind === 'more')]
  if (steps.length !== 2 || less?.kind !== 'less' || more?.kind !== 'more') return changes
  const isOf = ({ productId }: Share, subject: Subject) => isAbout(products.get(productId), subject)
  const isApart = shares.some((share) => isOf(share, less)) && !shares.some((share) => isOf(share, less) && isOf(share, more))
  if (!isApart) return changes
  const subjectOf = ({ channels, terms, ids, text }: Subject) => ({ channels, terms, ids, text })
  const others = changes.filter((change) => change !== less && change !== more)
  return [...others, { kind: 'move', ...subjectOf(more), from: subjectOf(less) }]
}

/** "add podcast and radio" is two changes where the plan lacks one of them; a share of both is one. */
function eachOf(change: PlanChange, shares: readonly Share[], context: PlanContext): PlanChange[] {
  if (change.kind !== 'more') return [change]
  const parts = change.each ?? []
  const isMissing = missingOf(parts, shares, context).length > 0
  return isMissing ? parts.map(({ channels, ids, text }) => ({ ...change, channels, ids, text, each: [] })) : [change]
}

/** Of parts that an ask names, those that a plan has nothing of. */
export function missingOf(parts: readonly Subject[], shares: readonly Share[], { products }: PlanContext): Subject[] {
  return parts.filter((part) => !shares.some(({ productId }) => isAbout(products.get(productId), part)))
}

/** "CTV 50%, video 20%": video is what has no figure of its own. */
function apart(changes: readonly PlanChange[]): PlanChange[] {
  const single = changes.flatMap((change) => (change.kind === 'set' && change.channels.length === 1 ? change.channels : []))
  return changes.map((change) => {
    if (change.kind !== 'set' || change.channels.length < 2) return change
    const channels = change.channels.filter((channel) => !single.includes(channel))
    return channels.length > 0 ? { ...change, channels } : change
  })
}
