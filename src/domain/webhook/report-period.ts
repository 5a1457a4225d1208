import { ALWAYS_REPORTED, currentMetrics } from '../current-metrics.ts'
import type { ReportingFrequency } from '../product/reporting-capabilities.ts'

/** Half-open period of a delivery report, Unix milliseconds. */
export interface ReportPeriod {
  readonly from: number
  readonly until: number
  /** Nothing comes after it: the flight is over. */
  readonly final: boolean
}

/**
 * The period that a report due next covers: from `from` to the next UTC boundary of the frequency, or to the end of the flight
 * when that comes first. Unix milliseconds.
 */
export function reportPeriod(frequency: ReportingFrequency, from: number, flightEnd: number): ReportPeriod {
  const boundary = nextBoundary(frequency, from)
  return { from, until: Math.min(boundary, flightEnd), final: flightEnd <= boundary }
}

/** The first full hour, UTC midnight or first of a month after an instant. */
function nextBoundary(frequency: ReportingFrequency, at: number): number {
  const date = new Date(at)
  const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()]
  switch (frequency) {
    case 'hourly':
      return Date.UTC(year, month, day, hour + 1)
    case 'daily':
      return Date.UTC(year, month, day + 1)
    case 'monthly':
      return Date.UTC(year, month + 1, 1)
  }
}

/** The UTC days that a period touches. */
export function daysOf({ from, until }: { readonly from: number; readonly until: number }): { first: string; last: string } {
  return { first: dayText(from), last: dayText(Math.max(from, until - 1)) }
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Values of enums/available-metric and the response's names for them; all other members are not metrics and stay. */
const METRICS: ReadonlySet<string> = new Set([
  'impressions',
  'spend',
  'clicks',
  'ctr',
  'cost_per_click',
  'views',
  'completed_views',
  'completion_rate',
  'conversions',
  'conversion_value',
  'roas',
  'viewability',
  'engagement_rate',
  'grps',
  'reach',
  'frequency',
])

/** A report cut down to the metrics that the buyer asked for (`requested_metrics`); undefined keeps all. */
export function onlyMetrics(report: object, requested: readonly string[] | undefined): unknown {
  if (!requested) return report
  const wanted = new Set(currentMetrics(requested))
  const cut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cut)
    if (typeof value !== 'object' || value === null) return value
    const kept = Object.entries(value).filter(([name]) => !METRICS.has(name) || wanted.has(name) || ALWAYS_REPORTED.has(name))
    return Object.fromEntries(kept.map(([name, inner]) => [name, cut(inner)]))
  }
  return cut(report)
}
