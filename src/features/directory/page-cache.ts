/** Tags remembered of pages that were asked for once. */
const MAX_CANDIDATES = 4096

/**
 * Answers by their ETag, bounded by their size; the least recently used goes first. A page is kept from
 * its second request on: a client that walks a million rows once neither pays for the keeping nor drives out what others ask for.
 */
export class PageCache {
  readonly #maxBytes: number
  readonly #candidates = new Set<string>()
  readonly #pages = new Map<string, Buffer>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(tag: string): Buffer | undefined {
    const page = this.#pages.get(tag)
    if (page) {
      this.#pages.delete(tag)
      this.#pages.set(tag, page)
    }
    return page
  }

  /** Keeps the page when it was offered before. */
  offer(tag: string, page: Buffer): void {
    if (!this.#candidates.delete(tag)) {
      for (const oldest of this.#candidates) {
        if (this.#candidates.size < MAX_CANDIDATES) break
        this.#candidates.delete(oldest)
      }
      this.#candidates.add(tag)
      return
    }
    this.#bytes += page.length - (this.#pages.get(tag)?.length ?? 0)
    this.#pages.delete(tag)
    this.#pages.set(tag, page)
    for (const [oldest, { length }] of this.#pages) {
      if (this.#bytes <= this.#maxBytes) return
      this.#pages.delete(oldest)
      this.#bytes -= length
    }
  }
}
