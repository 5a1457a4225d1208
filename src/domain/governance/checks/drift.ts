import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import { type ChannelShare, toMicros, totalCommitted } from '../plan.ts'
import { adjust, deny, escalate, money, note, type Remark } from '../remark.ts'
import type { AllowedDrift } from './policies.ts'

/** What a plan without a policy on drift tolerates, in percent of what was planned for a channel. */
const DEFAULT_DRIFT = 20

/** Less than this share of delivery elsewhere is noise of geolocation, percent. */
const GEO_NOISE = 1

/** Under four fifths of parity, or over its inverse, an audience is skewed (29 CFR 1607.4 D). */
const PARITY = { low: 0.8, high: 1.25 }

/** Delivered figures against what was approved: spend, markets, channel mix, pacing, audience. */
export function checkDelivery(state: PlanState, action: GovernedAction, tolerance: AllowedDrift | undefined): readonly Remark[] {
  const { metrics } = action
  if (action.phase !== 'delivery' || !metrics) return []
  return [
    ...spend(state, metrics),
    ...places(state, metrics),
    ...mix(state, metrics, tolerance),
    ...pacing(state, metrics),
    ...skew(metrics),
  ]
}

type Metrics = NonNullable<GovernedAction['metrics']>

function spend({ plan, commitments, approved }: PlanState, { cumulative_spend, spend }: Metrics): readonly Remark[] {
  const { budget } = plan.document
  const spent = toMicros(cumulative_spend ?? spend ?? 0)
  const limit = approved?.amountMicros ?? toMicros(budget.total)
  if (spent <= limit) return []
  const more = { details: { spent: spent / 1e6, limit: limit / 1e6, committed: totalCommitted(commitments) / 1e6 } }
  return [deny('delivery', `${money(spent, budget.currency)} was spent of ${money(limit, budget.currency)} approved`, more)]
}

function places({ plan }: PlanState, { geo_distribution: geo }: Metrics): readonly Remark[] {
  const { countries } = plan.document
  if (!geo || !countries) return []
  const allowed = new Set(countries)
  const stray = Object.entries(geo).filter(([country, share = 0]) => share > GEO_NOISE && !allowed.has(country))
  if (stray.length === 0) return []
  return [
    deny(
      'markets',
      `delivery in ${stray.map(([country, share]) => `${country} (${share}%)`).join(', ')} is outside the plan's markets`,
    ),
  ]
}

/** Deviation of each channel's share from its planned one, and the money that it moved. */
function mix(
  state: PlanState,
  { channel_distribution: actual, cumulative_spend, spend }: Metrics,
  tolerance: AllowedDrift | undefined,
): readonly Remark[] {
  const { plan, approved } = state
  if (!actual) return []
  const planned = shares(approved?.channels ?? [])
  const unknown = planned.get(undefined) ?? 0
  const known = new Map([...planned].filter(([channel]) => channel !== undefined))
  const unplanned = Object.keys(actual).filter((channel) => !known.has(channel))
  const percent = tolerance?.percent ?? DEFAULT_DRIFT
  const remarks: Remark[] = []
  if (known.size === 0 && unknown === 0)
    return [
      note('delivery', 'warning', 'no approved channel mix is on record to compare the delivery with', {
        confidence: 0.3,
        uncertaintyReason: 'no approved purchase is linked to this check',
      }),
      ...targets(plan.document.channels?.mix_targets, actual),
    ]
  for (const [channel, share = 0] of Object.entries(actual)) {
    // One channel of unknown products replaces the share that could not be assigned.
    const expected = known.get(channel) ?? (unplanned.length > 0 ? unknown / unplanned.length : 0)
    const points = share - expected
    if (Math.abs(points) <= (expected * percent) / 100) continue
    const { currency } = plan.document.budget
    const moved = Math.round((toMicros(cumulative_spend ?? spend ?? 0) * Math.abs(points)) / 100)
    const text = `${channel} has ${round(share)}% of delivery against ${round(expected)}% planned (${money(moved, currency)}), more than ${percent}% off`
    const details = {
      code: 'BUDGET_DRIFT_EXCEEDED',
      channel,
      planned_pct: round(expected),
      actual_pct: share,
      moved: moved / 1e6,
    }
    const more = { details, ...(tolerance && { policyId: tolerance.policyId }) }
    const reason = `bring ${channel} back to ${round(expected)}% of spend`
    const threshold =
      'reallocation_threshold' in plan.document.budget ? toMicros(plan.document.budget.reallocation_threshold) : undefined
    remarks.push(
      threshold !== undefined && moved > threshold
        ? escalate('delivery', text, more)
        : adjust('delivery', text, [{ field: `channel_distribution.${channel}`, requiredValue: round(expected), reason }], more),
    )
  }
  return [...remarks, ...targets(plan.document.channels?.mix_targets, actual)]
}

type Targets = NonNullable<PlanState['plan']['document']['channels']>['mix_targets']

function targets(wanted: Targets, actual: NonNullable<Metrics['channel_distribution']>): readonly Remark[] {
  return Object.entries(wanted ?? {}).flatMap(([channel, { min_pct = 0, max_pct = 100 } = {}]) => {
    const share = actual[channel] ?? 0
    if (share >= min_pct && share <= max_pct) return []
    return [note('channels', 'warning', `${channel} has ${round(share)}% where the plan wants ${min_pct}% to ${max_pct}%`)]
  })
}

function pacing({ plan }: PlanState, { pacing, reporting_period: { start, end } }: Metrics): readonly Remark[] {
  const { flight } = plan.document
  const outside = Date.parse(end) <= Date.parse(flight.start) || Date.parse(start) >= Date.parse(flight.end)
  return [
    ...(pacing === 'ahead' || pacing === 'behind' ? [note('delivery', 'warning', `delivery is ${pacing} of its plan`)] : []),
    ...(outside ? [note('flight', 'warning', `the reporting period lies outside the plan's flight`)] : []),
  ]
}

function skew({ audience_distribution: audience }: Metrics): readonly Remark[] {
  const indices = audience?.cumulative_indices ?? audience?.indices ?? {}
  const skewed = Object.entries(indices).filter(([, index = 1]) => index < PARITY.low || index > PARITY.high)
  if (skewed.length === 0) return []
  const list = skewed.map(([group, index]) => `${group} ${index}`).join(', ')
  return [
    note('audience', 'warning', `the audience reached is skewed: ${list}`, { details: { indices: Object.fromEntries(skewed) } }),
  ]
}

function shares(channels: readonly ChannelShare[]): Map<string | undefined, number> {
  const total = channels.reduce((sum, share) => sum + share.micros, 0)
  const percent = new Map<string | undefined, number>()
  if (total === 0) return percent
  for (const { channel, micros } of channels) percent.set(channel, (percent.get(channel) ?? 0) + (micros * 100) / total)
  return percent
}

function round(percent: number): number {
  return Math.round(percent * 10) / 10
}
