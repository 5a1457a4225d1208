import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { type Agent, assignmentsOf } from '../../store/creative-assignments.ts'
import type { Db } from '../../store/database.ts'

export { replaceAssignments } from '../../store/creative-assignments.ts'

/** What the creative library says of the creatives of media buys. */
export async function creativeFactsOf(db: Db, agent: Agent, buys: readonly MediaBuy[]): Promise<CreativeFacts> {
  return assignmentsOf(
    db,
    agent,
    buys.flatMap((buy) => buy.packages.map((pkg) => pkg.packageId)),
  )
}
