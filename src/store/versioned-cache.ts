import { LRUCache } from 'lru-cache'
import type { Store } from './database.ts'

/** Gives the cached value of a key, or reads and caches it. Misses (`undefined`) are not cached. */
export type VersionedCache<T> = (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>

interface Versioned<T> {
  readonly value: T
  readonly dataVersion: string | number
}

/**
 * A cache of what was read from the store. A value is valid while the store's data version is the one that it was read under. Calls that ask for
 * the same key at the same time share one read. Holds at most `max` values; the least recently used is evicted first.
 */
export function versionedCache<T>(store: Pick<Store, 'dataVersion'>, max: number): VersionedCache<T> {
  const values = new LRUCache<string, Versioned<T>>({ max })
  const reads = new Map<string, Versioned<Promise<T | undefined>>>()

  async function readAndCache(key: string, dataVersion: string | number, read: () => Promise<T | undefined>) {
    const value = await read()
    if (value === undefined) values.delete(key)
    else values.set(key, { value, dataVersion })
    return value
  }

  return async (key, read) => {
    // The version from before the read: what is committed during it makes the value invalid.
    const dataVersion = store.dataVersion()
    const cached = values.get(key)
    if (cached?.dataVersion === dataVersion) return cached.value
    const running = reads.get(key)
    if (running?.dataVersion === dataVersion) {
      const shared = await running.value
      if (shared !== undefined) return shared
    }
    const own = { dataVersion, value: readAndCache(key, dataVersion, read) }
    reads.set(key, own)
    try {
      return await own.value
    } finally {
      if (reads.get(key) === own) reads.delete(key)
    }
  }
}

/**
 * A versioned cache for what a buyer may have changed a moment ago through another process. Only SQLite sees commits of other processes at once
 * (see `Store.dataVersion`); on PostgreSQL every call reads.
 */
export function exactCache<T>(store: Pick<Store, 'dataVersion' | 'engine'>, max: number): VersionedCache<T> {
  return store.engine === 'sqlite' ? versionedCache(store, max) : (_key, read) => read()
}
