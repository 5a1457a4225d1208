import { groupBy } from '../group-by.ts'
import { sameValue } from '../same-value.ts'
import type { BackendCapabilities } from './capabilities.ts'
import type { DesiredLine, DesiredOrder, LineSettings, OrderSettings } from './desired-order.ts'
import { linesOf } from './diff.ts'
import type { ObservedLine, ObservedOrder, OtherChange } from './observed-order.ts'
import { sameAssociations } from './same-associations.ts'

/** What happens when an ad server differs from what was written there: `heal` writes it again, `adopt` takes it over, `leave` only shows it. */
export const DRIFT_POLICIES = ['heal', 'adopt', 'leave'] as const
export type DriftPolicy = (typeof DRIFT_POLICIES)[number]

/** Something that changed at the ad server without us. */
export interface Drift {
  /** `order`, or `line ID` with our id of the line. */
  readonly subject: string
  /** `state`, a member of the settings, `associations`, `missing`, `added`, `duplicates`, or `member NAME` with the ad server's name of a member that no setting stands for. */
  readonly field: string
  /** What we wrote. */
  readonly expected: unknown
  /** What is there now. */
  readonly observed: unknown
}

type Keeps = Pick<BackendCapabilities, 'creatives'>

/** What we wrote, and what we attempted to write since. */
type Ours<T> = readonly [T, ...T[]]

/** Subject of drift of the order itself. */
export const ORDER = 'order'

/** Subject of drift of a line, by our id. */
export function subjectOfLine(externalId: string): string {
  return `line ${externalId}`
}

/** Field of drift of what cannot be found any more: nothing is booked in its place until a person has decided. */
export const MISSING = 'missing'

/** What an order or a line is when it cannot be found. */
export function missing(subject: string, expected: string): Drift {
  return { subject, field: MISSING, expected, observed: null }
}

/** Whether a drift can become what is wanted: its field is a state or a setting. Everything else is repaired or shown. */
export function isAdoptable({ subject, field }: Pick<Drift, 'subject' | 'field'>): boolean {
  const settings: readonly string[] = subject === ORDER ? ORDER_FIELDS : LINE_FIELDS
  return field === 'state' || settings.includes(field)
}

const ORDER_FIELDS = [
  'name',
  'advertiserId',
  'currency',
  'budgetMicros',
  'startsAt',
  'endsAt',
] as const satisfies readonly (keyof OrderSettings)[]
const LINE_FIELDS = [
  ...(['productId', 'startsAt', 'endsAt', 'budgetMicros', 'price'] as const),
  ...(['goalImpressions', 'priority', 'pacing', 'targeting'] as const),
] as const satisfies readonly (keyof LineSettings)[]

/** Whether two drifts are of the same thing, with the same value there. */
export function isSameDrift(a: Drift, b: Drift): boolean {
  return a.subject === b.subject && a.field === b.field && sameValue(a.observed, b.observed)
}

/**
 * What changed at the ad server since `written` was brought there. `attempts` are what was begun to be written since, and not completed: a value of any is
 * ours. Settings that the ad server does not report cannot drift, nor can creatives that people put on lines there.
 */
export function findDrift(
  written: DesiredOrder,
  attempts: readonly DesiredOrder[],
  observed: ObservedOrder | undefined,
  keeps: Keeps = { creatives: true },
): readonly Drift[] {
  if (!observed) return written.state === 'ended' ? [] : [missing(ORDER, written.state)]
  const { known, doubled } = linesOf(observed)
  const attemptedLines = groupBy(
    attempts.flatMap(({ lines }) => lines),
    ({ externalId }) => externalId,
  )
  const ours = new Set([...written.lines.map(({ externalId }) => externalId), ...attemptedLines.keys()])
  const added = observed.lines.filter(({ externalId, state }) => state !== 'ended' && !ours.has(externalId ?? ''))
  return [
    ...stateDrift(ORDER, [written, ...attempts], observed.state),
    ...(written.state === 'ended'
      ? []
      : [...settingsDrift(ORDER, [written, ...attempts], observed.settings), ...otherDrift(ORDER, observed.others)]),
    ...countDrift('duplicates', [...(observed.duplicateIds ?? []), ...doubled.map(({ id }) => id)]),
    ...countDrift(
      'added',
      added.map(({ id }) => id),
    ),
    ...(written.state === 'ended'
      ? []
      : written.lines.flatMap((line) =>
          lineDrift([line, ...(attemptedLines.get(line.externalId) ?? [])], known.get(line.externalId), keeps),
        )),
  ]
}

