/** How often items of counted lists were read. */
export interface Reads {
  count: number
}

/** A list that counts how often one of its items is read, for tests of how work grows with the length of lists. */
export function counted<T extends object>(list: T, reads: Reads): T {
  return new Proxy(list, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads.count += 1
      return Reflect.get(target, name, receiver)
    },
  })
}
