import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import type { Db } from '../../store/database.ts'

/** What the creative library says of the creatives of media buys, by package id. */
export function creativeFactsOf(db: Db, agent: ActingPrincipal, buys: readonly MediaBuy[]): Promise<CreativeFacts> {
  return assignmentsOf(
    db,
    agent,
    buys.flatMap((buy) => buy.packages.map((pkg) => pkg.packageId)),
  )
}

/** The same of a media buy that was recorded just now: it has the assignments that it came with, and no others. */
export async function creativesOfNew(
  tx: Db,
  agent: ActingPrincipal,
  { buy, assignments }: { readonly buy: MediaBuy; readonly assignments: readonly unknown[] },
): Promise<CreativeFacts> {
  return assignments.length === 0 ? new Map() : creativeFactsOf(tx, agent, [buy])
}
