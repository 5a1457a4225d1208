import type { Steps } from '../../platform/concurrency/steps.ts'
import type { Property } from './property.ts'
import { isSelected, type Selection } from './selector.ts'
import { sortedInSteps } from './sorted-in-steps.ts'

/** What an entry selects of a pool, or properties that it brings along. */
export type PoolPart = { readonly selection: Selection } | { readonly properties: readonly Property[] }

/** The properties of one publisher in a file, found by id and by tag without a look at all of them. */
export class PropertyPool {
  readonly #listed: readonly Property[]
  /** Distinct ids, ascending, of listed and inline properties. */
  readonly #ids: readonly string[]
  readonly #places: Places
  readonly #ranks: ReadonlyMap<string, number>
  readonly #sorted = new WeakMap<readonly Property[], readonly string[]>()

  private constructor(listed: readonly Property[], ids: readonly string[], places: Places, ranks: ReadonlyMap<string, number>) {
    this.#listed = listed
    this.#ids = ids
    this.#places = places
    this.#ranks = ranks
  }

  /** `listed` are those that selections are about, `inline` those that entries bring along. */
  static *of(listed: readonly Property[], inline: readonly Property[]): Steps<PropertyPool> {
    const distinct = new Set<string>()
    for (const list of [listed, inline]) {
      for (const [index, { id }] of list.entries()) {
        if (index % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
        distinct.add(id)
      }
    }
    const ids = yield* sortedInSteps([...distinct])
    const ranks = new Map<string, number>()
    for (const id of ids) {
      if (ranks.size % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
      ranks.set(id, ranks.size)
    }
    return new PropertyPool(listed, ids, yield* placesOf(listed), ranks)
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
    const ranks = Uint32Array.from(list, ({ id }) => this.#ranks.get(id) ?? 0).sort()
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
    for (const value of selection.wanted) yield* this.#places[selection.by].get(value) ?? []
  }
}

/** Properties between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 512

/** Positions in the list, by id and by tag. */
interface Places {
  readonly id: ReadonlyMap<string, readonly number[]>
  readonly tag: ReadonlyMap<string, readonly number[]>
}

function* placesOf(listed: readonly Property[]): Steps<Places> {
  const places = { id: new Map<string, number[]>(), tag: new Map<string, number[]>() }
  const add = (by: Map<string, number[]>, value: string, position: number) => {
    const known = by.get(value)
    if (known) known.push(position)
    else by.set(value, [position])
  }
  for (const [position, { id, tags }] of listed.entries()) {
    if (position % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
    add(places.id, id, position)
    for (const tag of tags) add(places.tag, tag, position)
  }
  return places
}
