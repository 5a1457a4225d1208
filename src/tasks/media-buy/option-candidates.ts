import { isOfferedTo } from '../../domain/product/product.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** Where a new package names its product and its price. */
const MISSING = /^\/(packages|new_packages)\/(\d+)\/(pricing_option_id|product_id)$/

/** An amount of money of a new package that is no number. */
const AMOUNT = /^\/(packages|new_packages)\/(\d+)\/(budget|bid_price)$/

/** More would bury the message. */
const MAX_LISTED = 8

/**
 * The pricing options of the product that a package without one names, or where products are found; the currency of an amount that is no number. The
 * request may be of any form.
 */
export async function optionCandidates(
  { pointer, keyword }: Issue,
  request: object,
  { services, db, tenant, principal }: AuthenticatedContext,
): Promise<string | undefined> {
  const [, list = '', position, member] = (keyword === 'required' ? MISSING : AMOUNT).exec(pointer) ?? []
  if (member === undefined || (keyword !== 'required' && keyword !== 'type')) return undefined
  if (member === 'product_id') return 'get_products lists products'
  const packages: unknown = Object.getOwnPropertyDescriptor(request, list)?.value
  const named: unknown = Array.isArray(packages) ? packages[Number(position)] : undefined
  if (!isObject(named) || typeof named.product_id !== 'string') return undefined
  const product = (await services.products.get(db, tenant, principal)).byId.get(named.product_id)
  if (!product || !isOfferedTo(product, principal.principalId)) return undefined
  if (keyword === 'type') {
    const { pricing_option_id: id, currency } =
      product.offer.pricing_options.find(({ pricing_option_id }) => pricing_option_id === named.pricing_option_id) ?? {}
    return currency && `${id} is in ${currency}`
  }
  const ids = product.offer.pricing_options.map(({ pricing_option_id: id }) => id)
  return `${product.offer.product_id} has: ${ids.slice(0, MAX_LISTED).join(', ')}`
}
