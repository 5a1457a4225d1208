import { hourOf } from '../../domain/calendar/instant.ts'
import type { Store } from '../../store/database.ts'
import { addPlaceHours, keyOfPlaceHour, NO_PLACE_COUNTS, type PlaceHour } from '../../store/embedded/place-hours.ts'

/** How often counts are written; a process that dies loses those since. */
const WRITE_MS = 10_000
/** Placements and hours that may wait while the store is away: a day of two thousand placements. What comes beyond is not counted. */
const MOST_WAITING = 50_000

/** Counts requests for ads by placement and hour in memory, and adds them to the store now and then. */
export interface RequestCounts {
  add(tenantId: string, place: string, at: Date, isFilled: boolean): void
  /** Writes what waits, once and for all. */
  close(): Promise<void>
}

export interface RequestCountsParts {
  readonly store: Pick<Store, 'transaction'>
  readonly onError: (error: unknown) => void
  /** Told, at most once a {@link WRITE_MS}, how many requests were not counted since. */
  readonly onUncounted: (requests: number) => void
}

/** Requests of a placement in an hour that are not written yet. Every decision adds to one. */
interface Waiting extends Pick<PlaceHour, 'tenantId' | 'hour' | 'place'> {
  requests: number
  filled: number
}

/** Counts that cannot be written wait for the next time. */
export function createRequestCounts({ store, onError, onUncounted }: RequestCountsParts): RequestCounts {
  let waiting = new Map<string, Waiting>()
  let writing: Promise<void> | undefined
  let uncounted = 0

  const put = (row: Waiting) => {
    const key = keyOfPlaceHour(row)
    const known = waiting.get(key)
    if (known) {
      known.requests += row.requests
      known.filled += row.filled
    } else if (waiting.size < MOST_WAITING) waiting.set(key, row)
    else uncounted += row.requests
  }
  const write = async () => {
    const taken = [...waiting.values()]
    if (taken.length === 0) return
    waiting = new Map()
    try {
      await store.transaction(
        (tx) =>
          addPlaceHours(
            tx,
            taken.map((row) => ({ ...NO_PLACE_COUNTS, ...row })),
          ),
        { isolation: 'read-committed' },
      )
    } catch (error) {
      for (const row of taken) put(row)
      onError(error)
    }
  }
  const tellUncounted = () => {
    if (uncounted > 0) onUncounted(uncounted)
    uncounted = 0
  }
  const flush = () => {
    writing ??= write().finally(() => {
      tellUncounted()
      writing = undefined
    })
    return writing
  }
  const timer = setInterval(() => void flush(), WRITE_MS)
  timer.unref()
  return {
    add(tenantId, place, at, isFilled) {
      const hour = hourOf(at.toISOString())
      put({ tenantId, hour, place, requests: 1, filled: isFilled ? 1 : 0 })
    },
    async close() {
      clearInterval(timer)
      await writing
      await flush()
    },
  }
}
