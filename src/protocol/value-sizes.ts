/** Values of an object that is counted again as fast as its size is found. */
const FEW = 16

/** How large a value is. */
interface Size {
  /** Values in it, itself included, but of a large one no more than are too many for a step. */
  readonly values: number
  /** Members of an object that are large by themselves. */
  readonly large: readonly (readonly [name: string, member: object])[]
}

/** Sizes of JSON values, each large object and array looked at once: the names of an object with many members take long to list. */
export class ValueSizes {
  readonly #known = new WeakMap<object, Size>()
  readonly #most: number
  readonly #ofText: (text: string) => number

  /** `most`: values of a step, soon after which counting ends; `ofText`: as how many values a text counts (default: one). */
  constructor(most: number, ofText: (text: string) => number = () => 1) {
    this.#most = most
    this.#ofText = ofText
  }

  isLarge(value: unknown): value is object {
    return typeof value === 'object' && this.values(value) > this.#most
  }

  values(value: unknown): number {
    if (typeof value === 'string') return this.#ofText(value)
    return typeof value === 'object' && value !== null ? this.of(value).values : 1
  }

  of(value: object): Size {
    const known = this.#known.get(value)
    if (known) return known
    const size = Array.isArray(value) ? this.#ofArray(value) : this.#ofObject(value)
    if (size.values > FEW) this.#known.set(value, size)
    return size
  }

  #ofArray(items: readonly unknown[]): Size {
    let values = 1
    for (const item of items) {
      if (values > this.#most) break
      values += this.values(item)
    }
    return { values, large: [] }
  }

  #ofObject(object: object): Size {
    let values = 1
    const large: [string, object][] = []
    for (const [name, member] of Object.entries(object)) {
      if (values <= this.#most) values += this.values(member)
      if (this.isLarge(member)) large.push([name, member])
    }
    return { values, large }
  }
}
