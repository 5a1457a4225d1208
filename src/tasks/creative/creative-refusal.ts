import type { CreativeContent } from '../../domain/creative/creative.ts'
import { takesFormat } from '../../domain/creative/resolve-format.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { uncountedCreative, unservedFormat } from '../served-products.ts'

/** Who buys a package, and of whom. */
export type PackageContext = Pick<AuthenticatedContext, 'db' | 'tenant' | 'account'> & {
  readonly principal: ActingPrincipal
  readonly services: Pick<AuthenticatedContext['services'], 'products' | 'adServers'> & {
    readonly wiring: { readonly agentUrl: string }
  }
}

/** What keeps a creative off a package: a member of it, and what is wrong with that. */
export interface Unfit {
  readonly member: 'format_id' | 'assets'
  readonly reason: string
}

/** Why a package does not take a creative: by the formats that were bought, by what its ad server serves, or since it never makes the event that the price is charged for; undefined where it does. */
export async function creativeRefusal(
  context: PackageContext,
  pkg: Pick<Package, 'productId' | 'formatIds' | 'pricing'>,
  { formatId, assets }: Pick<CreativeContent, 'formatId' | 'assets'>,
): Promise<Unfit | undefined> {
  const { db, tenant, principal, services } = context
  const { productId, formatIds } = pkg
  const rules = { agentUrl: services.wiring.agentUrl, conformance: principal.conformance === true }
  if (!takesFormat(formatIds, formatId, rules)) {
    const takes = formatIds.map(({ id }) => id).join(', ')
    return { member: 'format_id', reason: `the package does not take creatives of the format ${formatId.id}; it takes: ${takes}` }
  }
  const unserved = unservedFormat(context, await services.products.get(db, tenant, principal), { productId, formatId })
  if (unserved !== undefined) return { member: 'format_id', reason: unserved }
  const reason = uncountedCreative(context, pkg, assets)
  return reason === undefined ? undefined : { member: 'assets', reason: `the package does not take the creative: ${reason}` }
}
