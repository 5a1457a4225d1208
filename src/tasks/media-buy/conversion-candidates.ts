import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { ATTRIBUTION_WINDOW, type Holding, type IncomingEvent } from '../../domain/media-buy/attribute-conversions.ts'
import { type Candidate, candidateOf } from '../../domain/media-buy/attribution-candidate.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { findContentIds } from '../../store/catalog/catalog-items.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'
import { readChunks } from '../../store/chunks.ts'
import type { Db } from '../../store/database.ts'
import { buysInFlight, type InFlight } from '../../store/media-buy/buys-in-flight.ts'
import { creativeFactsOf } from './creative-facts.ts'

/** Media buys that a batch of events is held against; more at the same time on one account are not looked at. */
const MOST_BUYS = 500

/** The flights that may have caused events of some moments (Unix milliseconds, one at least). */
export function stretchBefore(accountId: string, times: readonly number[]): InFlight {
  const [first, last] = times.reduce<[number, number]>(([a, b], at) => [Math.min(a, at), Math.max(b, at)], [Infinity, 0])
  return { accountId, from: new Date(first - ATTRIBUTION_WINDOW.postClickDays * DAY_MS), until: new Date(last) }
}

/** The packages of an account that may have caused the events of a batch, and the catalogs that hold items which the events are about. */
export async function candidatesFor(
  db: Db,
  principal: Principal,
  accountId: string,
  events: readonly IncomingEvent[],
): Promise<{ readonly candidates: readonly Candidate[]; readonly holding: Holding }> {
  const known = events.filter(({ stored }) => stored.matched)
  if (known.length === 0) return { candidates: [], holding: new Map() }
  const times = known.map(({ stored }) => Date.parse(stored.eventTime))
  const candidates: Candidate[] = []
  const catalogs = new Map<string, readonly string[]>()
  for await (const part of buysInFlight(db, principal, stretchBefore(accountId, times), MOST_BUYS)) {
    const facts = await creativeFactsOf(db, principal, part)
    for (const buy of part)
      for (const pkg of buy.packages) {
        const candidate = candidateOf(buy, pkg, facts.get(pkg.packageId) ?? [])
        if (!candidate) continue
        candidates.push(candidate)
        catalogs.set(pkg.packageId, catalogsOf(pkg))
      }
  }
  const { tenantId, principalId } = principal
  const wanted = [...new Set([...catalogs.values()].flat())]
  const found = await readChunks(wanted, (chunk) => findCatalogs(db, { tenantId, principalId, accountId }, chunk))
  const platformIds = new Map(found.map(({ catalogId, platformId }) => [catalogId, platformId]))
  const ofAccount = (packageId: string) => (catalogs.get(packageId) ?? []).flatMap((id) => platformIds.get(id) ?? [])
  return {
    candidates: candidates.map((candidate) => {
      const own = ofAccount(candidate.packageId)
      return own.length === 0 ? candidate : { ...candidate, catalogs: own }
    }),
    holding: await holdingOf(db, tenantId, [...platformIds.values()], known),
  }
}

function catalogsOf({ catalogs = [] }: Package): readonly string[] {
  return catalogs.flatMap(({ catalog_id: id }) => id ?? [])
}

async function holdingOf(
  db: Db,
  tenantId: string,
  platformIds: readonly string[],
  events: readonly IncomingEvent[],
): Promise<Holding> {
  const holding = new Map<string, string[]>()
  const contentIds = [...new Set(events.flatMap(({ stored }) => stored.document.contentIds))]
  for (const [platformId, items] of await findContentIds(db, tenantId, platformIds, contentIds))
    for (const id of items) {
      const holders = holding.get(id)
      if (holders) holders.push(platformId)
      else holding.set(id, [platformId])
    }
  return holding
}
