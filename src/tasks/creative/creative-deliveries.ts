import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { type BuyDelivery, type DayMetrics, type DayRange, deliveryInSteps, sumDays } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { shareDelivery } from '../../domain/media-buy/share-delivery.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listAssignedMediaBuys } from '../../store/creative/creative-assignments.ts'
import { reportsOf } from '../media-buy/orders.ts'
import { importSelected } from '../media-buy/reported-buys.ts'
import { mediaBuysInParts, namedMediaBuys } from '../media-buy/select-media-buys.ts'

/** What one creative delivered on one media buy. */
export interface CreativeDelivery {
  readonly creativeId: string
  readonly mediaBuyId: string
  readonly accountId: string
  readonly currency: string
  readonly formatId: FormatKey | undefined
  /** Days on which something happened, in order. */
  readonly days: readonly DayMetrics[]
}

export interface CreativeDeliveries {
  readonly buys: readonly Pick<MediaBuy, 'currency' | 'startsAt'>[]
  readonly rows: readonly CreativeDelivery[]
}

/** One look at the books: what a reply can carry is paged afterwards. */
const MOST_BUYS = 1000

/** Delivery of the library creatives that are assigned to media buys within reach of the call. Asks the ad server, so it is for `prepare`. */
export async function creativeDeliveries(
  context: AuthenticatedContext,
  filter: { readonly mediaBuyIds?: readonly string[] | undefined; readonly creativeIds?: readonly string[] | undefined },
  range: DayRange = {},
): Promise<CreativeDeliveries> {
  const { db, principal } = context
  const ids = filter.mediaBuyIds ?? (await listAssignedMediaBuys(db, principal))
  const { known } = await namedMediaBuys(db, context, ids)
  const selection = { ids: known, statuses: undefined, limit: MOST_BUYS }
  const imported = await importSelected(db, context, selection)
  const wanted = filter.creativeIds && new Set(filter.creativeIds)
  const found: Pick<MediaBuy, 'currency' | 'startsAt'>[] = []
  const rows: CreativeDelivery[] = []
  for await (const { buys, creatives } of mediaBuysInParts(db, context, selection)) {
    const reports = await reportsOf({ ...context, imported }, buys, creatives)
    for (const buy of buys) {
      const { currency, startsAt } = buy
      found.push({ currency, startsAt })
      const delivery = await inTurns(deliveryInSteps(buy, reports.get(buy.mediaBuyId) ?? [], range))
      for (const row of await inTurns(rowsOf(buy, creatives, delivery))) if (wanted?.has(row.creativeId) ?? true) rows.push(row)
    }
  }
  return { buys: found, rows }
}

function* rowsOf(buy: MediaBuy, creatives: CreativeFacts, delivery: BuyDelivery): Steps<CreativeDelivery[]> {
  const rows = new Map<string, CreativeDelivery>()
  for (const pkg of buy.packages) {
    const facts = (creatives.get(pkg.packageId) ?? []).filter(({ approval }) => approval !== undefined)
    const sum = delivery.packages.get(pkg.packageId)
    const shares = sum ? shareDelivery(pkg, sum, facts) : new Map<string, DayMetrics[]>()
    for (const { creativeId, formatId } of facts) {
      const { mediaBuyId, accountId, currency } = buy
      const row = rows.get(creativeId) ?? { creativeId, mediaBuyId, accountId, currency, formatId, days: [] }
      // A creative may be in hundreds of packages: of each day one sum stays.
      rows.set(creativeId, { ...row, days: sumDays([...row.days, ...(shares.get(creativeId) ?? [])]).days })
    }
    yield
  }
  return [...rows.values()]
}
