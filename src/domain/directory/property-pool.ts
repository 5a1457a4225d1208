import type { Property } from './property.ts'
import { isSelected, type Selection } from './selector.ts'

/** What an entry selects of a pool, or properties that it brings along. */
export type PoolPart = { readonly selection: Selection } | { readonly properties: readonly Property[] }

/** The properties of one publisher in a file, found by id and by tag without a look at all of them. */
export class PropertyPool {
  readonly #listed: readonly Property[]
  /** Distinct ids, ascending, of listed and inline properties. */
  readonly #ids: readonly string[]
  readonly #sorted = new WeakMap<readonly Property[], readonly string[]>()
  #places:
    | { readonly id: ReadonlyMap<string, readonly number[]>; readonly tag: ReadonlyMap<string, readonly number[]> }
    | undefined
  #ranks: ReadonlyMap<string, number> | undefined

  /** `listed` are those that selections are about, `inline` those that entries bring along. */
  constructor(listed: readonly Property[], inline: readonly Property[]) {
    this.#listed = listed
    this.#ids = [...new Set([...listed, ...inline].map(({ id }) => id))].sort()
  }

  /** Distinct properties. */
  get total(): number {
    return this.#ids.length
  }

  /** Whether some parts give at least one property. */
  hasOne(parts: readonly PoolPart[]): boolean {
    return parts.some((part) =>
      'properties' in part ? part.properties.length > 0 : !this.#positions(part.selection).next().done,
    )
  }

  /** The properties that parts give, each id once, in the order of parts and file. */
  listOf(parts: readonly PoolPart[]): readonly Property[] {
    const [only, ...more] = parts
    const isPlain = more.length === 0 && this.#listed.length === this.total
    if (isPlain && only && 'selection' in only) return Object.freeze(this.#selected(only.selection))
    const byId = new Map<string, Property>()
    for (const part of parts) {
      for (const property of 'properties' in part ? part.properties : this.#selected(part.selection))
        if (!byId.has(property.id)) byId.set(property.id, property)
    }
    return Object.freeze([...byId.values()])
  }

  /** The ids of a list that this pool made, ascending; the same list for the same one. */
  idsOf(list: readonly Property[]): readonly string[] {
    const known = this.#sorted.get(list)
    if (known) return known
    this.#ranks ??= new Map(this.#ids.map((id, rank) => [id, rank]))
    const ranks = Uint32Array.from(list, ({ id }) => this.#ranks?.get(id) ?? 0).sort()
    const ids = Object.freeze(Array.from(ranks, (rank) => this.#ids[rank] ?? ''))
    this.#sorted.set(list, ids)
    return ids
  }

  #selected(selection: Selection): Property[] {
    if (selection.by === 'all') return [...this.#listed]
    const positions = Uint32Array.from(new Set(this.#positions(selection))).sort()
    const selected: Property[] = []
    for (const position of positions) {
      const property = this.#listed[position]
      if (property) selected.push(property)
    }
    return selected
  }

  /** Positions of selected properties, some of them repeatedly; looked for from the smaller side. */
  *#positions(selection: Selection): Generator<number> {
    if (selection.by === 'all' || selection.wanted.size >= this.#listed.length) {
      for (const [position, property] of this.#listed.entries()) if (isSelected(selection, property)) yield position
      return
    }
    this.#places ??= { id: placesOf(this.#listed, ({ id }) => [id]), tag: placesOf(this.#listed, ({ tags }) => tags) }
    for (const value of selection.wanted) yield* this.#places[selection.by].get(value) ?? []
  }
}

function placesOf(
  listed: readonly Property[],
  valuesOf: (property: Property) => readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [position, property] of listed.entries()) {
    for (const value of valuesOf(property)) {
      const known = places.get(value)
      if (known) known.push(position)
      else places.set(value, [position])
    }
  }
  return places
}
