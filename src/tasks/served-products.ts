import type { AdServers } from '../ad-serving/ad-servers.ts'
import { keepsReader, servesKind } from '../domain/ad-serving/kept-offer.ts'
import { canonicalKindOf } from '../domain/creative/canonical/kind.ts'
import type { CatalogFormat } from '../domain/creative/formats/format.ts'
import type { FormatKey } from '../domain/creative/formats/format-id.ts'
import type { KeepsTargeting } from '../domain/product/overlay-support.ts'
import type { ProductSnapshot } from '../store/product/product-cache.ts'
import type { ServedProducts } from '../store/product/served-products.ts'

type Caller = {
  readonly tenant: { readonly tenantId: string }
  readonly services: { readonly adServers: Pick<AdServers, 'list' | 'sandboxOrders'> }
  readonly principal: { readonly sandbox: boolean } | undefined
  readonly account?: { readonly sandbox: boolean } | undefined
}

/** The products as the ad servers of a caller's orders can serve them. Orders of sandbox buyers go to the simulator, which serves whatever is offered, unless `sandboxOrders` is `same`. */
export async function servedProducts(
  { tenant, principal, account, services }: Caller,
  snapshot: ProductSnapshot,
): Promise<ServedProducts> {
  if (isSimulated({ principal, account, services })) return snapshot
  return snapshot.servedBy(services.adServers.list(tenant.tenantId))
}

/** Finds what the ad server of a product keeps of its targeting, for a caller's orders; undefined: all of it. */
export function keptTargeting({ tenant, principal, account, services }: Caller): KeepsTargeting {
  return isSimulated({ principal, account, services }) ? () => undefined : keepsReader(services.adServers.list(tenant.tenantId))
}

/** The formats that at least one ad server of a caller's orders serves. */
export function servedFormats(
  { tenant, principal, account, services }: Caller,
  formats: readonly CatalogFormat[],
): readonly CatalogFormat[] {
  if (isSimulated({ principal, account, services })) return formats
  const keeps = services.adServers.list(tenant.tenantId).map(({ capabilities = {} }) => capabilities)
  return formats.filter((format) => keeps.some((each) => servesKind(each, canonicalKindOf(format))))
}

/** Why the ad server of a product does not serve creatives of a format; undefined where it does, or cannot say. */
export function unservedFormat(
  { tenant, principal, account, services }: Caller,
  { declare }: Pick<ProductSnapshot, 'declare'>,
  { productId, formatId }: { readonly productId: string; readonly formatId: FormatKey },
): string | undefined {
  if (isSimulated({ principal, account, services })) return undefined
  const keeps = keepsReader(services.adServers.list(tenant.tenantId))(productId)
  const kind = declare(formatId)?.format_kind
  if (!keeps || servesKind(keeps, kind)) return undefined
  return `the ad server of the package does not serve ${kind}; it serves ${keeps.formats?.join(', ')}`
}

/** Whether the orders of a caller go to the simulator. */
function isSimulated({ principal, account, services }: Pick<Caller, 'principal' | 'account' | 'services'>): boolean {
  if (services.adServers.sandboxOrders === 'same') return false
  return principal?.sandbox === true || account?.sandbox === true
}
