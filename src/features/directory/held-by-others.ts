import { listLatestAttempts } from '../../store/directory/directory-attempts.ts'
import type { DuePublisher } from '../../store/directory/directory-leases.ts'
import type { DirectoryAttemptRow } from '../../store/directory/rows.ts'
import type { RefreshDeps } from './shared-documents.ts'

/** How another crawler's refresh of a publisher ended. */
export interface RefreshElsewhere {
  readonly domain: string
  /** The crawler that held it; null when it was over before that could be seen. */
  readonly owner: string | null
  readonly result: DirectoryAttemptRow['result']
  readonly reason: string | null
}

/** Most publishers of one crawl that are told of: a crawl of a whole directory may wait for any number. */
const MOST = 1_000

/** Publishers that a crawl does not refresh itself because another crawler has them. */
export class HeldByOthers {
  readonly #deps: Pick<RefreshDeps, 'store' | 'clock'>
  readonly #since: Date
  readonly #owners = new Map<string, string | null>()

  /** `domain`: the one that was asked for, which another crawler may have refreshed before this one looks. */
  constructor(deps: Pick<RefreshDeps, 'store' | 'clock'>, domain: string | undefined) {
    this.#deps = deps
    this.#since = deps.clock()
    if (domain !== undefined) this.#owners.set(domain, null)
  }

  note(held: readonly DuePublisher[]): void {
    for (const { domain, owner } of held) {
      const isKnown = this.#owners.has(domain)
      if (owner !== null && (isKnown || this.#owners.size < MOST)) this.#owners.set(domain, owner)
    }
  }

  takenHere(domain: string): void {
    this.#owners.delete(domain)
  }

  /** Those whose refresh has ended since the crawl began, as their last attempt says; not those of `remaining`, which are still due. */
  async refreshed(remaining: readonly DuePublisher[]): Promise<readonly RefreshElsewhere[]> {
    for (const { domain } of remaining) this.#owners.delete(domain)
    const attempts = await listLatestAttempts(this.#deps.store.read, [...this.#owners.keys()], this.#since)
    return attempts.map(({ publisher_domain: domain, result, reason }) => ({
      domain,
      owner: this.#owners.get(domain) ?? null,
      result,
      reason,
    }))
  }
}
