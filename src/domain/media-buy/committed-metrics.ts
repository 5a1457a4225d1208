import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Offer } from '../product/offer.ts'

/**
 * Holds the metrics that a buyer wants to see reported (AdCP 3.1, media-buy/package-request.json `committed_metrics`) to what the product reports. No product
 * reports figures of a measurement vendor. Throws TERMS_REJECTED naming the entry: what is not refused is promised.
 */
export function checkCommittedMetrics({ reporting_capabilities: reporting }: Offer, request: object, path: string): void {
  if (!('committed_metrics' in request) || !Array.isArray(request.committed_metrics)) return
  const reported: readonly string[] = reporting.available_metrics
  request.committed_metrics.forEach((entry: unknown, index) => {
    if (!isObject(entry)) return
    if (entry.scope === 'standard' && typeof entry.metric_id === 'string' && reported.includes(entry.metric_id)) return
    const field = `${path}.committed_metrics[${index}]`
    const what = entry.scope === 'vendor' ? 'a metric of a measurement vendor' : `"${String(entry.metric_id)}"`
    throw new AdcpError('TERMS_REJECTED', `${field}: the product does not report ${what}; it reports: ${reported.join(', ')}`, {
      field,
      details: { available_metrics: reported },
    })
  })
}

/** The metrics that a package commits to, as the buy shows them: with the moment of the commitment (3.1 core/package.json `committed_metrics`). */
export function committedMetricsOf(request: object, now: Date): readonly object[] {
  if (!('committed_metrics' in request) || !Array.isArray(request.committed_metrics)) return []
  return request.committed_metrics.filter(isObject).map((entry) => ({ ...entry, committed_at: now.toISOString() }))
}
