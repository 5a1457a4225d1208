import { isOfferedTo, type Product } from './product.ts'

/** Positions of products by which buyers may see and buy them; each list ascends. */
export interface VisibilityIndex {
  /** On sale to every agent. */
  readonly open: readonly number[]
  /** Of those, visible without credentials. */
  readonly standard: readonly number[]
  /** On sale to single agents only, by principal id. */
  readonly reserved: ReadonlyMap<string, readonly number[]>
  /** Sold by items of the buyer's catalog. */
  readonly catalogDriven: readonly number[]
}

/** Indexes products by the buyers that they are offered to; agrees with `isOfferedTo`. */
export function visibilityIndexOf(products: readonly Product[]): VisibilityIndex {
  const [open, standard, catalogDriven]: [number[], number[], number[]] = [[], [], []]
  const reserved = new Map<string, number[]>()
  products.forEach((product, position) => {
    const { exclusiveTo, status } = product.selling
    if (status === 'active' && exclusiveTo.length === 0) open.push(position)
    if (isOfferedTo(product, undefined)) standard.push(position)
    for (const principalId of status === 'active' ? new Set(exclusiveTo) : []) {
      const own = reserved.get(principalId)
      if (own) own.push(position)
      else reserved.set(principalId, [position])
    }
    if ((product.offer.catalog_types ?? []).length > 0) catalogDriven.push(position)
  })
  return { open, standard, reserved, catalogDriven }
}
