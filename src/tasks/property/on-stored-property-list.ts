import type { GetProductsRequest } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { agentKey } from '../../domain/directory/agent-url.ts'
import type { Product } from '../../domain/product/product.ts'
import { onPropertyList } from '../../domain/product/property-list.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import type { InTransaction, PublicContext } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { getList, type ListScope } from '../../store/inventory-list/inventory-lists.ts'
import { findListByToken } from '../../store/inventory-list/list-tokens.ts'
import { knownProperties } from './known-properties.ts'
import type { PropertyListDocument } from './present-property-list.ts'

type Reference = NonNullable<GetProductsRequest['property_list']>

/**
 * The products that run on a property list which this agent keeps; undefined when the list is another agent's. The list is one of the caller's own,
 * or one whose token came along. Throws REFERENCE_NOT_FOUND when it is neither.
 */
export async function onStoredPropertyList(
  context: InTransaction<PublicContext>,
  reference: Reference,
  products: readonly Product[],
): Promise<Product[] | undefined> {
  const { tx, tenant, services } = context
  if (agentKey(reference.agent_url) !== agentKey(services.wiring.agentUrl)) return undefined
  const list = await getList<PropertyListDocument>(
    tx,
    await reachWith(context, reference),
    'property',
    reference.list_id,
    'property_list.list_id',
  )
  const { identifiers } = await inTurns(resolvePropertyList(list.document, await knownProperties(context, list.document)))
  return onPropertyList(products, await services.products.get(tx, tenant, undefined), identifiers)
}

async function reachWith(
  { tx, tenant, principal, account }: InTransaction<PublicContext>,
  { auth_token }: Reference,
): Promise<ListScope> {
  const held = auth_token === undefined ? undefined : await findListByToken(tx, auth_token)
  if (held?.tenantId === tenant.tenantId) return { ...nobody(tenant.tenantId), confinedTo: held.listId }
  return principal ? accountScopeOf(principal, account) : nobody(tenant.tenantId)
}

/** The reach of a caller without credentials: no list has this owner. */
function nobody(tenantId: string): ListScope {
  return { tenantId, principalId: '', accountId: undefined }
}
