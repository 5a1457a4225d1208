import type { AdServers } from '../../ad-serving/ad-servers.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { type DayRange, NOTHING } from '../../domain/media-buy/delivery.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { ItemDelivery, ReportedBuy } from '../../domain/media-buy/present-delivery.ts'
import { minorUnitMicros, split } from '../../domain/money.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listCatalogItems } from '../../store/catalog/catalog-items.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'
import type { Db } from '../../store/database.ts'
import { type ContentConversions, sumContents } from '../../store/event/conversion-sums.ts'

interface Context {
  readonly principal: Principal
  readonly services: { readonly adServers: AdServers }
}

/** Items of a package that a report lists; a feed of thousands is not read by anyone. */
const MOST_ITEMS = 50

/**
 * A media buy with the delivery of the items of its catalog-driven packages. Only the simulator's: it shows the items of a package in turn, so their shares are equal; what an ad
 * server does with a feed it would have to report itself. `range`: the days of the report.
 */
export async function withItems<B extends ReportedBuy>(
  tx: Db,
  { principal, services }: Context,
  reported: B,
  range: DayRange,
): Promise<B> {
  if (!services.adServers.of(principal.tenantId, principal).simulated) return reported
  const items = new Map<string, readonly ItemDelivery[]>()
  for (const pkg of reported.buy.packages) {
    if (!pkg.catalogs?.some(({ catalog_id }) => catalog_id !== undefined)) continue
    await yieldToEventLoop()
    const named = await itemsOf(tx, principal, reported, pkg)
    if (named.length === 0) continue
    const ids = new Set(named.map(({ contentId }) => contentId))
    const hasConversions = reported.conversions?.has(pkg.packageId) === true
    const about = hasConversions ? await sumContents(tx, principal.tenantId, keyOf(reported, pkg), ids, range) : undefined
    items.set(pkg.packageId, sharesOf(reported, pkg, named, about))
  }
  return items.size > 0 ? { ...reported, items } : reported
}

const keyOf = ({ buy: { mediaBuyId } }: ReportedBuy, { packageId }: Package) => ({ mediaBuyId, packageId })

type NamedItem = Pick<ItemDelivery, 'contentId' | 'contentIdType'>

async function itemsOf(tx: Db, principal: Principal, { buy }: ReportedBuy, { catalogs = [] }: Package): Promise<NamedItem[]> {
  const { tenantId, principalId, conformance } = principal
  const reach = { tenantId, principalId, accountId: conformance ? undefined : buy.accountId }
  const ids = catalogs.flatMap(({ catalog_id }) => catalog_id ?? [])
  const named: NamedItem[] = []
  for (const { catalogId, document } of await findCatalogs(tx, reach, ids)) {
    const wanted = catalogs.find(({ catalog_id }) => catalog_id === catalogId)?.ids
    const limit = MOST_ITEMS - named.length
    if (limit === 0) break
    const items = await listCatalogItems(tx, reach, catalogId, { ids: wanted, limit })
    named.push(...items.map(({ contentId }) => ({ contentId, contentIdType: document.content_id_type })))
  }
  return named
}

function sharesOf(
  { buy, delivery }: ReportedBuy,
  { packageId }: Package,
  items: readonly NamedItem[],
  about: ReadonlyMap<string, ContentConversions> | undefined,
): ItemDelivery[] {
  const { impressions, spendMicros } = delivery.packages.get(packageId)?.total ?? NOTHING
  const weights = items.map(() => 1)
  const shown = split(impressions, weights)
  const spent = split(spendMicros, weights, minorUnitMicros(buy.currency))
  return items.map((item, index) => ({
    ...item,
    impressions: shown[index] ?? 0,
    spendMicros: spent[index] ?? 0,
    conversions: about?.get(item.contentId)?.conversions ?? 0,
    conversionValueMicros: about?.get(item.contentId)?.valueMicros ?? 0,
  }))
}
