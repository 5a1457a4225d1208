import type { WireCreative } from '../../domain/creative/creative.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { optionLimits } from '../creative/option-limits.ts'
import { policyOfProduct } from '../creative/provenance-policies.ts'
import { upsertCreatives } from '../creative/upsert-creatives.ts'

interface WithCreatives {
  readonly creatives?: readonly WireCreative[]
  readonly product_id?: string
  readonly package_id?: string
}

/**
 * Puts the creatives that come with packages into the account's library, as sync_creatives would. Throws the first refusal, its field below
 * `<field>[<index>]`; nothing of the order happens then. `existing` are the packages of the buy, for updates that name them by id.
 */
export async function uploadCreatives(
  context: InTransaction<AuthenticatedContext>,
  accountId: string,
  packages: readonly WithCreatives[] | undefined,
  field: 'packages' | 'new_packages',
  existing: readonly Package[] = [],
): Promise<void> {
  for (const [index, { creatives, product_id, package_id }] of (packages ?? []).entries()) {
    if (!creatives) continue
    const productId = product_id ?? existing.find(({ packageId }) => packageId === package_id)?.productId
    const policy = await policyOfProduct(context, productId)
    const policiesOf = () => (policy ? [policy] : [])
    const { byId } = await context.services.products.get(context.db, context.tenant, context.principal)
    const product = productId === undefined ? undefined : byId.get(productId)
    const limitsOf = product ? await optionLimits(context, { product }) : () => []
    const options = { accountId, mode: 'lenient', dryRun: false, policiesOf, limitsOf } as const
    for (const decision of await upsertCreatives(context, creatives, options)) {
      if (decision.action !== 'failed') continue
      const [error] = decision.errors
      const path = `${field}[${index}].${error?.field ?? 'creatives'}`
      const message = error?.message.replace(error.field ?? '', path) ?? `${path} cannot be used`
      throw new AdcpError(error?.code ?? 'CREATIVE_REJECTED', message, { field: path })
    }
  }
}
