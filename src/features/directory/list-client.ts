import { setTimeout as sleep } from 'node:timers/promises'
import type { RowStatus } from '../../domain/directory/lookup-query.ts'
import { withoutTrailing } from '../../domain/without-trailing.ts'
import { largeJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import { DirectoryError, type DirectoryPage, readPage } from './list-page.ts'

/** Keeps answers between calls, so that an unchanged page costs a 304. A `Map` will do. */
export interface PageStore {
  get(url: string): StoredPage | undefined
  set(url: string, page: StoredPage): unknown
}

export interface StoredPage {
  readonly etag: string
  readonly body: unknown
  readonly receivedAt: Date
}

export interface ListOptions {
  readonly since?: Date
  readonly status?: readonly RowStatus[]
  readonly include?: readonly ('properties' | 'file_form')[]
  readonly limit?: number
  /** Where to go on, from an earlier page. */
  readonly cursor?: DirectoryPage['cursor']
  readonly pages?: PageStore
  /** Default: the global fetch. The directory's address is configuration, so no outbound policy applies to it. */
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: () => Date
  /** Tries of one page, the first included. Default 5. */
  readonly attempts?: number
  /** First pause between tries in milliseconds, doubled each time. Default 500. */
  readonly backoffMs?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Consumers refuse older cursors by their own clock (AdCP publisher directory page). */
const CURSOR_LIFETIME_MS = 24 * 3_600_000
const LONGEST_PAUSE_MS = 30_000
/** A page of 1000 rows with ids is well below this. */
const MAX_PAGE_BYTES = 64_000_000

/**
 * Pages through a directory's publishers of an agent. Retries 429 (after Retry-After) and 5xx with backoff, revalidates
 * pages cached in `pages`, refuses cursors older than 24 hours and cursors that repeat. Malformed rows are counted and left
 * out. Throws DirectoryError; an agent the directory never heard of has the code `agent_not_found`.
 */
export async function* listAgentPublishers(
  directoryUrl: string,
  agentUrl: string,
  options: ListOptions = {},
): AsyncGenerator<DirectoryPage, void, undefined> {
  const clock = options.clock ?? (() => new Date())
  const seen = new Set<string>()
  let cursor = options.cursor
  do {
    if (cursor && clock().getTime() - cursor.receivedAt.getTime() > CURSOR_LIFETIME_MS) {
      throw new DirectoryError('stale_cursor', 'the cursor is older than 24 hours; start again without it')
    }
    if (cursor && seen.has(cursor.value)) throw new DirectoryError('bad_answer', 'the directory repeats a cursor')
    if (cursor) seen.add(cursor.value)
    const page = await getPage(pageUrl(directoryUrl, agentUrl, options, cursor?.value), options, clock)
    yield page
    cursor = page.cursor
  } while (cursor)
}

function pageUrl(directoryUrl: string, agentUrl: string, options: ListOptions, cursor: string | undefined): string {
  const query = new URLSearchParams()
  if (options.since) query.set('since', options.since.toISOString())
  for (const status of options.status ?? []) query.append('status', status)
  for (const include of options.include ?? []) query.append('include', include)
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  if (cursor !== undefined) query.set('cursor', cursor)
  const suffix = query.size === 0 ? '' : `?${query}`
  return `${withoutTrailing(directoryUrl, '/')}/v1/agents/${encodeURIComponent(agentUrl)}/publishers${suffix}`
}

async function getPage(url: string, options: ListOptions, clock: () => Date): Promise<DirectoryPage> {
  const stored = options.pages?.get(url)
  const attempts = options.attempts ?? 5
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(url, stored, options)
    if (!(answer instanceof Error)) {
      if (answer.status === 304 && stored) return readPage(stored.body, stored.receivedAt, true)
      if (answer.status === 200) return await keepPage(url, answer, options, clock)
      if (answer.status !== 429 && answer.status < 500) throw await refusalOf(answer)
    }
    if (attempt >= attempts) throw answer instanceof Error ? answer : await refusalOf(answer)
    await sleep(pauseMs(answer, attempt, options), undefined, { signal: options.signal })
  }
}

async function ask(url: string, stored: StoredPage | undefined, options: ListOptions): Promise<Response | DirectoryError> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000)
  const headers = { accept: 'application/json', ...(stored && { 'if-none-match': stored.etag }) }
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  try {
    return await (options.fetch ?? globalThis.fetch)(url, { headers, signal, redirect: 'error' })
  } catch (error) {
    options.signal?.throwIfAborted()
    return new DirectoryError('unreachable', `${new URL(url).origin} does not answer`, undefined, error)
  }
}

function pauseMs(answer: Response | Error, attempt: number, options: ListOptions): number {
  const asked = answer instanceof Error ? null : answer.headers.get('retry-after')
  if (asked !== null && /^\d{1,6}$/.test(asked)) return Number(asked) * 1000
  // Half fixed, half random, so that clients that failed together do not return together.
  const step = Math.min((options.backoffMs ?? 500) * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  return step / 2 + (Math.random() * step) / 2
}

async function keepPage(url: string, answer: Response, options: ListOptions, clock: () => Date): Promise<DirectoryPage> {
  const text = await answer.text()
  if (text.length > MAX_PAGE_BYTES) throw new DirectoryError('bad_answer', 'the page is too large', 200)
  const body = await largeJsonIn(text)
  const receivedAt = clock()
  const page = readPage(body, receivedAt, false)
  const etag = answer.headers.get('etag')
  if (etag !== null) options.pages?.set(url, { etag, body, receivedAt })
  return page
}

async function refusalOf(answer: Response): Promise<DirectoryError> {
  const body = await largeJsonIn(await answer.text().catch(() => ''))
  const message = isObject(body) && typeof body.error === 'string' ? body.error : `the directory answered ${answer.status}`
  const code = isObject(body) && typeof body.code === 'string' ? body.code : `http_${answer.status}`
  return new DirectoryError(code, message, answer.status)
}
