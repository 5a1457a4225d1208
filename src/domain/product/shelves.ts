import { isOfferedTo, type Product } from './product.ts'

/** Positions of products by who may have them; each list ascends. */
export interface Shelves {
  /** On sale to every agent. */
  readonly open: readonly number[]
  /** Of those, what anybody may see. */
  readonly standard: readonly number[]
  /** On sale to single agents only, by principal id. */
  readonly reserved: ReadonlyMap<string, readonly number[]>
  /** Driven by a catalogue of the buyer's own. */
  readonly catalogDriven: readonly number[]
}

/** Sorts a catalogue by who may have its products, as `isOfferedTo` has it. */
export function shelvesOf(products: readonly Product[]): Shelves {
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
