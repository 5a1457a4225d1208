import { createHash } from 'node:crypto'

/** How long a change counts as recent: sellers sync, and other processes read it, within seconds. */
const RECENT_MS = 10_000

/** Values that are loaded, and whether they changed a moment ago. */
export interface Watched<Value> {
  load(): Promise<Value>
  /** Whether what was loaded last differs from what was loaded within ten seconds before; the first value is no change. */
  changedLately(): boolean
}

/**
 * Watches what `load` gives, by its JSON. While packages change, a provider asks that its answers are not repeated (specification, "Caching"). `clock`: milliseconds
 * that only grow.
 */
export function watchChanges<Value>(load: () => Promise<Value>, clock: () => number): Watched<Value> {
  const known: { value?: Value; hash?: string; changedAt: number } = { changedAt: Number.NEGATIVE_INFINITY }
  return {
    async load() {
      const value = await load()
      if (value === known.value) return value
      const hash = hashOf(value)
      if (known.hash !== undefined && known.hash !== hash) known.changedAt = clock()
      known.value = value
      known.hash = hash
      return value
    },
    changedLately: () => clock() - known.changedAt < RECENT_MS,
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
}
