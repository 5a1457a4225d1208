import type { Store } from './database.ts'

/**
 * Gives what is kept under a key, or reads it and keeps it. `undefined` is not kept: whoever asks for nothing fills no memory, and has read
 * by itself that there is nothing.
 */
export type MarkedMemory<T> = (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>

interface Marked<T> {
  readonly value: T
  readonly mark: string | number
}

/**
 * A memory of what was read from the store, each value good for as long as the store's mark stays the same; those who ask while it is read
 * share the reading. Holds at most `most` values; the oldest goes first.
 */
export function markedMemory<T>(store: Pick<Store, 'mark'>, most: number): MarkedMemory<T> {
  const kept = new Map<string, Marked<T>>()
  const readings = new Map<string, Marked<Promise<T | undefined>>>()

  async function readAndKeep(key: string, mark: string | number, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const value = await read()
    kept.delete(key)
    if (value === undefined) return undefined
    const oldest = kept.size >= most ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, { value, mark })
    return value
  }

  return async (key, read) => {
    // The mark of before the reading: what was committed meanwhile is read again next time.
    const mark = store.mark()
    const known = kept.get(key)
    if (known?.mark === mark) return known.value
    const others = readings.get(key)
    if (others?.mark === mark) {
      const shared = await others.value
      if (shared !== undefined) return shared
    }
    const reading = { mark, value: readAndKeep(key, mark, read) }
    readings.set(key, reading)
    try {
      return await reading.value
    } finally {
      if (readings.get(key) === reading) readings.delete(key)
    }
  }
}

/**
 * Such a memory where marks tell of every commit, wherever it was made, from the moment it stands; on a store whose marks are late nothing is
 * remembered. For what a buyer has just changed through another process.
 */
export function exactMemory<T>(store: Pick<Store, 'mark' | 'engine'>, most: number): MarkedMemory<T> {
  return store.engine === 'sqlite' ? markedMemory(store, most) : (_key, read) => read()
}
