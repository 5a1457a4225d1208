import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { type DayMetrics, type DayRange, deliveryOf, type LineReport } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { shareDelivery } from '../../domain/media-buy/share-delivery.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { listAssignedMediaBuys } from '../../store/creative/creative-assignments.ts'
import { reportsOf } from '../media-buy/orders.ts'
import { selectMediaBuys } from '../media-buy/select-media-buys.ts'

/** What one creative delivered on one media buy. */
export interface CreativeDelivery {
  readonly creativeId: string
  readonly mediaBuyId: string
  readonly accountId: string
  readonly currency: string
  readonly formatId: FormatKey | undefined
  /** Days on which something happened, in order; one entry a day and package. */
  readonly days: readonly DayMetrics[]
}

export interface CreativeDeliveries {
  readonly buys: readonly MediaBuy[]
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
  const ids = filter.mediaBuyIds ?? (await listAssignedMediaBuys(context.db, context.principal))
  const selection = { ids, statuses: undefined, after: undefined, limit: MOST_BUYS }
  const { buys, creatives } = await selectMediaBuys(context.db, context, selection)
  const reports = await reportsOf(context, buys, creatives)
  const rows = buys.flatMap((buy) => rowsOf(buy, creatives, reports.get(buy.mediaBuyId) ?? [], range))
  const wanted = filter.creativeIds && new Set(filter.creativeIds)
  return { buys, rows: wanted ? rows.filter(({ creativeId }) => wanted.has(creativeId)) : rows }
}

function rowsOf(buy: MediaBuy, creatives: CreativeFacts, reports: readonly LineReport[], range: DayRange): CreativeDelivery[] {
  const delivery = deliveryOf(buy, reports, range)
  const rows = new Map<string, CreativeDelivery & { readonly days: DayMetrics[] }>()
  for (const pkg of buy.packages) {
    const facts = (creatives.get(pkg.packageId) ?? []).filter(({ approval }) => approval !== undefined)
    const sum = delivery.packages.get(pkg.packageId)
    const shares = sum ? shareDelivery(pkg, sum, facts) : new Map<string, DayMetrics[]>()
    for (const { creativeId, formatId } of facts) {
      const { mediaBuyId, accountId, currency } = buy
      const row = rows.get(creativeId) ?? { creativeId, mediaBuyId, accountId, currency, formatId, days: [] }
      row.days.push(...(shares.get(creativeId) ?? []))
      rows.set(creativeId, row)
    }
  }
  return [...rows.values()]
}
