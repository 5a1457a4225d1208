import type { Sequence } from '../page.ts'
import { isOfferedTo, type Product } from './product.ts'
import { lowerBound, type ProductIndex } from './product-index.ts'

/** Products in order, made only as far as they are asked for. */
export interface ProductList extends Sequence<Product> {
  /** Whether a product of this id is among them. */
  has(id: string): boolean
}

/** Products that a caller may see and buy, as a map shows them; nothing is copied for it. */
export interface OfferedProducts {
  get(id: string): Product | undefined
  values(): Iterable<Product>
}
/** Some of them, one by one. */
export type ProductsById = Pick<OfferedProducts, 'get'>

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
export function listAt(index: ProductIndex, positions: readonly number[]): ProductList {
  const slice = (from: number, to: number) => productsAt(index, positions.slice(from, to))
  return {
    length: positions.length,
    slice,
    findIndex: (test) => slice(0, positions.length).findIndex(test),
    has: (id) => isAmong(positions, index.positions.get(id)),
  }
}

/**
 * A list with some products among its first `places`: the best stay in front in their order, those of the lowest rank give way, and
 * what is in front is left out behind. Products of `needed` need not be in the list.
 */
export function withNeeded(list: ProductList, needed: readonly Product[], places: number): Sequence<Product> {
  const best = list.slice(0, places)
  const isNeeded = new Set(needed.map(({ id }) => id))
  const missing = needed.filter(({ id }) => !best.some((product) => product.id === id))
  if (missing.length === 0) return list
  let room = Math.min(missing.length, best.length)
  const yielding = new Set<Product>()
  for (const product of best.toReversed()) {
    if (room === 0 || isNeeded.has(product.id)) continue
    yielding.add(product)
    room--
  }
  const front = [...best.filter((product) => !yielding.has(product)), ...missing]
  const moved = front
    .flatMap(({ id }) => (list.has(id) ? list.findIndex((product) => product.id === id) : []))
    .toSorted((a, b) => a - b)
  return inFront(front, list, moved)
}

/** `front`, then `list` without the places `moved` (ascending), whose products are in front. */
function inFront(front: readonly Product[], list: ProductList, moved: readonly number[]): Sequence<Product> {
  /** Place in the list of what is at `place` once `moved` is left out. */
  const placeIn = (place: number) => moved.reduce((at, gone) => (gone <= at ? at + 1 : at), place)
  const rest = (from: number, to: number) => {
    const start = placeIn(from)
    return list.slice(start, placeIn(to)).filter((_product, index) => !moved.includes(start + index))
  }
  const length = front.length + list.length - moved.length
  return {
    length,
    slice: (from, to) => [
      ...front.slice(from, to),
      ...rest(Math.max(0, from - front.length), Math.max(0, Math.min(to, length) - front.length)),
    ],
    findIndex(test) {
      const found = front.findIndex(test)
      if (found !== -1) return found
      const behind = list.findIndex(test)
      return behind === -1 ? -1 : front.length + behind - moved.filter((gone) => gone < behind).length
    },
  }
}

export function productsAt({ products }: ProductIndex, positions: readonly number[]): Product[] {
  return positions.flatMap((position) => products[position] ?? [])
}

export function isAmong(ascending: ArrayLike<number>, position: number | undefined): boolean {
  return position !== undefined && ascending[lowerBound(ascending, position)] === position
}

/** Positions of all that `isOfferedTo` a caller, ascending. */
export function offeredPositions({ open, standard, reserved }: ProductIndex, principalId: string | undefined): readonly number[] {
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
export function offeredProducts(index: ProductIndex, principalId: string | undefined): OfferedProducts {
  return {
    get(id) {
      const product = index.products[index.positions.get(id) ?? -1]
      return product && isOfferedTo(product, principalId) ? product : undefined
    },
    values: () => productsAt(index, offeredPositions(index, principalId)).values(),
  }
}
