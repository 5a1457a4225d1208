import { microsToAmount, minorUnitMicros } from '../../domain/money.ts'
import { isOfferedTo } from '../../domain/product/product.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** Where a new package names its product and its price. */
const MISSING = /^\/(packages|new_packages)\/(\d+)\/(pricing_option_id|product_id)$/

/** Findings about an id for which the options are listed: it is missing, or not a string. */
const OF_NAMES: ReadonlySet<string> = new Set(['required', 'type'])

/** Findings about an amount for which its currency is named: it is not a number, or below the minimum. */
const OF_AMOUNTS: ReadonlySet<string> = new Set(['type', 'minimum'])

/** An amount of money of a new package. */
const AMOUNT = /^\/(packages|new_packages)\/(\d+)\/(budget|bid_price)$/

/** More would bury the message. */
const MAX_LISTED = 8

/**
 * The pricing options of the product that a package without one names, or where products are found; the currency of an amount that is no number, or below the least that its option takes. The
 * request may be of any form.
 */
export async function optionCandidates(
  { pointer, keyword }: Issue,
  request: object,
  { services, db, tenant, principal }: AuthenticatedContext,
): Promise<string | undefined> {
  const [, list = '', position, member] = MISSING.exec(pointer) ?? AMOUNT.exec(pointer) ?? []
  const isAmount = member === 'budget' || member === 'bid_price'
  if (member === undefined || !(isAmount ? OF_AMOUNTS : OF_NAMES).has(keyword)) return undefined
  if (member === 'product_id') return keyword === 'required' ? 'get_products lists products' : undefined
  const packages: unknown = Object.getOwnPropertyDescriptor(request, list)?.value
  const named: unknown = Array.isArray(packages) ? packages[Number(position)] : undefined
  if (!isObject(named) || typeof named.product_id !== 'string') return undefined
  const product = (await services.products.get(db, tenant, principal)).byId.get(named.product_id)
  if (!product || !isOfferedTo(product, principal.principalId)) return undefined
  if (isAmount) {
    const option = product.offer.pricing_options.find(({ pricing_option_id: id }) => id === named.pricing_option_id)
    if (!option) return undefined
    const smallest = microsToAmount(minorUnitMicros(option.currency))
    const least =
      member === 'budget' ? (option.min_spend_per_package ?? smallest) : 'floor_price' in option ? (option.floor_price ?? 0) : 0
    return `${option.pricing_option_id} is in ${option.currency}${keyword === 'minimum' && least > 0 ? `, from ${least} on` : ''}`
  }
  const ids = product.offer.pricing_options.map(({ pricing_option_id: id }) => id)
  return `${product.offer.product_id} has: ${ids.slice(0, MAX_LISTED).join(', ')}`
}
