/** The limits of what is kept: a number of items, and their bytes in all. */
export interface Room {
  readonly count: number
  readonly bytes: number
}

/** The newest of many things that come in order: as many as there is room for. */
export class Newest<T> {
  readonly #room: Room
  readonly #kept: { readonly item: T; readonly bytes: number }[] = []
  #bytes = 0
  /** How many came. */
  of = 0

  constructor(room: Room) {
    this.#room = room
  }

  add(item: T, bytes: number): void {
    this.of++
    this.#kept.push({ item, bytes })
    this.#bytes += bytes
    while (this.#kept.length > this.#room.count || this.#bytes > this.#room.bytes) {
      const dropped = this.#kept.shift()
      if (!dropped) return
      this.#bytes -= dropped.bytes
    }
  }

  get items(): readonly T[] {
    return this.#kept.map(({ item }) => item)
  }

  /** Whether some of what came is no longer kept. */
  get isCut(): boolean {
    return this.#kept.length < this.of
  }
}
