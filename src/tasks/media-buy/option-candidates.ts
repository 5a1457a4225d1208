import { microsToAmount, minorUnitMicros } from '../../domain/money.ts'
import { insteadOfProduct } from '../../domain/product/instead-of-product.ts'
import { takesOf } from '../../domain/product/overlay-support.ts'
import { isOfferedTo } from '../../domain/product/product.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { keptTargeting } from '../served-products.ts'
import { totalCandidate } from './total-candidate.ts'

/** Where a new package, or a purchase of AdCP 3.2, names its product and its price. */
const MISSING = /^\/(packages|new_packages|purchases)\/(\d+)\/(pricing_option_id|product_id)$/

/** Findings about an id for which the options are listed: it is missing, or not a string. */
const OF_NAMES: ReadonlySet<string> = new Set(['required', 'type'])

/** Findings about an amount for which its currency is named: it is not a number, or below the minimum. */
const OF_AMOUNTS: ReadonlySet<string> = new Set(['type', 'minimum'])

/** An amount of money of a new package, or of a purchase. */
const AMOUNT = /^\/(packages|new_packages|purchases)\/(\d+)\/(budget|bid_price)$/

/** A frequency cap of a new package. */
const CAP = /^\/(packages|new_packages)\/(\d+)\/targeting_overlay\/frequency_cap$/

/** A format of a new package, and the agent that it is of. */
const FORMAT_AGENT = /^\/(packages|new_packages)\/(\d+)\/format_ids\/(\d+)\/agent_url$/

/** More would bury the message. */
const MAX_LISTED = 8

/**
 * The pricing options of the product that a package without one names, or where products are found; the currency of an amount that is no number, or below the least that its option takes. The
 * request may be of any form.
 */
export async function optionCandidates(
  issue: Issue,
  request: object,
  context: AuthenticatedContext,
): Promise<string | Issue | undefined> {
  const { services, db, tenant, principal } = context
  const { pointer, keyword } = issue
  const total = await totalCandidate(issue, request, context)
  if (total !== undefined) return total
  const isOfTotal = (pointer === '/total_budget' && keyword === 'type') || pointer === '/total_budget/currency'
  if (isOfTotal) return currencyOfPackages(request, context)
  const [, list = '', position, member] = MISSING.exec(pointer) ?? AMOUNT.exec(pointer) ?? []
  const isAmount = member === 'budget' || member === 'bid_price'
  if (FORMAT_AGENT.test(pointer) && keyword === 'required') return formatCandidate(pointer, request, context)
  if (CAP.test(pointer) && keyword === 'type') return capCandidate(pointer, request, context)
  if (member === undefined || !(isAmount ? OF_AMOUNTS : OF_NAMES).has(keyword)) return undefined
  if (member === 'product_id')
    return keyword === 'required' ? `${list === 'purchases' ? 'list_products' : 'get_products'} lists products` : undefined
  const packages: unknown = Object.getOwnPropertyDescriptor(request, list)?.value
  const named: unknown = Array.isArray(packages) ? packages[Number(position)] : undefined
  if (!isObject(named) || typeof named.product_id !== 'string') return undefined
  const { byId } = await services.products.get(db, tenant, principal)
  const product = byId.get(named.product_id)
  if (!product && (isAmount || keyword === 'required')) {
    const offered = [...byId.values()].filter((each) => isOfferedTo(each, principal.principalId))
    return `${list}[${position}].product_id ${quoted(named.product_id)} is no product that is offered to you${insteadOfProduct(named.product_id, () => offered)}`
  }
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

/** Says of an order whose total has no form what the first product that it names, and that is offered, is priced in. */
async function currencyOfPackages(request: object, context: AuthenticatedContext): Promise<string | undefined> {
  const { services, db, tenant, principal } = context
  const { packages, purchases }: Readonly<Record<string, unknown>> = { ...request }
  const named = [packages, purchases]
    .flat()
    .flatMap((each) => (isObject(each) && typeof each.product_id === 'string' ? [each] : []))
  const { byId } = await services.products.get(db, tenant, principal)
  for (const { product_id: id, pricing_option_id: option } of named) {
    const product = byId.get(String(id))
    if (!product || !isOfferedTo(product, principal.principalId)) continue
    const options = product.offer.pricing_options
    const chosen = options.filter((each) => each.pricing_option_id === option)
    const currencies = new Set((chosen.length > 0 ? chosen : options).map(({ currency }) => currency))
    return `${product.offer.product_id} is priced in ${[...currencies].slice(0, MAX_LISTED).join(', ')}`
  }
  return undefined
}

/** The formats of the product of a package, for one that was sent without its agent: those that are nearest to its id. */
async function formatCandidate(
  pointer: string,
  request: object,
  { services, db, tenant, principal }: AuthenticatedContext,
): Promise<string | undefined> {
  const [, list = '', position, place] = FORMAT_AGENT.exec(pointer) ?? []
  const packages: unknown = Object.getOwnPropertyDescriptor(request, list)?.value
  const named: unknown = Array.isArray(packages) ? packages[Number(position)] : undefined
  if (!isObject(named) || typeof named.product_id !== 'string' || !Array.isArray(named.format_ids)) return undefined
  const product = (await services.products.get(db, tenant, principal)).byId.get(named.product_id)
  if (!product || !isOfferedTo(product, principal.principalId)) return undefined
  const sent: unknown = named.format_ids[Number(place)]
  const id = isObject(sent) && typeof sent.id === 'string' ? sent.id.toLowerCase() : ''
  const own = product.offer.format_ids ?? []
  const meant = own.filter((each) => each.id === id || each.id.endsWith(`_${id}`))
  const [only, ...others] = meant
  if (only && others.length === 0)
    return `send ${JSON.stringify(only.agent_url)}${only.id === id ? '' : `, with the id ${JSON.stringify(only.id)}`}`
  const ids = own.slice(0, MAX_LISTED).map((each) => `${each.id} of ${each.agent_url}`)
  return ids.length === 0 ? undefined : `${named.product_id} has: ${ids.join(', ')}`
}

/** Says of a package whose cap has no form that its product takes none in any. */
async function capCandidate(pointer: string, request: object, context: AuthenticatedContext): Promise<string | undefined> {
  const { services, db, tenant } = context
  const [, list = '', position] = CAP.exec(pointer) ?? []
  const packages: unknown = Object.getOwnPropertyDescriptor(request, list)?.value
  const named: unknown = Array.isArray(packages) ? packages[Number(position)] : undefined
  const id = isObject(named) ? named.product_id : undefined
  const product = typeof id === 'string' ? (await services.products.get(db, tenant, context.principal)).byId.get(id) : undefined
  const isTaken = !product || takesOf(keptTargeting(context))(product, 'frequency_cap')
  return isTaken ? undefined : `${id} takes no frequency cap in any form: leave it out, or choose another product`
}
