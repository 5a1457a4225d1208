import type { AdagentsFile } from '../../domain/directory/adagents-file.ts'
import type { FreshnessLimits } from '../../domain/directory/freshness.ts'
import { type FileIndex, indexInSteps } from '../../domain/directory/resolve.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AUTHORITATIVE_POLICY, WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Store } from '../../store/database.ts'
import { findBody, findDocument, leaseDocument } from '../../store/directory/directory-documents.ts'
import type { DirectoryDocumentRow } from '../../store/directory/rows.ts'
import { applyDocument, indexFetched, withoutRollback } from './apply-document.ts'
import { type FileOutcome, fetchAdagents, readAdagents } from './fetch-adagents.ts'

/** A file that is asked for again because it failed a moment ago is not asked again within this time. */
const RETRY_SPACING_MS = 60_000
/** Parsed files cached, by the size of their text. */
const CACHE_BYTES = 64_000_000
const LEASE_MS = 120_000

export interface RefreshDeps {
  readonly store: Store
  readonly fetch: SafeFetch
  readonly clock: () => Date
  /** In [0, 1). */
  readonly random: () => number
  readonly limits: FreshnessLimits
  /** Names this crawl in leases (see `ownerName`), so that those of a process that is gone are taken over. */
  readonly worker: string
  /** Reports what was skipped in a file. */
  readonly warn: (details: Readonly<Record<string, unknown>>, message: string) => void
}

/** A file as far as it is known after asking for it. Without `file` nothing of it counts. */
export interface SharedDocument {
  readonly row: DirectoryDocumentRow
  readonly file: AdagentsFile | undefined
  readonly index: FileIndex | undefined
  /** Why the last attempt gave nothing, in words. */
  readonly reason: string | undefined
}

export interface SharedRequest {
  readonly kind: 'well_known' | 'authoritative_location'
  /** The file also speaks for the other publishers whose properties it carries. */
  readonly fansOut: boolean
  /** A copy verified within this time is not asked for again. */
  readonly maxAgeMs: number
}

interface Cached {
  readonly refresh: number
  readonly file: AdagentsFile
  readonly index: FileIndex | undefined
  readonly bytes: number
}

/** Files that many publishers lead to: each is fetched once by its URL, by one process at a time, and cached parsed. */
export class SharedDocuments {
  readonly #deps: RefreshDeps
  readonly #flights = new Map<string, Promise<SharedDocument>>()
  readonly #cache = new Map<string, Cached>()
  #cachedBytes = 0

  constructor(deps: RefreshDeps) {
    this.#deps = deps
  }

  /** The file at a URL, asked for when the copy at hand is too old. Never rejects because of the file. */
  get(url: string, request: SharedRequest): Promise<SharedDocument> {
    const key = `${request.fansOut} ${url}`
    const running = this.#flights.get(key)
    if (running) return running
    const flight = this.#refresh(url, request).finally(() => this.#flights.delete(key))
    this.#flights.set(key, flight)
    return flight
  }

  async #refresh(url: string, request: SharedRequest): Promise<SharedDocument> {
    const { store, clock, worker } = this.#deps
    const now = clock()
    const before = await findDocument(store.read, url)
    const held = await this.#held(before)
    const fansOutAlready = before.fans_out === 1 || !request.fansOut
    if (isRecent(before, request.maxAgeMs, now) && fansOutAlready && (held !== undefined || before.verified_at === null)) {
      return { row: before, file: held?.file, index: held?.index, reason: held ? undefined : 'the last fetch of it failed' }
    }
    if (!(await store.transaction((tx) => leaseDocument(tx, url, worker, now, LEASE_MS)))) {
      return { row: before, file: held?.file, index: held?.index, reason: 'another worker is fetching it' }
    }
    return this.#fetch(url, request, held, fansOutAlready)
  }

  async #fetch(url: string, request: SharedRequest, held: Cached | undefined, conditional: boolean): Promise<SharedDocument> {
    const { store, fetch, clock, limits, warn } = this.#deps
    const policy = request.kind === 'well_known' ? WELL_KNOWN_POLICY : AUTHORITATIVE_POLICY
    const before = await findDocument(store.read, url)
    const validators =
      held && conditional ? { etag: before.etag ?? undefined, lastModified: before.last_modified ?? undefined } : {}
    const answer = await fetchAdagents(fetch, url, policy, validators)
    const outcome = withoutRollback(before, held && conditional ? answer : refuseUnaskedUnchanged(answer))
    if (outcome.kind === 'fetched')
      for (const { path, reason } of outcome.warnings) warn({ domain: before.host, url, path }, reason)
    const now = clock()
    const index = (await indexFetched(outcome)) ?? (outcome.kind === 'fetched' ? undefined : held?.index)
    const applied = await store.transaction(async (tx) => {
      const row = await findDocument(tx, url)
      const fansOut = request.fansOut ? 1 : row.fans_out
      return applyDocument(tx, { ...row, fans_out: fansOut }, outcome, { now, limits, keepBody: true, index })
    })
    const file = outcome.kind === 'fetched' ? outcome.content : applied.row.verified_at === null ? undefined : held?.file
    if (!file) return { row: applied.row, file: undefined, index: undefined, reason: applied.reason }
    const bytes = outcome.kind === 'fetched' ? outcome.body.length : (held?.bytes ?? 0)
    const cached = this.#keep(applied.row, file, applied.index, bytes)
    return { row: applied.row, file: cached.file, index: cached.index, reason: applied.reason }
  }

  async #held(row: DirectoryDocumentRow): Promise<Cached | undefined> {
    if (row.verified_at === null) return undefined
    const cached = this.#cache.get(row.document_id)
    if (cached?.refresh === row.refresh) return cached
    const body = await findBody(this.#deps.store.read, row.document_id)
    const file = body === undefined ? undefined : (await readAdagents(body))?.file
    const index = file?.kind === 'inline' ? await inTurns(indexInSteps(file)) : undefined
    return file && this.#keep(row, file, index, body?.length ?? 0)
  }

  #keep(row: DirectoryDocumentRow, file: AdagentsFile, index: FileIndex | undefined, bytes: number): Cached {
    this.#cachedBytes -= this.#cache.get(row.document_id)?.bytes ?? 0
    this.#cache.delete(row.document_id)
    const cached = { refresh: row.refresh, file, index, bytes }
    this.#cache.set(row.document_id, cached)
    this.#cachedBytes += bytes
    for (const [oldest, entry] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES || oldest === row.document_id) break
      this.#cache.delete(oldest)
      this.#cachedBytes -= entry.bytes
    }
    return cached
  }
}

/** A 304 to a request that carried no validators says nothing about any copy of ours. */
export function refuseUnaskedUnchanged<T>(outcome: FileOutcome<T>): FileOutcome<T> {
  return outcome.kind === 'unchanged'
    ? { kind: 'failed', reason: 'the server answered 304 to an unconditional request' }
    : outcome
}

function isRecent(row: DirectoryDocumentRow, maxAgeMs: number, now: Date): boolean {
  if (row.attempted_at === null) return false
  if (row.soonest_at !== null && row.soonest_at <= now.toISOString()) return false
  const age = now.getTime() - Date.parse(row.attempted_at)
  return age < (row.failing_since === null && row.verified_at !== null ? maxAgeMs : Math.min(maxAgeMs, RETRY_SPACING_MS))
}
