import type { GetProductsRequest } from '@adcp/sdk/types'
import { AdcpError } from '../../errors.ts'
import { type Brief, readBrief } from './brief.ts'
import type { FilterContext } from './filter-products.ts'
import { filterProducts } from './filter-products.ts'
import { isOfferedTo, type Product } from './product.ts'
import { type CatalogueIndex, type RankedProduct, rankProducts } from './rank-products.ts'
import { type RefineOutcome, refineProducts } from './refine-products.ts'

export interface SelectionContext extends FilterContext {
  readonly products: readonly Product[]
  readonly index: CatalogueIndex
  readonly principalId: string | undefined
}

export interface Selection {
  readonly products: readonly Product[]
  /** The brief and the ranking behind it, in mode `brief`. */
  readonly brief: Brief | undefined
  readonly ranked: readonly RankedProduct[]
  /** Outcomes of request- and product-scope entries by their position in `refine`. */
  readonly outcomes: ReadonlyMap<number, RefineOutcome>
}

/**
 * The products that answer a get_products request, in order, before paging. `brief` ranks, `wholesale` lists the catalogue as it
 * is, `refine` applies the change requests; filters hold in every mode. Throws INVALID_REQUEST when the mode's own field is missing.
 */
export function selectProducts(request: GetProductsRequest, context: SelectionContext): Selection {
  requireModeFields(request)
  const offered = context.products.filter((product) => isOfferedTo(product, context.principalId))
  const candidates = narrow(filterProducts(offered, request.filters ?? {}, context), request)
  const none = { brief: undefined, ranked: [], outcomes: new Map() }
  if (request.buying_mode === 'wholesale') return { ...none, products: candidates }
  const eligible = new Set(candidates)
  if (request.buying_mode === 'refine') {
    const refined = refineProducts(request.refine ?? [], {
      offered: new Map(offered.map((product) => [product.id, product])),
      index: context.index,
      eligible: (product) => eligible.has(product),
    })
    return { ...none, ...refined }
  }
  const brief = readBrief(request.brief ?? '')
  const ranked = rankProducts(context.index, brief, {
    ...(request.preferred_delivery_types && { preferredDelivery: request.preferred_delivery_types }),
    eligible: (product) => eligible.has(product),
  })
  return { ...none, brief, ranked, products: ranked.map(({ product }) => product) }
}

/** AdCP get-products-request.json says in words which field belongs to which mode. */
function requireModeFields({ buying_mode, brief, refine }: GetProductsRequest): void {
  if (buying_mode === 'brief' && (brief === undefined || brief.trim() === ''))
    throw modeError('brief', "is required when buying_mode is 'brief'")
  if (buying_mode === 'refine' && refine === undefined) throw modeError('refine', "is required when buying_mode is 'refine'")
  if (buying_mode !== 'refine' && refine !== undefined) throw modeError('refine', "is only valid when buying_mode is 'refine'")
  if (buying_mode === 'wholesale' && brief !== undefined)
    throw modeError('brief', "must not be provided when buying_mode is 'wholesale'")
}

function modeError(field: string, text: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} ${text}`, { field })
}

/** Policies that must be enforced, and the kind of catalogue to promote, where products say which they take. */
function narrow(products: readonly Product[], { required_policies, catalog }: GetProductsRequest): Product[] {
  return products.filter(({ offer }) => {
    const enforced = (required_policies ?? []).every((policy) => (offer.enforced_policies ?? []).includes(policy))
    const taken = !catalog || !takesCatalogs(products) || (offer.catalog_types ?? []).includes(catalog.type)
    return enforced && taken
  })
}

/** Whether any product is driven by a buyer's catalogue; if none is, a catalogue in the request narrows nothing. */
export function takesCatalogs(products: readonly Product[]): boolean {
  return products.some(({ offer }) => offer.catalog_types !== undefined && offer.catalog_types.length > 0)
}
