import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { ATTRIBUTION_WINDOW, type Candidate, type IncomingEvent } from '../../domain/media-buy/attribute-conversions.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { findContentIds } from '../../store/catalog/catalog-items.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'
import type { Db } from '../../store/database.ts'
import { listBuysInFlight } from '../../store/media-buy/buys-in-flight.ts'
import { creativeFactsOf } from './creative-facts.ts'

/** Media buys that a batch of events is held against; more at the same time on one account are not looked at. */
const MOST_BUYS = 500

/** The packages of an account that may have caused the events of a batch, with the items of their catalogs that the events are about. */
export async function candidatesFor(
  tx: Db,
  principal: Principal,
  accountId: string,
  events: readonly IncomingEvent[],
): Promise<Candidate[]> {
  const known = events.filter(({ stored }) => stored.matched)
  if (known.length === 0) return []
  const times = known.map(({ stored }) => Date.parse(stored.eventTime))
  const from = new Date(Math.min(...times) - ATTRIBUTION_WINDOW.postClickDays * DAY_MS)
  const buys = await listBuysInFlight(tx, principal, accountId, { from, until: new Date(Math.max(...times)) }, MOST_BUYS)
  const facts = await creativeFactsOf(tx, principal, buys)
  const packages = buys.flatMap((buy) => buy.packages)
  const items = await catalogItems(tx, { principal, accountId, packages, events: known })
  return buys.flatMap((buy) =>
    buy.packages.map((pkg): Candidate => {
      const own = items.get(pkg.packageId)
      return { buy, pkg, facts: facts.get(pkg.packageId) ?? [], ...(own && { catalogItems: own }) }
    }),
  )
}

interface ItemQuestion {
  readonly principal: Principal
  readonly accountId: string
  readonly packages: readonly Package[]
  readonly events: readonly IncomingEvent[]
}

async function catalogItems(tx: Db, { principal, accountId, packages, events }: ItemQuestion) {
  const { tenantId, principalId } = principal
  const idsOf = (pkg: Package) => (pkg.catalogs ?? []).flatMap(({ catalog_id }) => catalog_id ?? [])
  const wanted = [...new Set(packages.flatMap(idsOf))]
  const catalogs = await findCatalogs(tx, { tenantId, principalId, accountId }, wanted)
  const platformIds = new Map(catalogs.map(({ catalogId, platformId }) => [catalogId, platformId]))
  const contentIds = [...new Set(events.flatMap(({ stored }) => stored.document.contentIds))]
  const found = await findContentIds(tx, tenantId, [...platformIds.values()], contentIds)
  return new Map(
    packages.flatMap((pkg) => {
      const own = idsOf(pkg).flatMap((id) => platformIds.get(id) ?? [])
      if (own.length === 0) return []
      return [[pkg.packageId, new Set(own.flatMap((id) => [...(found.get(id) ?? [])]))] as const]
    }),
  )
}
