import type { Principal } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Db } from '../../store/database.ts'
import { listBuysInFlight } from '../../store/media-buy/buys-in-flight.ts'

/** Media buys of an account that are examined; no account runs more at a time. */
const MOST_BUYS = 1000
const EVER = new Date('9999-01-01T00:00:00Z')

/** The media buys of an account that run or will run; accounts of an agent of a conformance suite count as one. */
export async function buysAhead(tx: Db, principal: Principal, accountId: string, now: Date): Promise<readonly MediaBuy[]> {
  const buys = await listBuysInFlight(
    tx,
    principal,
    principal.conformance ? undefined : accountId,
    { from: now, until: EVER },
    MOST_BUYS,
  )
  return buys.filter(({ cancellation }) => !cancellation)
}

/**
 * Audiences that a package which runs or will run targets or leaves out. Deleting one would let a package reach whom it must not, or nobody, so
 * they stay until the package lets go of them.
 */
export async function audiencesInUse(tx: Db, principal: Principal, accountId: string, now: Date): Promise<ReadonlySet<string>> {
  const packages = (await buysAhead(tx, principal, accountId, now)).flatMap((buy) => buy.packages)
  const running = packages.filter((pkg) => !pkg.cancellation && Date.parse(pkg.terms.endsAt) >= now.getTime())
  return new Set(
    running.flatMap(({ targetingOverlay: overlay }) => [
      ...(overlay?.audience_include ?? []),
      ...(overlay?.audience_exclude ?? []),
    ]),
  )
}
