import { isObject } from '../../protocol/is-object.ts'
import type { Package } from './media-buy.ts'

/** The contract of a metric without the moment of the commitment (AdCP 3.1, core/missing-metric.json). */
type MissingMetric = Readonly<Record<string, unknown>>

/**
 * The metrics that a package committed to and that a report of its delivery does not have (AdCP 3.1, `by_package[].missing_metrics`). A package that delivered
 * nothing, or committed to nothing before the end of the report, lacks nothing.
 */
export function missingMetrics(
  { committedMetrics = [] }: Pick<Package, 'committedMetrics'>,
  row: { readonly impressions: number; readonly viewability?: unknown },
  until: string,
): readonly MissingMetric[] {
  if (row.impressions === 0) return []
  const reported = new Set([...Object.keys(row), ...(isObject(row.viewability) ? Object.keys(row.viewability) : [])])
  return committedMetrics.filter(isObject).flatMap(({ committed_at: committedAt, ...metric }) => {
    if (typeof committedAt !== 'string' || committedAt >= until) return []
    return typeof metric.metric_id === 'string' && isReported(metric, reported, row.viewability) ? [] : [metric]
  })
}

/** A standard metric counts as reported under its own qualifier alone: a rate by another standard of viewability is not the one committed to. */
function isReported(
  { scope, metric_id: id, qualifier }: MissingMetric,
  reported: ReadonlySet<string>,
  viewability: unknown,
): boolean {
  if (scope !== 'standard' || typeof id !== 'string' || !reported.has(id)) return false
  const standard = isObject(qualifier) ? qualifier.viewability_standard : undefined
  return standard === undefined || (isObject(viewability) && viewability.standard === standard)
}
