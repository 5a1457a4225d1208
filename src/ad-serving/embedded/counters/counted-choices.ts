import { groupBy } from '../../../domain/group-by.ts'
import type { Store } from '../../../store/database.ts'
import { addExposures, type Exposure, listExposures, UNCONFIRMED_MS } from '../../../store/embedded/exposures.ts'
import { createBatches } from '../batches.ts'
import type { CappedChoices, CappedInput } from '../choose-capped.ts'
import type { Engine } from '../engine.ts'
import type { CapCounters, CountedExposure, Reserved, ReserveRequest } from './cap-counters.ts'
import { CountedPage } from './counted-page.ts'

/** How a decision learned what its visitor has been shown: `counted`: from the counters alone; `loaded`: after reading the visitor from the store; `silent`: not at all, so no capped line was shown. */
export type CountedResult = 'counted' | 'loaded' | 'silent'

export interface CountedChoicesParts {
  readonly store: Store
  readonly tenantId: string
  readonly engine: Engine
  readonly counters: CapCounters
  /** How long after it was acknowledged an impression may be counted. */
  readonly countsWithinMs: number
  readonly count?: ((result: CountedResult) => void) | undefined
}

/**
 * From the counters to the store at most, in milliseconds. A visitor who is loaded from the store later than that, into counters that began anew, is loaded with this decision:
 * counters that began less than {@link YOUNG_MS} ago are not used.
 */
const DURABLE_WITHIN_MS = 3_000
export const YOUNG_MS = 5_000
const BATCHES = { most: 200, atOnce: 2 }

/** Neither the counters nor the store say what the visitor has been shown. */
class Silent extends Error {}

/**
 * Choices where a line has a frequency cap, with what visitors have had in counters outside the store. What is chosen is in the store too before it is shown, since counters can be
 * lost. `choose` gives undefined while nobody knows what the visitor has had, and rejects when the store is away; nothing is taken then.
 */
export function createCountedChoices({
  store,
  tenantId,
  engine,
  counters,
  countsWithinMs,
  count,
}: CountedChoicesParts): CappedChoices {
  const write = createBatches<Exposure, true>(async (exposures) => {
    await store.transaction((tx) => addExposures(tx, tenantId, exposures), { isolation: 'read-committed' })
    return exposures.map(() => true)
  }, BATCHES)
  const load = createBatches<ReserveRequest, readonly CountedExposure[]>(async (asked) => {
    const viewers = [...new Set(asked.map(({ viewer }) => viewer))]
    const since = new Date(Math.min(...asked.map((each) => each.since)))
    const now = new Date(Math.min(...asked.map((each) => each.now)) - countsWithinMs)
    const found = groupBy(await listExposures(store.read, { tenantId, viewers }, since, now), ({ viewer }) => viewer)
    return asked.map(({ viewer }) => found.get(viewer) ?? [])
  }, BATCHES)
  const ask = async (request: ReserveRequest): Promise<Reserved> => {
    try {
      return await counters.reserve(request)
    } catch (error) {
      throw new Silent('', { cause: error })
    }
  }
  const reserve = async (request: ReserveRequest): Promise<readonly number[]> => {
    const first = await ask(request)
    const answer = first === 'unknown' || first === 'unsettled' ? await ask({ ...request, known: await load(request) }) : first
    if (typeof answer === 'string') throw new Silent(answer)
    count?.(answer === first ? 'counted' : 'loaded')
    return answer
  }
  const release = (viewer: string, reserved: CountedPage['lost']) => {
    // What stays taken is so until its impression cannot come any more.
    if (reserved.length > 0) counters.release({ tenantId, viewer }, reserved).catch(() => {})
  }
  const fill = async (page: CountedPage, { viewer, now }: CappedInput): Promise<void> => {
    const began = performance.now()
    const since = Math.max(0, now.getTime() - furthest(engine))
    const asked = { tenantId, viewer, now: now.getTime(), since, pendingMs: UNCONFIRMED_MS + countsWithinMs }
    await page.fill((slots, shown) => reserve({ ...asked, slots, shown }))
    const written = Promise.all(page.reserved.map((each) => write({ ...each, viewer, decidedAt: now })))
    if (page.reserved.length > 0) await within(DURABLE_WITHIN_MS - (performance.now() - began), written)
  }
  return {
    async choose(input) {
      const page = new CountedPage(input, engine)
      try {
        await fill(page, input)
        return page.choices
      } catch (error) {
        page.giveBack()
        page.lost.push(...page.reserved)
        if (!(error instanceof Silent)) throw error
        count?.('silent')
        return undefined
      } finally {
        release(input.viewer, page.lost)
      }
    },
  }
}

/** Resolves when the work is done in time, rejects when it is not, however late this process finds out. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const until = performance.now() + ms
  const late = () => new Error(`the store took longer than ${DURABLE_WITHIN_MS} ms for a decision with a frequency cap`)
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, ms))
  })
  try {
    await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
  if (performance.now() > until) throw late()
}

/** The longest window of a frequency cap of the publisher, in milliseconds: a visitor is loaded with all that may count for any of them. */
function furthest({ snapshot }: Engine): number {
  return Math.max(0, ...snapshot.capWindows.values())
}
