import type { Logger } from 'pino'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Store } from '../store/database.ts'

/** How often the store is looked through for damaged pages: the whole file is read each time. */
const CHECK_MS = 6 * 3_600_000
/** The first look, when what starting takes is over. */
const FIRST_MS = 60_000

/** How often a test looks. */
export interface StoreCheckTuning {
  readonly everyMs?: number
  readonly firstMs?: number
}

/** The background check for damaged pages. */
export interface StoreCheck extends Pick<BackgroundJob, 'stop'> {
  /** How many damaged places the last look found; 0 before the first. */
  damagedPlaces(): number
}

/** Looks for damaged pages at intervals, in a thread; what is found is in the log, and the metric and readiness say how much. */
export function startStoreCheck(
  { store, metrics, log }: { readonly store: Store; readonly metrics: Metrics | undefined; readonly log: Logger },
  { everyMs = CHECK_MS, firstMs = FIRST_MS }: StoreCheckTuning = {},
): StoreCheck {
  let places = 0
  const check = async () => {
    const { found, covers } = await store.findDamage()
    places = found.length
    metrics?.storeDamage(places)
    for (const damage of found) log.error({ damage }, 'the store is damaged: restore a backup')
    if (found.length === 0) log.debug({ covers }, 'the store was checked for damage')
    return false
  }
  const job = startBackgroundJob(check, everyMs, (error) => log.error({ err: error }, 'checking the store for damage failed'))
  const first = setTimeout(job.wake, firstMs).unref()
  return {
    damagedPlaces: () => places,
    stop() {
      clearTimeout(first)
      return job.stop()
    },
  }
}
