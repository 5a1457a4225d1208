import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { type LookupQuery, parseLookup } from '../../domain/directory/lookup-query.ts'
import { type KeptLookup, KeptLookups } from '../../features/directory/kept-lookups.ts'
import { getAgent, type PageTags, pageTags, readPage } from '../../features/directory/lookup.ts'
import type { LookupLimit } from '../../features/directory/lookup-limit.ts'
import { PageCache } from '../../features/directory/page-cache.ts'
import type { Store } from '../../store/database.ts'
import type { DirectoryReader } from '../../store/directory/directory-lookup.ts'
import { lookupArguments } from './directory-query.ts'
import { asRefusal, DirectoryRefusal } from './directory-refusal.ts'
import type { BareRoute } from './server.ts'

export interface DirectoryRouteOptions {
  readonly reader: DirectoryReader
  /** Version of the data that `reader` sees. */
  readonly dataVersion: Store['dataVersion']
  readonly limit: LookupLimit
  readonly clock: () => Date
  readonly log: Logger
}

/** `GET /v1/agents/{agent_url}/publishers`, and the same under `/api` (the address of the first implementation). */
export const DIRECTORY_PATH = /^\/(?:api\/)?v1\/agents\/([^/]*)\/publishers$/

/** Answers kept ready: a page of 200 rows is about 60 kB. */
const CACHE_BYTES = 32_000_000
const CACHE_CONTROL = 'public, max-age=60'

/**
 * The directory lookup over HTTP: unauthenticated, with conditional requests that end before a row is read.
 * Source: AdCP publisher directory page.
 */
export function directoryRoute(options: DirectoryRouteOptions): BareRoute {
  const answer = answerer(options)
  return {
    bare(request, response, [segment = ''], { address, headers }) {
      // Public data for anybody's page (AdCP publisher directory page: no authentication in v1).
      const exchange = { request, response, segment, address, headers: [...headers, 'Access-Control-Allow-Origin', '*'] }
      try {
        return answer(exchange)?.catch((error: unknown) => refuse(options, exchange, error))
      } catch (error) {
        return refuse(options, exchange, error)
      }
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly segment: string
  /** The caller's. */
  readonly address: string
  /** Of every reply, names and values in turn. */
  readonly headers: readonly string[]
}

/** Answers from memory where nothing has changed since, without waiting; gives a promise when the store has to be asked. */
function answerer(options: DirectoryRouteOptions): (exchange: Exchange) => Promise<void> | undefined {
  const pages = new PageCache(CACHE_BYTES)
  const kept = new KeptLookups()

  const fromStore = async (exchange: Exchange, query: LookupQuery, now: Date, before?: KeptLookup): Promise<void> => {
    // The version from before the read: what is committed during it is read next time.
    const dataVersion = options.dataVersion()
    const agent = await getAgent(options.reader, query.agent)
    const isSame = before?.agent.version === agent.version && before.agent.changed_at === agent.changed_at
    const lookup = { query, agent, tags: isSame ? before.tags : pageTags(agent, query, now), dataVersion }
    kept.keep(exchange.request.url ?? '', lookup, now)
    await answerWith(exchange, lookup, now)
  }

  const answerWith = (exchange: Exchange, { query, agent, tags }: KeptLookup, now: Date): Promise<void> | undefined => {
    const { request, response, headers } = exchange
    const held = matchingTag(request.headers['if-none-match'], tags)
    if (held !== undefined) {
      response.writeHead(304, [...headers, 'ETag', held, 'Cache-Control', CACHE_CONTROL])
      response.end()
      return undefined
    }
    for (const etag of [tags.last, tags.withCursor]) {
      const body = pages.get(etag)
      if (body) return writePage(exchange, etag, body)
    }
    return readPage(options.reader, agent, query, now).then((read) => {
      const fresh = read.agent.version === agent.version ? tags : pageTags(read.agent, query, now)
      const etag = read.hasNext ? fresh.withCursor : fresh.last
      const body = Buffer.from(read.body)
      pages.offer(etag, body)
      writePage(exchange, etag, body)
    })
  }

  return (exchange) => {
    const { request, segment, address } = exchange
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new DirectoryRefusal(405, 'method_not_allowed', 'only GET is served here', { Allow: 'GET, HEAD' })
    }
    const now = options.clock()
    const known = kept.find(request.url ?? '', now)
    if (known) {
      return after(options.limit(known.query.agent, address), () =>
        known.dataVersion === options.dataVersion()
          ? answerWith(exchange, known, now)
          : fromStore(exchange, known.query, now, known),
      )
    }
    const raw = lookupArguments(segment, request.url ?? '')
    const agent = agentKey(raw.agentUrl)
    return after(options.limit(agent ?? '', address), () => fromStore(exchange, parseLookup({ ...raw, agent }, now), now))
  }
}

function after(waiting: Promise<void> | undefined, next: () => Promise<void> | undefined): Promise<void> | undefined {
  return waiting ? waiting.then(next) : next()
}

function refuse(options: DirectoryRouteOptions, { response, segment, headers }: Exchange, error: unknown): undefined {
  const refusal = asRefusal(error, segment)
  if (refusal.status >= 500) options.log.error({ err: error }, 'directory lookup failed')
  const body = Buffer.from(JSON.stringify({ error: refusal.message, code: refusal.code, ...refusal.more }))
  const own = ['Content-Type', 'application/json', 'Content-Length', String(body.length), 'Cache-Control', 'no-store']
  response.writeHead(refusal.status, [...headers, ...own, ...Object.entries(refusal.headers).flat()])
  response.end(body)
}

function writePage({ request, response, headers }: Exchange, etag: string, body: Buffer): undefined {
  const own = ['Content-Type', 'application/json', 'Content-Length', String(body.length), 'Cache-Control', CACHE_CONTROL]
  response.writeHead(200, [...headers, ...own, 'ETag', etag])
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** The tag of ours that `If-None-Match` holds: lists, weak tags and `*` count (RFC 9110 §13.1.2). */
function matchingTag(header: string | undefined, { last, withCursor }: PageTags): string | undefined {
  if (header === undefined || header === last || header === withCursor) return header
  if (header.trim() === '*') return last
  const held = new Set(header.match(/"[^"]*"/g))
  return [last, withCursor].find((tag) => held.has(tag))
}
