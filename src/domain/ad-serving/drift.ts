import type { BackendCapabilities } from './capabilities.ts'
import type { DesiredLine, DesiredOrder } from './desired-order.ts'
import { linesOf } from './diff.ts'
import type { ObservedLine, ObservedOrder } from './observed-order.ts'
import { sameAssociations } from './same-associations.ts'
import { sameValue } from './same-value.ts'

/** What happens when an ad server differs from what was written there: `heal` writes it again, `adopt` takes it over, `leave` only shows it. */
export type DriftPolicy = 'heal' | 'adopt' | 'leave'

/** Something that changed at the ad server without us. */
export interface Drift {
  /** `order`, or `line ID` with our id of the line. */
  readonly subject: string
  /** `state`, a member of the settings, `associations`, `missing`, `added` or `duplicates`. */
  readonly field: string
  /** What we wrote. */
  readonly expected: unknown
  /** What is there now. */
  readonly observed: unknown
}

type Keeps = Pick<BackendCapabilities, 'creatives'>

/** Fields whose observed value can be wanted: the others are repaired or shown. */
const ADOPTABLE = (field: string) => !['missing', 'added', 'duplicates', 'associations'].includes(field)

/** Whether a drift can become what is wanted. */
export function isAdoptable({ field }: Pick<Drift, 'field'>): boolean {
  return ADOPTABLE(field)
}

/**
 * What changed at the ad server since `written` was brought there. `attempted` is what was being written when a process died: a value of either is
 * ours. Settings that the ad server does not report cannot drift, nor can creatives that people put on lines there.
 */
export function findDrift(
  written: DesiredOrder,
  attempted: DesiredOrder | undefined,
  observed: ObservedOrder | undefined,
  keeps: Keeps = { creatives: true },
): readonly Drift[] {
  if (!observed)
    return written.state === 'ended' ? [] : [{ subject: 'order', field: 'missing', expected: written.state, observed: null }]
  const { known, doubled } = linesOf(observed)
  const attemptedLines = new Map(attempted?.lines.map((line) => [line.externalId, line]))
  const ours = new Set([...written.lines, ...(attempted?.lines ?? [])].map(({ externalId }) => externalId))
  const added = observed.lines.filter(({ externalId, state }) => state !== 'ended' && !ours.has(externalId ?? ''))
  return [
    ...stateDrift('order', written.state, attempted?.state, observed.state),
    ...(written.state === 'ended' ? [] : settingsDrift('order', written.settings, attempted?.settings, observed.settings)),
    ...countDrift('duplicates', [...(observed.duplicateIds ?? []), ...doubled.map(({ id }) => id)]),
    ...countDrift(
      'added',
      added.map(({ id }) => id),
    ),
    ...(written.state === 'ended'
      ? []
      : written.lines.flatMap((line) => lineDrift(line, attemptedLines.get(line.externalId), known.get(line.externalId), keeps))),
  ]
}

function lineDrift(
  written: DesiredLine,
  attempted: DesiredLine | undefined,
  observed: ObservedLine | undefined,
  { creatives }: Keeps,
): readonly Drift[] {
  const subject = `line ${written.externalId}`
  if (!observed) return written.state === 'ended' ? [] : [{ subject, field: 'missing', expected: written.state, observed: null }]
  const isOurs =
    !creatives || [written, attempted].some((line) => line && sameAssociations(line.associations, observed.associations))
  if (written.state === 'ended') return stateDrift(subject, written.state, attempted?.state, observed.state)
  return [
    ...stateDrift(subject, written.state, attempted?.state, observed.state),
    ...settingsDrift(subject, written.settings, attempted?.settings, observed.settings),
    ...(isOurs ? [] : [{ subject, field: 'associations', expected: written.associations, observed: observed.associations }]),
  ]
}

/** A state of a person's review is none that we wrote, and no change behind our back. */
function stateDrift(subject: string, written: string, attempted: string | undefined, observed: string): readonly Drift[] {
  if (observed === written || observed === attempted || observed === 'waiting' || observed === 'rejected') return []
  return [{ subject, field: 'state', expected: written, observed }]
}

function settingsDrift(subject: string, written: object, attempted: object | undefined, observed: object): readonly Drift[] {
  return Object.entries(observed).flatMap(([field, value]): Drift[] => {
    const expected: unknown = Reflect.get(written, field)
    const isOurs = sameValue(value, expected) || (attempted && sameValue(value, Reflect.get(attempted, field)))
    return value === undefined || isOurs ? [] : [{ subject, field, expected, observed: value }]
  })
}

function countDrift(field: string, ids: readonly string[]): readonly Drift[] {
  return ids.length === 0 ? [] : [{ subject: 'order', field, expected: [], observed: [...ids].sort() }]
}

/**
 * The order with drifted values in place of what we wrote, for each drift whose `expected` is still what is wanted: what the buyer has changed since
 * counts more. Drift that cannot be wanted (a missing line, a duplicate) changes nothing here.
 */
export function withDrift(desired: DesiredOrder, drift: readonly Drift[]): DesiredOrder {
  const own = drift.filter(isAdoptable)
  if (own.length === 0) return desired
  const ofOrder = own.filter(({ subject }) => subject === 'order')
  return {
    ...patched(desired, ofOrder),
    lines: desired.lines.map((line) =>
      patched(
        line,
        own.filter(({ subject }) => subject === `line ${line.externalId}`),
      ),
    ),
  }
}

function patched<T extends { readonly state: string; readonly settings: object }>(target: T, drift: readonly Drift[]): T {
  const current = (field: string): unknown => (field === 'state' ? target.state : Reflect.get(target.settings, field))
  const valid = drift.filter(({ field, expected }) => sameValue(current(field), expected))
  const state = valid.find(({ field }) => field === 'state')
  const settings = valid.filter(({ field }) => field !== 'state').map(({ field, observed }) => [field, observed])
  return { ...target, ...(state && { state: state.observed }), settings: { ...target.settings, ...Object.fromEntries(settings) } }
}
