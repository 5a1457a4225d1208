import type { DesiredOrder } from './desired-order.ts'
import { type Drift, isSameDrift, MISSING, ORDER, subjectOfLine } from './drift.ts'
import type { ObservedOrder } from './observed-order.ts'

/** Whether a drift is that an order or a line cannot be found. Nothing is ever booked in its place but when a person says that it is gone. */
export function isMissing({ field }: Pick<Drift, 'field'>): boolean {
  return field === MISSING
}

/** Of drift that is open, what was missing and is so still, without what was found anew. */
export function stillMissing<D extends Drift>(
  open: readonly D[],
  found: readonly Drift[],
  observed: ObservedOrder | undefined,
): readonly D[] {
  const there = new Set(observed ? [ORDER, ...observed.lines.map(({ externalId }) => subjectOfLine(externalId ?? ''))] : [])
  return open.filter((one) => isMissing(one) && !there.has(one.subject) && !found.some((other) => isSameDrift(one, other)))
}

/** Why an order waits, for the publisher's people; undefined: nothing is missing. */
export function missingReason(lost: readonly Drift[]): string | undefined {
  if (lost.length === 0) return undefined
  const named = lost.map(({ subject }) => subject).join(', ')
  return `missing at the ad server: ${named}. Nothing is booked in its place: find it there, or say that it is gone (sales-agent adservers gone DRIFT; sales-agent adservers drift lists it)`
}

/** The same, for the buyer. */
export function missingForBuyer(drift: readonly Drift[]): string | undefined {
  return drift.some(isMissing) ? LACKS : undefined
}

/** What a buyer is told of an order that cannot be found there. */
export const LACKS =
  'waiting: the order, or a part of it, cannot be found at the ad server of the publisher; its people were asked, and nothing is booked in its place'

/** The order as it was brought to the ad server last, when some of it cannot be found: that is there as it was written before, if at all. */
export function writtenWithout(
  written: DesiredOrder,
  before: DesiredOrder | undefined,
  lost: readonly Drift[],
): DesiredOrder | undefined {
  if (lost.length === 0) return written
  const subjects = new Set(lost.map(({ subject }) => subject))
  if (subjects.has(ORDER)) return before
  return {
    ...written,
    lines: written.lines.flatMap((line) => {
      if (!subjects.has(subjectOfLine(line.externalId))) return [line]
      return before?.lines.find(({ externalId }) => externalId === line.externalId) ?? []
    }),
  }
}

/** The order without a line of it, which a person said is gone. */
export function withoutLine(order: DesiredOrder, subject: string): DesiredOrder {
  return { ...order, lines: order.lines.filter(({ externalId }) => subjectOfLine(externalId) !== subject) }
}
