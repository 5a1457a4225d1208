/**
 * Names of metrics as every release of AdCP knows them: 3.0 has two for a view to the end, and 3.1 took `video_completions` away
 * (enums/available-metric.json). Clients of later releases refuse a whole answer that has it.
 */
export function currentMetrics<T extends string>(metrics: readonly T[]): (T | 'completed_views')[] {
  return [...new Set(metrics.map((metric) => (metric === 'video_completions' ? 'completed_views' : metric)))]
}

/** Metrics that every report has, whatever was asked for: the response schema of get_media_buy_delivery demands them. */
export const ALWAYS_REPORTED: ReadonlySet<string> = new Set(['impressions', 'spend'])
