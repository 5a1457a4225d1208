import type { Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { isAmong, type ProductList, productsAt } from './product-list.ts'

export interface RankedProduct {
  readonly product: Product
  readonly score: number
}

/** Pages and proposals begin with this many; what goes further sorts. */
const FIRST = 64

/** The products that answer a brief, best first; ties preserve the publisher's order. Sorted only as far as it is read. */
export class Ranking {
  readonly #index: ProductIndex
  readonly #positions: ArrayLike<number>
  readonly #scores: ArrayLike<number>
  /** Places in `#positions`, of which the first `#sorted` are in order of rank and hold the best. */
  #order: Uint32Array | undefined
  #sorted = 0
  #first: readonly number[] | undefined

  /** `positions` in the index, ascending, and the score of each beside it; no scores at all mean only zeros. */
  constructor(index: ProductIndex, positions: ArrayLike<number>, scores: ArrayLike<number>) {
    this.#index = index
    this.#positions = positions
    this.#scores = scores
  }

  /** Whether any product has to do with the brief; otherwise these are all products in the publisher's order, with scores of 0. */
  get isAnswer(): boolean {
    return this.#scores.length > 0
  }

  get length(): number {
    return this.#positions.length
  }

  /** Those from one rank up to, not including, another; ranks count from 0. */
  slice(from = 0, to = this.length): RankedProduct[] {
    if (!this.isAnswer)
      return productsAt(this.#index, sliceOf(this.#positions, from, to)).map((product) => ({ product, score: 0 }))
    const ranked: RankedProduct[] = []
    const order = to <= FIRST ? this.#firstPlaces() : this.#sortedTo(Math.min(to, this.length))
    for (const place of order.slice(from, to)) {
      const product = this.#index.products[this.#positions[place] ?? -1]
      if (product) ranked.push({ product, score: this.#scores[place] ?? 0 })
    }
    return ranked
  }

  /**
   * Visits all, in the publisher's order, by position and number of their kind: what needs no order should not pay for one, and what examines few
   * products should not read all of them, since many products are spread over memory.
   */
  forEach(visit: (position: number, kind: number, score: number) => void): void {
    const { kindOf } = this.#index.kinds
    for (let place = 0; place < this.#positions.length; place++) {
      const position = this.#positions[place] ?? -1
      visit(position, kindOf[position] ?? -1, this.#scores[place] ?? 0)
    }
  }

  /** A product of each kind, by number. */
  get samples(): readonly Product[] {
    return this.#index.kinds.samples
  }

  productAt(position: number): Product | undefined {
    return this.#index.products[position]
  }

  /** Which of two products comes first in the publisher's order, as a sort asks for it. */
  compare(one: Product, other: Product): number {
    return (this.#index.positions.get(one.id) ?? 0) - (this.#index.positions.get(other.id) ?? 0)
  }

  /** The products alone. */
  get products(): ProductList {
    const slice = (from: number, to: number) => this.slice(from, to).map(({ product }) => product)
    return {
      length: this.length,
      slice,
      findIndex: (test) => slice(0, this.length).findIndex(test),
      has: (id) => isAmong(this.#positions, this.#index.positions.get(id)),
    }
  }

  /** Places of the best, in order of rank. */
  #firstPlaces(): readonly number[] {
    this.#first ??= firstOf(this.#scores, FIRST)
    return this.#first
  }

  #sortedTo(wanted: number): Uint32Array {
    this.#order ??= new Uint32Array(this.#positions.length).map((_empty, place) => place)
    const order = this.#order
    if (wanted <= this.#sorted) return order
    const scores = this.#scores
    const compare = (a: number, b: number) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b
    // A page of a long list is picked out first, and only the page is sorted.
    const few = wanted * 8 < order.length
    if (few) pick(order, wanted, compare)
    this.#sorted = few ? wanted : order.length
    order.subarray(0, this.#sorted).sort(compare)
    return order
  }
}

/** Indices of the highest, at most `count`, highest first; of equals the first. One pass: what does not come near the last of them is only compared. */
function firstOf(scores: ArrayLike<number>, count: number): readonly number[] {
  const best: number[] = []
  let bar = Number.NEGATIVE_INFINITY
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0
    if (score <= bar) continue
    let place = best.length === count ? count - 1 : best.length
    for (; place > 0 && (scores[best[place - 1] ?? 0] ?? 0) < score; place--) best[place] = best[place - 1] ?? 0
    best[place] = index
    if (best.length === count) bar = scores[best[count - 1] ?? 0] ?? 0
  }
  return best
}

function sliceOf(numbers: ArrayLike<number>, from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, Math.min(to, numbers.length) - from) }, (_empty, place) => numbers[from + place] ?? 0)
}

/** Moves the `count` first by `compare` to the front, in any order (quickselect; the middle as pivot, so that sorted input stays linear). */
function pick(items: Uint32Array, count: number, compare: (a: number, b: number) => number): void {
  let low = 0
  let high = items.length - 1
  while (low < high) {
    const pivot = items[(low + high) >> 1] ?? 0
    let left = low
    let right = high
    while (left <= right) {
      while (compare(items[left] ?? 0, pivot) < 0) left++
      while (compare(items[right] ?? 0, pivot) > 0) right--
      if (left > right) break
      const swapped = items[left] ?? 0
      items[left++] = items[right] ?? 0
      items[right--] = swapped
    }
    if (count - 1 <= right) high = right
    else if (count - 1 >= left) low = left
    else return
  }
}
