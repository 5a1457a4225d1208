/** Answers by the ETag that stands for them, bounded by their size; the least recently used goes first. */
export class PageCache {
  readonly #maxBytes: number
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

  set(tag: string, page: Buffer): void {
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
