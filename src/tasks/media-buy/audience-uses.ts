import type { Principal } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Db } from '../../store/database.ts'
import { buysInFlight } from '../../store/media-buy/buys-in-flight.ts'

/** Media buys of an account that are examined; no account runs more at a time. */
const MOST_BUYS = 1000
const EVER = new Date('9999-01-01T00:00:00Z')

/** The media buys of an account that run or will run, in parts; accounts of an agent of a conformance suite count as one. */
export async function* buysAhead(tx: Db, principal: Principal, accountId: string, now: Date): AsyncGenerator<MediaBuy> {
  const stretch = { accountId: principal.conformance ? undefined : accountId, from: now, until: EVER }
  for await (const part of buysInFlight(tx, principal, stretch, MOST_BUYS))
    yield* part.filter(({ cancellation }) => !cancellation)
}

/**
 * Audiences that a package which runs or will run targets or leaves out. Deleting one would let a package reach whom it must not, or nobody, so
 * they stay until the package lets go of them.
 */
export async function audiencesInUse(tx: Db, principal: Principal, accountId: string, now: Date): Promise<ReadonlySet<string>> {
  const inUse = new Set<string>()
  for await (const { packages } of buysAhead(tx, principal, accountId, now))
    for (const { cancellation, terms, targetingOverlay: overlay } of packages) {
      if (cancellation || Date.parse(terms.endsAt) < now.getTime()) continue
      for (const id of [...(overlay?.audience_include ?? []), ...(overlay?.audience_exclude ?? [])]) inUse.add(id)
    }
  return inUse
}
