import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedPages, NextPage, Send } from '../../features/registry/feed-pages.ts'
import { asRegistryRefusal, RegistryRefusal } from '../../features/registry/refusal.ts'
import type { Slots } from '../../platform/concurrency/slots.ts'
import type { Store } from '../../store/database.ts'
import type { RegistryRouteOptions } from './registry.ts'
import { queryArguments } from './registry-query.ts'
import { beginEvents, respondJson, writeEvents } from './respond.ts'
import type { Route } from './server.ts'

/** Streams at once, of all readers and of one address: each holds a connection. */
export const REGISTRY_STREAMS = { inAll: 200, ofHolder: 10 }
/** How often a stream that has caught up checks whether the store has changed. */
const LOOK_MS = 1_000
/** AdCP registry (change feed stream): default and bounds of `poll_interval_seconds`, the time between two heartbeats. */
const INTERVAL = { default: 15, least: 5, most: 60 }

export type RegistryStreamOptions = Pick<RegistryRouteOptions, 'peerOf' | 'clock' | 'log' | 'newRequestId'> & {
  readonly store: Pick<Store, 'dataVersion'>
  readonly pages: FeedPages
  /** Those that are open, by address. */
  readonly streams: Slots
  /** Counts one that was refused. */
  readonly refused: (limit: 'address' | 'all') => void
}

/**
 * `GET /api/registry/feed/stream`: the pages of the feed as server-sent events. The id of an event is the cursor behind it, so that a
 * reader that comes back with `Last-Event-ID` goes on where it was. Source: AdCP registry (change feed stream); WHATWG HTML, server-sent events.
 */
export function registryStreamRoute(options: RegistryStreamOptions): Route {
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    const address = options.peerOf(request).address ?? ''
    let end: (() => void) | undefined
    try {
      if (request.method !== 'GET')
        throw new RegistryRefusal(405, 'method_not_allowed', 'only GET is served here', {}, { Allow: 'GET' })
      end = takeStream(options, address)
      const { args, intervalMs } = streamArguments(options.pages, request.url ?? '', request.headers['last-event-id'])
      const next = options.pages.follow(args, { address, requestId: options.newRequestId(), transport: 'http' })
      await stream(response, { next, intervalMs }, options)
      response.end()
    } catch (error) {
      if (response.headersSent) return
      const refusal = asRegistryRefusal(error)
      if (!refusal) options.log.error({ err: error }, 'the stream of the registry failed')
      const { status, body, headers } =
        refusal ?? new RegistryRefusal(500, 'internal_error', 'the registry failed; try again later')
      respondJson(response, status, body, headers)
    } finally {
      end?.()
    }
  }
}

/** Takes a place before anything is read, so that requests that come at once are counted too. Throws RegistryRefusal: 429 for an address, 503 for all. */
function takeStream({ streams, refused }: RegistryStreamOptions, address: string): () => void {
  const taken = streams.take(address)
  if (typeof taken === 'function') return taken
  refused(taken === 'holder' ? 'address' : 'all')
  const wait = { 'Retry-After': '60' }
  if (taken === 'all')
    throw new RegistryRefusal(503, 'unavailable', 'too many streams are open; poll /api/registry/feed', {}, wait)
  const message = `${REGISTRY_STREAMS.ofHolder} streams are open from this address; close one, or poll /api/registry/feed`
  throw new RegistryRefusal(429, 'rate_limited', message, {}, wait)
}

interface Stream {
  readonly next: NextPage
  readonly intervalMs: number
}

/** Writes page after page, each when the one before is taken, until the reader goes. Throws what keeps the first from being read: a bad or expired cursor is an answer, not a stream. */
async function stream(
  response: ServerResponse,
  { next, intervalMs }: Stream,
  { store, clock, log }: RegistryStreamOptions,
): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const tell = (event: string, data: object) => writeEvents(response, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const send: Send = async (event) => {
    if (!response.headersSent && !closed.signal.aborted) beginEvents(response)
    if (event) await writeEvents(response, event)
  }
  let beatAt = performance.now() + intervalMs
  try {
    while (!closed.signal.aborted) {
      const version = store.dataVersion()
      const { cursor, hasMore } = await next(send)
      while (!hasMore && !closed.signal.aborted && store.dataVersion() === version) {
        if (performance.now() >= beatAt) {
          await tell('heartbeat', { generated_at: clock().toISOString(), cursor })
          beatAt = performance.now() + intervalMs
        }
        await sleep(LOOK_MS, undefined, { signal: closed.signal }).catch(() => undefined)
      }
    }
  } catch (error) {
    if (!response.headersSent) throw error
    const refusal = asRegistryRefusal(error)
    if (!refusal) log.error({ err: error }, 'a stream of the registry failed')
    await tell('error', refusal?.body ?? { error: 'the registry failed', code: 'internal_error' })
  }
}

function streamArguments({ operation }: FeedPages, target: string, lastEventId: string | string[] | undefined) {
  const url = new URL(target, 'http://localhost')
  const interval = url.searchParams.get('poll_interval_seconds')
  url.searchParams.delete('poll_interval_seconds')
  const args = queryArguments(operation, [], `${url.pathname}${url.search}`)
  const seconds = interval === null ? INTERVAL.default : Number(interval)
  if (!Number.isInteger(seconds) || seconds < INTERVAL.least || seconds > INTERVAL.most) {
    const allowed = `${INTERVAL.least} to ${INTERVAL.most}`
    throw new RegistryRefusal(400, 'invalid_poll_interval_seconds', `poll_interval_seconds must be an integer from ${allowed}`)
  }
  const resumed = typeof lastEventId === 'string' && lastEventId !== '' ? { cursor: lastEventId } : {}
  return { args: { ...args, ...resumed }, intervalMs: seconds * 1000 }
}
