import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { encodeCursor } from '../../domain/cursor.ts'
import { asRegistryRefusal } from '../../features/registry/refusal.ts'
import type { Store } from '../../store/database.ts'
import { lastSequence } from '../../store/directory/registry-events.ts'
import { type ExportFile, ExportFiles } from './export-files.ts'
import { respondEmpty, respondJson } from './respond.ts'
import { requestedPart, sendPart } from './send-part.ts'
import type { Route } from './server.ts'

/** How long an export is served again. Its authorisations are those of its place in the feed; times of verification in it grow old. */
const FRESH_MS = 10 * 60_000
/** The same where no feed says what has changed: what `Cache-Control` allows anyone to do. */
const MAX_AGE_SECONDS = 60

export interface AuthorizationSnapshotOptions {
  readonly store: Pick<Store, 'read'>
  /** Every authorisation in force, as lines of JSON. */
  readonly lines: () => AsyncIterable<string>
  /** Throws a refusal for a request of other rows than these. */
  readonly requireExported: (asked: Readonly<Record<'evidence' | 'include', string | undefined>>) => void
  /** Whether changes are recorded in the feed: only then is there a place in it to name. */
  readonly feed: boolean
  readonly log: Logger
}

/**
 * `GET /api/registry/authorizations/snapshot`: every authorisation in force as gzipped NDJSON, with the cursor of the feed from which changes
 * follow it. Its ETag begins with the feed's place, so that an unchanged index is not sent twice, and names the very bytes, so that a reader whose
 * transfer broke asks for the rest (`Range` with `If-Range`, RFC 9110 §14). Source: AdCP registry (authorizations/snapshot).
 */
export function authorizationSnapshotRoute({ store, lines, requireExported, feed, log }: AuthorizationSnapshotOptions): Route {
  const files = new ExportFiles(lines)
  const freshMs = feed ? FRESH_MS : MAX_AGE_SECONDS * 1000
  const fileOf = async (version: string): Promise<ExportFile | undefined> => {
    const { newest } = files
    if (newest?.version === version && performance.now() - newest.madeAt < freshMs) return newest
    return files.make(version)
  }
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Expose-Headers', 'Accept-Ranges, Content-Range, ETag, X-Sync-Cursor')
    response.setHeader('Accept-Ranges', feed ? 'bytes' : 'none')
    const refuse = (status: number, code: string, error: string, headers: Record<string, string>) => {
      respondJson(response, status, { error, code }, headers)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(405, 'method_not_allowed', 'only GET is served here', { Allow: 'GET, HEAD' })
      return
    }
    try {
      const query = new URLSearchParams(request.url?.split('?', 2)[1] ?? '')
      requireExported({ evidence: query.get('evidence') ?? undefined, include: query.get('include') ?? undefined })
    } catch (error) {
      const refusal = asRegistryRefusal(error)
      if (!refusal) throw error
      respondJson(response, refusal.status, refusal.body)
      return
    }
    // Before the reading: what is committed meanwhile comes again in the feed.
    const cursor = encodeCursor(['feed'], String(await lastSequence(store.read)))
    const place = hash('sha256', cursor, 'base64url').slice(0, 22)
    const headers = { ...(feed && { 'X-Sync-Cursor': cursor }), 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` }
    const known = request.headers['if-none-match']
    const isUnchanged = (tag: string) => tag.trim() === '*' || tag.includes(`"${place}.`)
    if (feed && known?.split(',').some(isUnchanged)) {
      respondEmpty(response, 304, headers)
      return
    }
    const file = await fileOf(feed ? place : 'any').catch((error: unknown) => {
      log.error({ err: error }, 'the export of the directory failed')
      throw error
    })
    if (!file) {
      refuse(503, 'unavailable', 'other exports are being made; try again later', { 'Retry-After': '30' })
      return
    }
    const type = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' }
    const tag = `"${place}.${file.id}"`
    const all = { ...headers, ...type, ...(feed && { ETag: tag }) }
    await sendPart(file, response, {
      headers: all,
      part: feed && request.method === 'GET' ? requestedPart(request.headers, file.size, tag) : undefined,
    })
  }
}
