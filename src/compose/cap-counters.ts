import type { Logger } from 'pino'
import type { CapCounters } from '../ad-serving/embedded/counters/cap-counters.ts'
import { YOUNG_MS } from '../ad-serving/embedded/counters/counted-choices.ts'
import type { Config } from '../config/config.ts'
import { createValkeyCounters } from '../platform/valkey/valkey-counters.ts'

/** The counters of frequency caps, as `ads.counters` says; undefined: the store counts. Throws ValkeyMissing where its client is not installed. */
export async function openCapCounters({
  config,
  log,
}: {
  readonly config: Config
  readonly log: Logger
}): Promise<CapCounters | undefined> {
  const { counters, valkey } = config.ads
  if (counters === 'store') return undefined
  return createValkeyCounters({
    settings: valkey,
    youngMs: YOUNG_MS,
    report: (fault, message) => log.error(fault instanceof Error ? { err: fault } : { fault }, message),
  })
}
