import { AdcpError } from '../../protocol/errors.ts'
import { instead, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import type { Product } from '../product/product.ts'
import { repeatedAt } from '../repeated.ts'
import type { PackageRequest } from './order-request.ts'

/** One catalog of a type, and only of types that the product can be driven by (media-buy/package-request.json, `catalogs`). */
export function checkCatalogs({ offer }: Product, { catalogs = [] }: PackageRequest, path: string): void {
  const repeated = repeatedAt(catalogs.map(({ type }) => type))
  catalogs.forEach(({ type }, index) => {
    const field = `${path}.catalogs[${index}]`
    if (repeated.has(index)) {
      throw new AdcpError('VALIDATION_ERROR', `${field} is a second catalog of type ${type}`, { field })
    }
    if (offer.catalog_types && !offer.catalog_types.includes(type)) {
      throw new AdcpError(
        'UNSUPPORTED_FEATURE',
        `${field}: ${offer.product_id} does not take ${type} catalogs, only: ${offer.catalog_types.join(', ')}`,
        { field },
      )
    }
  })
}

type Placed = { readonly placement_ids?: string[] }

/** Assignments name placements of the product (core/creative-assignment.json). `names`: the search that all packages share. Throws INVALID_REQUEST naming the entry. */
export function checkPlacements(
  { offer }: Product,
  pkg: { creative_assignments?: Placed[]; creatives?: Placed[] },
  path: string,
  names: NameSearch,
): void {
  const known = new Set(offer.placements?.map((placement) => placement.placement_id))
  for (const name of ['creative_assignments', 'creatives'] as const) {
    for (const [index, { placement_ids = [] }] of (pkg[name] ?? []).entries()) {
      const unknown = placement_ids.findIndex((id) => !known.has(id))
      if (unknown < 0) continue
      const field = `${path}.${name}[${index}].placement_ids[${unknown}]`
      const id = placement_ids[unknown] ?? ''
      const hint = instead(id, [...known], 'the product has none', names)
      throw new AdcpError('INVALID_REQUEST', `${field} ${quoted(id)} is no placement of ${offer.product_id}${hint}`, { field })
    }
  }
}
