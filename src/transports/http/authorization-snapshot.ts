import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { Logger } from 'pino'
import { encodeCursor } from '../../domain/cursor.ts'
import type { Store } from '../../store/database.ts'
import { lastSequence } from '../../store/registry/registry-events.ts'
import { matchesEntityTag } from './entity-tag.ts'
import type { Route } from './server.ts'

/** Exports at once: each reads and compresses the whole index. */
const MAX_EXPORTS = 2

export interface AuthorizationSnapshotOptions {
  readonly store: Pick<Store, 'read'>
  /** Every authorisation in force, as lines of JSON. */
  readonly lines: () => AsyncIterable<string>
  /** Whether changes are recorded in the feed: only then is there a place in it to name. */
  readonly feed: boolean
  readonly log: Logger
}

/**
 * `GET /api/registry/authorizations/snapshot`: every authorisation in force as gzipped NDJSON, with the cursor of the feed from which changes
 * follow it. Its ETag is that of the feed's place, so that an unchanged index is not sent twice; it is weak, because times of verification
 * change without an event. The export is made while it is sent, so there are no ranges (RFC 9110 §14.3). Source: AdCP registry (authorizations/snapshot).
 */
export function authorizationSnapshotRoute({ store, lines, feed, log }: AuthorizationSnapshotOptions): Route {
  let running = 0
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Expose-Headers', 'ETag, X-Sync-Cursor')
    response.setHeader('Accept-Ranges', 'none')
    const refuse = (status: number, code: string, error: string, headers: Record<string, string>) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify({ error, code }))
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(405, 'method_not_allowed', 'only GET is served here', { Allow: 'GET, HEAD' })
      return
    }
    // Before the reading: what is committed meanwhile comes again in the feed.
    const cursor = encodeCursor(['feed'], String(await lastSequence(store.read)))
    const etag = `"${hash('sha256', cursor, 'base64url').slice(0, 22)}"`
    const headers = { ...(feed && { ETag: `W/${etag}`, 'X-Sync-Cursor': cursor }), 'Cache-Control': 'public, max-age=60' }
    if (feed && matchesEntityTag(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers).end()
      return
    }
    if (running >= MAX_EXPORTS) {
      refuse(503, 'unavailable', 'other exports are running; try again later', { 'Retry-After': '30' })
      return
    }
    response.writeHead(200, { ...headers, 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    running += 1
    try {
      const gzip = createGzip({ level: constants.Z_BEST_SPEED })
      await pipeline(Readable.from(lines()), gzip, response)
    } catch (error) {
      // A reader that goes away ends its export; anything else is a fault.
      if (!response.destroyed) log.error({ err: error }, 'the export of the directory failed')
      response.destroy()
    } finally {
      running -= 1
    }
  }
}
