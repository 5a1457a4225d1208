import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { takesFormat } from '../../domain/creative/resolve-format.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { unservedFormat } from '../served-products.ts'

/** Who buys a package, and of whom. */
export type PackageContext = Pick<AuthenticatedContext, 'db' | 'tenant' | 'account'> & {
  readonly principal: ActingPrincipal
  readonly services: Pick<AuthenticatedContext['services'], 'products' | 'adServers'> & {
    readonly wiring: { readonly agentUrl: string }
  }
}

/** Why a package does not take creatives of a format, by what was bought or by what its ad server serves; undefined where it does. */
export async function formatRefusal(
  context: PackageContext,
  { productId, formatIds }: Pick<Package, 'productId' | 'formatIds'>,
  formatId: FormatKey,
): Promise<string | undefined> {
  const { db, tenant, principal, services } = context
  const rules = { agentUrl: services.wiring.agentUrl, conformance: principal.conformance === true }
  if (!takesFormat(formatIds, formatId, rules)) {
    const takes = formatIds.map(({ id }) => id).join(', ')
    return `the package does not take creatives of the format ${formatId.id}; it takes: ${takes}`
  }
  return unservedFormat(context, await services.products.get(db, tenant, principal), { productId, formatId })
}
