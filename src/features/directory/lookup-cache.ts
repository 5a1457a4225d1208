import { cursorStep, type LookupQuery } from '../../domain/directory/lookup-query.ts'
import type { DirectoryAgentRow } from '../../store/directory/rows.ts'
import type { PageTags } from './lookup.ts'

/** A question that was asked before, checked, with the agent and the tags of its page as of one data version of the store. */
export interface CachedLookup {
  readonly query: LookupQuery
  readonly agent: DirectoryAgentRow
  readonly tags: PageTags
  readonly dataVersion: string | number
}

const MAX_LOOKUPS = 4096
/** Longer targets are rare, so they are not cached. */
const MAX_TARGET_LENGTH = 1024

/**
 * Lookups by the target of their request, path and query as they came. Cached for one step of cursors, because with the step tags change and
 * cursors expire; the oldest goes first when there are too many.
 */
export class LookupCache {
  readonly #lookups = new Map<string, CachedLookup>()
  #step = 0

  get(target: string, now: Date): CachedLookup | undefined {
    const step = cursorStep(now)
    if (step !== this.#step) {
      this.#lookups.clear()
      this.#step = step
    }
    return this.#lookups.get(target)
  }

  /** Keeps what was found at `now`. */
  set(target: string, lookup: CachedLookup, now: Date): void {
    if (target.length > MAX_TARGET_LENGTH || cursorStep(now) !== this.#step) return
    const oldest = this.#lookups.size >= MAX_LOOKUPS ? this.#lookups.keys().next().value : undefined
    if (oldest !== undefined) this.#lookups.delete(oldest)
    this.#lookups.set(target, lookup)
  }
}
