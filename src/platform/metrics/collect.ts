import type { Config } from '../../config/config.ts'
import { readBacklog } from '../../store/backlog.ts'
import type { Store } from '../../store/database.ts'
import type { Metrics } from './metrics.ts'

import type { SpoolNumbers } from './spool-gauges.ts'

export type { Metrics } from './metrics.ts'

/** Starts collecting when somebody may scrape; the library is not even loaded otherwise. */
export async function collectMetrics(
  { metrics }: Pick<Config, 'metrics'>,
  store: Store,
  { clock, spool }: { readonly clock: () => Date; readonly spool: SpoolNumbers['spool'] },
): Promise<Metrics | undefined> {
  if (metrics.port === undefined && metrics.token === undefined) return undefined
  const { createMetrics } = await import('./metrics.ts')
  return createMetrics({ backlog: () => readBacklog(store.read, clock()), pools: () => store.pools(), spool })
}
