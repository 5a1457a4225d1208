import type { LineReport } from '../../domain/media-buy/delivery.ts'
import { DAY_MS } from '../../domain/media-buy/flight.ts'
import type { CreativeFact, Window } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { assignmentsOf, listAssignedMediaBuys } from '../../store/creative-assignments.ts'
import { findMediaBuys } from '../../store/media-buys.ts'
import { reportsOf } from '../media-buy/orders.ts'

/**
 * Ids of the agent's creatives that have served at least one impression: the line of a package delivered on a day on which the
 * creative could serve there. Asks the ad server, so it is for `prepare`.
 */
export async function servedCreativeIds(context: AuthenticatedContext): Promise<string[]> {
  const { db, principal } = context
  const buys = await findMediaBuys(db, principal, await listAssignedMediaBuys(db, principal))
  const facts = await assignmentsOf(
    db,
    principal,
    buys.flatMap((buy) => buy.packages.map((pkg) => pkg.packageId)),
  )
  const reports = [...(await reportsOf(context, buys, facts)).values()].flat()
  const served = reports.flatMap((report) =>
    (facts.get(report.packageId) ?? []).filter((fact) => hasServed(fact, report)).map((fact) => fact.creativeId),
  )
  return [...new Set(served)]
}

function hasServed({ served = [], servesFrom }: CreativeFact, { days }: LineReport): boolean {
  const windows: Window[] = [...served, ...(servesFrom === undefined ? [] : [{ from: servesFrom }])]
  return days.some(({ day, impressions }) => {
    const start = Date.parse(day)
    return (
      impressions > 0 &&
      windows.some(({ from, until }) => Date.parse(from) < start + DAY_MS && (until === undefined || Date.parse(until) > start))
    )
  })
}
