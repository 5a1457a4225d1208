import type { Store } from './database.ts'

/** Gives what is kept under a key, or reads it and keeps it. `undefined` is not kept: whoever asks for nothing fills no memory. */
export type MarkedMemory<T> = (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * A memory of what was read from the store, each value good for as long as the store's mark stays the same. Holds at most `most`
 * values; the oldest goes first.
 */
export function markedMemory<T>(store: Pick<Store, 'mark'>, most: number): MarkedMemory<T> {
  const kept = new Map<string, { readonly value: T; readonly mark: string | number }>()
  return async (key, read) => {
    const mark = store.mark()
    const known = kept.get(key)
    if (known?.mark === mark) return known.value
    // The mark of before the reading: what was committed meanwhile is read again next time.
    const value = await read()
    kept.delete(key)
    if (value === undefined) return undefined
    const oldest = kept.size >= most ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, { value, mark })
    return value
  }
}
