import type { AdServers } from '../../ad-serving/ad-servers.ts'
import type { CatalogItem } from '../../domain/catalog/catalog.ts'
import type { DeclaredCatalog } from '../../domain/catalog/declared-catalog.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { ItemDelivery, ReportedBuy } from '../../domain/media-buy/present-delivery.ts'
import { minorUnitMicros, split } from '../../domain/money.ts'
import { listCatalogItems } from '../../store/catalog/catalog-items.ts'
import { findCatalogs } from '../../store/catalog/catalogs.ts'
import type { Db } from '../../store/database.ts'

interface Context {
  readonly principal: Principal
  readonly services: { readonly adServers: AdServers }
}

/** Items of a package that a report lists; a feed of thousands is not read by anyone. */
const MOST_ITEMS = 50

/**
 * Media buys with the delivery of the items of their catalog-driven packages. Only the simulator's: it shows the items of a package in turn, so their shares are equal; what an ad
 * server does with a feed it would have to report itself.
 */
export async function itemDeliveries<B extends ReportedBuy>(
  tx: Db,
  { principal, services }: Context,
  buys: readonly B[],
): Promise<B[]> {
  if (!services.adServers.of(principal.tenantId, principal).simulated) return [...buys]
  return Promise.all(
    buys.map(async (reported) => {
      const driven = reported.buy.packages.filter(({ catalogs = [] }) =>
        catalogs.some(({ catalog_id }) => catalog_id !== undefined),
      )
      if (driven.length === 0) return reported
      const shares = await Promise.all(
        driven.map(async (pkg) => [pkg.packageId, sharesOf(reported, pkg, await itemsOf(tx, principal, reported, pkg))] as const),
      )
      return { ...reported, items: new Map(shares.filter(([, items]) => items.length > 0)) }
    }),
  )
}

interface NamedItem {
  readonly item: CatalogItem
  readonly contentIdType: DeclaredCatalog['content_id_type']
}

async function itemsOf(tx: Db, principal: Principal, { buy }: ReportedBuy, { catalogs = [] }: Package): Promise<NamedItem[]> {
  const { tenantId, principalId, conformance } = principal
  const reach = { tenantId, principalId, accountId: conformance ? undefined : buy.accountId }
  const ids = catalogs.flatMap(({ catalog_id }) => catalog_id ?? [])
  const stored = await findCatalogs(tx, reach, ids)
  const lists = await Promise.all(
    stored.map(async ({ catalogId, document }) => {
      const wanted = catalogs.find(({ catalog_id }) => catalog_id === catalogId)?.ids
      const items = await listCatalogItems(tx, reach, catalogId, { ids: wanted, limit: MOST_ITEMS })
      return items.map((item): NamedItem => ({ item, contentIdType: document.content_id_type }))
    }),
  )
  return lists.flat().slice(0, MOST_ITEMS)
}

function sharesOf({ buy, delivery }: ReportedBuy, { packageId }: Package, items: readonly NamedItem[]): ItemDelivery[] {
  if (items.length === 0) return []
  const { impressions, spendMicros } = delivery.packages.get(packageId)?.total ?? NOTHING
  const weights = items.map(() => 1)
  const shown = split(impressions, weights)
  const spent = split(spendMicros, weights, minorUnitMicros(buy.currency))
  return items.map(({ item, contentIdType }, index) => ({
    contentId: item.contentId,
    contentIdType,
    impressions: shown[index] ?? 0,
    spendMicros: spent[index] ?? 0,
  }))
}
