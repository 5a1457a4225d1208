import type { ShareChange } from './ask-changes.ts'
import type { Subject } from './ask-subject.ts'
import { nameOf } from './plan-draft.ts'

/** A change of one part of a plan to a share, or by points of it. */
type FigureChange = Extract<ShareChange, { kind: 'set' | 'more' | 'less' | 'times' }>

/** A step towards more or less of a channel, in points of share: visible, and still a plan. */
export const STEP_POINTS = 15

/** How a figure was understood where it may mean two things. */
export function basisOf(change: FigureChange, was: number): string {
  if (change.kind === 'set' || change.kind === 'times' || !change.relative) return ''
  return ` (${change.points}% of its ${was}%; for shares of the budget say "${change.points} points")`
}

/** Whether a limit of a share holds, in words. */
export function boundResult(change: Subject & { readonly bound?: 'least' | 'most' }, is: number, limit: number) {
  const holds = change.bound === 'least' ? is >= limit : is <= limit
  return { holds, text: `"${change.text}": ${nameOf(change)} has ${is}% of the budget` }
}

/** The share (per cent) that a change leads to from the one that it has `now`. */
export function targetOf(change: FigureChange, now: number): number {
  if (change.kind === 'set') return change.percent
  if (change.kind === 'times') return now * change.factor
  const sign = change.kind === 'more' ? 1 : -1
  if (change.points !== undefined) return now + sign * (change.relative ? (now * change.points) / 100 : change.points)
  // Less is not nothing: dropping has a word of its own.
  return sign > 0 ? Math.min(99, now + STEP_POINTS) : Math.max(1, now - Math.min(STEP_POINTS, now / 2))
}