/** A store keeps no more attempts of an order: each of them explains something that the others do not. */
const MOST_ATTEMPTS = 20

/**
 * Of the attempts that were not completed, those that the next look needs, in their order: the last one, whose calls may still arrive, and before it each
 * that explains something which is at the ad server and of no other.
 */
export function openAttempts(
  written: DesiredOrder,
  attempts: readonly DesiredOrder[],
  observed: ObservedOrder | undefined,
  keeps: Keeps,
): readonly DesiredOrder[] {
  const found = findDrift(written, attempts, observed, keeps)
  const needed = attempts.slice(0, -1).reduce((kept, attempt) => {
    const others = kept.filter((one) => one !== attempt)
    return sameValue(findDrift(written, others, observed, keeps), found) ? others : kept
  }, attempts)
  return needed.slice(-MOST_ATTEMPTS)
}

/** What someone changed of a line, which was written as the first of `ours` and attempted as the others. */
function lineDrift(ours: Ours<DesiredLine>, observed: ObservedLine | undefined, { creatives }: Keeps): readonly Drift[] {
  const [written] = ours
  const subject = subjectOfLine(written.externalId)
  if (!observed) return written.state === 'ended' ? [] : [missing(subject, written.state)]
  if (written.state === 'ended') return stateDrift(subject, ours, observed.state)
  const isOurs = !creatives || ours.some(({ associations }) => sameAssociations(associations, observed.associations))
  return [
    ...stateDrift(subject, ours, observed.state),
    ...settingsDrift(subject, ours, observed.settings),
    ...otherDrift(subject, observed.others),
    ...(isOurs ? [] : [{ subject, field: 'associations', expected: written.associations, observed: observed.associations }]),
  ]
}

/** A state of a person's review is none that we wrote, and no change behind our back. */
function stateDrift(subject: string, ours: Ours<{ readonly state: string }>, observed: string): readonly Drift[] {
  if (ours.some(({ state }) => state === observed) || observed === 'waiting' || observed === 'rejected') return []
  return [{ subject, field: 'state', expected: ours[0].state, observed }]
}

function settingsDrift(subject: string, ours: Ours<{ readonly settings: object }>, observed: object): readonly Drift[] {
  return Object.entries(observed).flatMap(([field, value]): Drift[] => {
    const values = ours.map(({ settings }): unknown => Reflect.get(settings, field))
    const isOurs = values.some((each) => sameValue(value, each))
    return value === undefined || isOurs ? [] : [{ subject, field, expected: values[0], observed: value }]
  })
}

/** Drift of members that no setting stands for; ad servers call some of them as we call settings. */
export function otherDrift(subject: string, others: readonly OtherChange[] = []): readonly Drift[] {
  return others.map(({ field, expected, observed }) => ({ subject, field: `member ${field}`, expected, observed }))
}

function countDrift(field: string, ids: readonly string[]): readonly Drift[] {
  return ids.length === 0 ? [] : [{ subject: ORDER, field, expected: [], observed: [...ids].sort() }]
}

/**
 * The order with drifted values in place of what we wrote, for each drift whose `expected` is still what is wanted: what the buyer has changed since
 * counts more. Drift that cannot be wanted (a missing line, a duplicate) changes nothing here.
 */
export function withDrift(desired: DesiredOrder, drift: readonly Drift[]): DesiredOrder {
  const own = drift.filter(isAdoptable)
  if (own.length === 0) return desired
  const ofOrder = own.filter(({ subject }) => subject === ORDER)
  return {
    ...patched(desired, ofOrder),
    lines: desired.lines.map((line) =>
      patched(
        line,
        own.filter(({ subject }) => subject === subjectOfLine(line.externalId)),
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
