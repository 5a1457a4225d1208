import type { AdServers } from '../ad-serving/ad-servers.ts'
import { uncountedAssets } from '../ad-serving/embedded/counted-creative.ts'
import { keepsReader, servesKind } from '../domain/ad-serving/kept-offer.ts'
import type { Assets } from '../domain/creative/assets.ts'
import { canonicalKindOf } from '../domain/creative/canonical/kind.ts'
import type { CatalogFormat } from '../domain/creative/formats/format.ts'
import type { FormatKey } from '../domain/creative/formats/format-id.ts'
import type { Package } from '../domain/media-buy/media-buy.ts'
import type { KeepsTargeting } from '../domain/product/overlay-support.ts'
import type { ProductSnapshot } from '../store/product/product-cache.ts'
import type { ServedProducts } from '../store/product/served-products.ts'

type Caller = {
  readonly tenant: { readonly tenantId: string }
  readonly services: { readonly adServers: Pick<AdServers, 'list' | 'sandboxOrders'> }
  readonly principal: { readonly sandbox: boolean; readonly conformance?: boolean | undefined } | undefined
}

/** The products as the ad servers of the publisher can serve them: those that production orders go to, for sandbox buyers too, whose orders the simulator carries out. */
export async function servedProducts(
  { tenant, principal, services }: Caller,
  snapshot: ProductSnapshot,
): Promise<ServedProducts> {
  if (isUnchecked({ principal, services })) return snapshot
  return snapshot.servedBy(services.adServers.list(tenant.tenantId))
}

/** Finds what the ad server of a product keeps of its targeting, for a caller's orders; undefined: all of it. */
export function keptTargeting({ tenant, principal, services }: Caller): KeepsTargeting {
  return isUnchecked({ principal, services }) ? () => undefined : keepsReader(services.adServers.list(tenant.tenantId))
}

/** The formats that at least one ad server of a caller's orders serves. */
export function servedFormats(
  { tenant, principal, services }: Caller,
  formats: readonly CatalogFormat[],
): readonly CatalogFormat[] {
  if (isUnchecked({ principal, services })) return formats
  const keeps = services.adServers.list(tenant.tenantId).map(({ capabilities = {} }) => capabilities)
  return formats.filter((format) => keeps.some((each) => servesKind(each, canonicalKindOf(format))))
}

/** Why the ad server of a product does not serve creatives of a format; undefined where it does, or cannot say. */
export function unservedFormat(
  { tenant, principal, services }: Caller,
  { declare }: Pick<ProductSnapshot, 'declare'>,
  { productId, formatId }: { readonly productId: string; readonly formatId: FormatKey },
): string | undefined {
  if (isUnchecked({ principal, services })) return undefined
  const keeps = keepsReader(services.adServers.list(tenant.tenantId))(productId)
  const kind = declare(formatId)?.format_kind
  if (!keeps || servesKind(keeps, kind)) return undefined
  return `the ad server of the package does not serve ${kind}; it serves ${keeps.formats?.join(', ')}`
}

/** Why a creative never makes the event that the price of a package is charged for, at an ad server that counts by creatives; undefined where it does. */
export function uncountedCreative(
  { tenant, principal, services }: Caller,
  { productId, pricing }: Pick<Package, 'productId' | 'pricing'>,
  assets: Assets,
): string | undefined {
  if (isUnchecked({ principal, services })) return undefined
  const keeps = keepsReader(services.adServers.list(tenant.tenantId))(productId)
  return keeps?.countsByCreative ? uncountedAssets(pricing.model, assets) : undefined
}

/**
 * Whether what a caller orders is held to nothing that an ad server keeps: of the simulator, under `--conformance` alone. Any other sandbox buyer is refused what a
 * production buyer is, so that what it tried holds when it buys.
 */
function isUnchecked({ principal, services }: Pick<Caller, 'principal' | 'services'>): boolean {
  if (services.adServers.sandboxOrders === 'same') return false
  return principal?.sandbox === true && principal.conformance === true
}
