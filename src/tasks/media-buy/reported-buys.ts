import { accountScopeOf } from '../../domain/account/account.ts'
import { type DayRange, deliveryInSteps } from '../../domain/media-buy/delivery.ts'
import { shownStatus } from '../../domain/media-buy/lifecycle.ts'
import type { ReportedBuy } from '../../domain/media-buy/present-delivery.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { sumConversions } from '../../store/event/conversion-sums.ts'
import { listBookings } from '../../store/media-buy/list-media-buys.ts'
import { withItems } from './item-deliveries.ts'
import { reportsOf } from './orders.ts'
import { mediaBuysInParts, type Selection } from './select-media-buys.ts'

type Selected = Pick<Selection, 'ids' | 'statuses' | 'limit'>

/**
 * The first media buys of a selection with their delivery in a range of days, in order of creation. No more of them is held than is read at once: a hundred may have
 * a hundred megabytes.
 */
export async function* reportedBuys(
  context: InTransaction<AuthenticatedContext>,
  selection: Selected,
  range: DayRange,
): AsyncGenerator<ReportedBuy> {
  const { tx, principal, now, contract } = context
  const imported = await importSelected(tx, context, selection)
  const isWhole = range.first === undefined && range.last === undefined
  for await (const { buys, creatives } of mediaBuysInParts(tx, context, selection)) {
    const reports = await reportsOf({ ...context, imported }, buys, creatives)
    for (const buy of buys) {
      const conversions = await sumConversions(tx, principal.tenantId, buy.mediaBuyId, range)
      const lines = withConversions(reports.get(buy.mediaBuyId) ?? [], conversions.lines)
      const soFar = await inTurns(deliveryInSteps(buy, lines))
      const reported = {
        buy,
        status: shownStatus(buy, creatives, now, contract.rules),
        creatives,
        delivery: isWhole ? soFar : await inTurns(deliveryInSteps(buy, lines, range)),
        soFar,
        conversions: conversions.types,
      }
      yield withItems(tx, context, reported, range)
    }
  }
}

/** Has what was counted of the media buys of a selection imported all at once, as columns tell them. Gives their ids. */
export async function importSelected(
  db: Db,
  { principal, account, services, now }: AuthenticatedContext,
  { ids, statuses, limit }: Selected,
): Promise<ReadonlySet<string>> {
  if (ids?.length === 0) return new Set()
  const { accountId } = accountScopeOf(principal, account)
  const orders = await listBookings(db, principal, { accountId, ids, statuses, now }, limit)
  await services.adServers.importOnRead(principal.tenantId, orders)
  return new Set(orders.map(({ mediaBuyId }) => mediaBuyId))
}
