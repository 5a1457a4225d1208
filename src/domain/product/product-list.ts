import type { Sequence } from '../page.ts'
import { isOfferedTo, type Product } from './product.ts'
import { type CatalogueIndex, lowerBound } from './product-index.ts'

/** Products in order, made only as far as they are asked for. */
export interface ProductList extends Sequence<Product> {
  /** Whether a product of this id is among them. */
  has(id: string): boolean
}

/** Products that a caller may see and buy, as a map shows them; nothing is copied for it. */
export type OfferedProducts = Pick<ReadonlyMap<string, Product>, 'get' | 'values'>

/** A list of products that are there already. */
export function listOf(products: readonly Product[]): ProductList {
  return {
    length: products.length,
    slice: (from, to) => products.slice(from, to),
    findIndex: (test) => products.findIndex(test),
    has: (id) => products.some((product) => product.id === id),
  }
}

/** The products of an index at ascending positions. */
export function listAt(index: CatalogueIndex, positions: readonly number[]): ProductList {
  const slice = (from: number, to: number) => productsAt(index, positions.slice(from, to))
  return {
    length: positions.length,
    slice,
    findIndex: (test) => slice(0, positions.length).findIndex(test),
    has: (id) => isAmong(positions, index.positions.get(id)),
  }
}

/** A list with more products behind it. */
export function appended(list: ProductList, more: readonly Product[]): Sequence<Product> {
  if (more.length === 0) return list
  return {
    length: list.length + more.length,
    slice: (from, to) => [...list.slice(from, to), ...more.slice(Math.max(0, from - list.length), Math.max(0, to - list.length))],
    findIndex(test) {
      const found = list.findIndex(test)
      const behind = found === -1 ? more.findIndex(test) : -1
      return behind === -1 ? found : list.length + behind
    },
  }
}

export function productsAt({ products }: CatalogueIndex, positions: readonly number[]): Product[] {
  return positions.flatMap((position) => products[position] ?? [])
}

export function isAmong(ascending: ArrayLike<number>, position: number | undefined): boolean {
  return position !== undefined && ascending[lowerBound(ascending, position)] === position
}

/** Positions of all that `isOfferedTo` a caller, ascending. */
export function offeredPositions(
  { open, standard, reserved }: CatalogueIndex,
  principalId: string | undefined,
): readonly number[] {
  if (principalId === undefined) return standard
  const own = reserved.get(principalId)
  if (!own) return open
  const all: number[] = []
  let next = 0
  for (const position of own) {
    for (; (open[next] ?? Number.POSITIVE_INFINITY) < position; next++) all.push(open[next] ?? 0)
    all.push(position)
  }
  return all.concat(open.slice(next))
}

/** All that `isOfferedTo` a caller, by id. */
export function offeredProducts(index: CatalogueIndex, principalId: string | undefined): OfferedProducts {
  return {
    get(id) {
      const product = index.products[index.positions.get(id) ?? -1]
      return product && isOfferedTo(product, principalId) ? product : undefined
    },
    values: () => productsAt(index, offeredPositions(index, principalId)).values(),
  }
}
