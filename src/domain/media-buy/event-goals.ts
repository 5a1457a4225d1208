import { AdcpError } from '../../protocol/errors.ts'
import { ATTRIBUTION_WINDOW } from './attribute-conversions.ts'
import type { Package } from './media-buy.ts'

type Goals = NonNullable<Package['optimizationGoals']>
type EventGoal = Extract<Goals[number], { kind: 'event' }>
type Duration = { readonly interval: number; readonly unit: string }

/** Event sources that goals are measured by. */
export function sourceIdsOf(goals: Goals): string[] {
  return [...new Set(goals.filter(isEventGoal).flatMap((goal) => goal.event_sources.map((entry) => entry.event_source_id)))]
}

/**
 * Checks the event goals of a package (core/optimization-goal.json). Throws, naming the field below `path`: INVALID_REQUEST for a source that the account does not have,
 * VALIDATION_ERROR for a target on value without a field that holds it, UNSUPPORTED_FEATURE for a window that is not offered.
 */
export function requireGoalSources(goals: Goals, known: ReadonlySet<string>, path: string): void {
  for (const [index, goal] of goals.entries()) {
    if (!isEventGoal(goal)) continue
    for (const [position, { event_source_id: id }] of goal.event_sources.entries()) {
      if (known.has(id)) continue
      const field = `${path}[${index}].event_sources[${position}].event_source_id`
      throw new AdcpError('INVALID_REQUEST', `${field} is no event source of the account`, {
        field,
        suggestion: 'declare it with sync_event_sources first',
      })
    }
    requireValueField(goal, `${path}[${index}]`)
    requireWindow(goal, `${path}[${index}].attribution_window`)
  }
}

function requireValueField({ target, event_sources }: EventGoal, path: string): void {
  const kind = target?.kind
  if (kind !== 'per_ad_spend' && kind !== 'maximize_value') return
  if (event_sources.some(({ value_field }) => value_field !== undefined)) return
  const field = `${path}.event_sources`
  throw new AdcpError('VALIDATION_ERROR', `${field} needs a value_field for a target of ${kind}`, { field })
}

function requireWindow({ attribution_window: window }: EventGoal, field: string): void {
  if (!window) return
  const { postClickDays, postViewDays } = ATTRIBUTION_WINDOW
  if (daysOf(window.post_click) === postClickDays && (!window.post_view || daysOf(window.post_view) === postViewDays)) return
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `${field} is ${postClickDays} days after a click and ${postViewDays} after a view here`,
    {
      field,
    },
  )
}

function daysOf({ interval, unit }: Duration): number | undefined {
  if (unit === 'days') return interval
  return unit === 'hours' ? interval / 24 : undefined
}

function isEventGoal(goal: Goals[number]): goal is EventGoal {
  return goal.kind === 'event'
}
