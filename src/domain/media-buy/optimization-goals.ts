import { AdcpError } from '../../protocol/errors.ts'
import type { Offer } from '../product/offer.ts'
import type { PackageRequest } from './order-request.ts'

type Goals = NonNullable<PackageRequest['optimization_goals']>
type MetricGoal = Extract<Goals[number], { kind: 'metric' }>

/**
 * Holds goals for seller-native metrics, and targets of goals for events, to what the product can optimize for; a product that lists no targets for events
 * takes any. `path` is that of the package in the request. Throws TERMS_REJECTED for a metric that it cannot (optimization-reporting page, "Optimization
 * requires capability"), and INVALID_REQUEST for a value beside it and for a target, naming the member and what is supported (AdCP core/product.json
 * `metric_optimization`, `conversion_tracking`: sellers reject unsupported values, because rounding them in silence would change what is counted).
 */
export function checkOptimizationGoals(
  { metric_optimization: supported, conversion_tracking }: Pick<Offer, 'metric_optimization' | 'conversion_tracking'>,
  goals: PackageRequest['optimization_goals'],
  path: string,
): void {
  const targets = conversion_tracking?.supported_targets
  goals?.forEach((goal, index) => {
    const field = `${path}.optimization_goals[${index}]`
    if (goal.kind === 'metric') checkMetricGoal(goal, supported, field)
    if (goal.kind === 'event' && goal.target && targets) requireOneOf(`${field}.target.kind`, goal.target.kind, targets)
  })
}

function checkMetricGoal(goal: MetricGoal, supported: Offer['metric_optimization'], path: string): void {
  if (!supported) throw unsupported(`${path}.kind`, 'metric', []).withCode('TERMS_REJECTED')
  if (!supported.supported_metrics.includes(goal.metric))
    throw unsupported(`${path}.metric`, goal.metric, supported.supported_metrics).withCode('TERMS_REJECTED')
  if (goal.reach_unit !== undefined) {
    requireOneOf(`${path}.reach_unit`, goal.reach_unit, supported.supported_reach_units ?? [])
  }
  if (goal.view_duration_seconds !== undefined) {
    requireOneOf(`${path}.view_duration_seconds`, goal.view_duration_seconds, supported.supported_view_durations ?? [])
  }
  if (goal.target) requireOneOf(`${path}.target.kind`, goal.target.kind, supported.supported_targets ?? [])
}

function requireOneOf<T extends string | number>(field: string, value: T, supported: readonly T[]): void {
  if (!supported.includes(value)) throw unsupported(field, value, supported)
}

function unsupported(field: string, value: string | number, supported: readonly (string | number)[]): AdcpError {
  const allowed =
    supported.length === 0 ? 'the product supports none; leave it out' : `the product supports: ${supported.join(', ')}`
  return new AdcpError('INVALID_REQUEST', `${field} ${JSON.stringify(value)} is not supported; ${allowed}`, { field })
}
