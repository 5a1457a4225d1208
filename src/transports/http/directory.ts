import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { type LookupQuery, parseLookup } from '../../domain/directory/lookup-query.ts'
import { getAgent, type PageTags, pageTags, readPage } from '../../features/directory/lookup.ts'
import { type CachedLookup, LookupCache } from '../../features/directory/lookup-cache.ts'
import type { LookupLimit } from '../../features/directory/lookup-limit.ts'
import { PageCache } from '../../features/directory/page-cache.ts'
import type { Store } from '../../store/database.ts'
import type { DirectoryReader } from '../../store/directory/directory-lookup.ts'
import { CODINGS, type ContentCoding, chooseCoding, codedTag, encodeBody, SMALLEST_CODED } from './content-coding.ts'
import { lookupArguments } from './directory-query.ts'
import { asRefusal, DirectoryRefusal } from './directory-refusal.ts'
import { encodedPath } from './encoded-agent-path.ts'
import { respondAtOnce } from './respond.ts'
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

/** A request for an agent whose URL was put into the path as it is: with its slashes, or with a query of its own. */
export const UNENCODED_DIRECTORY_PATH = /^\/(?:api\/)?v1\/agents\/(?:https?:\/.*|.+\/publishers\/?)$/

/** Cached answers: a page of 200 rows is about 60 kB, compressed a tenth of it. */
const CACHE_BYTES = 32_000_000
const CACHE_CONTROL = 'public, max-age=60'

/** What pages in browsers may read beside the body (Fetch standard, CORS protocol). */
const SHARED_HEADERS = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'ETag, Retry-After, RateLimit, RateLimit-Policy',
  'Vary',
  'Accept-Encoding',
]
const PREFLIGHT_HEADERS = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers',
  'accept, content-type, if-none-match',
  'Access-Control-Max-Age',
  '86400',
]

/**
 * The directory lookup over HTTP: unauthenticated, with conditional requests that end before a row is read.
 * Source: AdCP publisher directory page.
 */
export function directoryRoute(options: DirectoryRouteOptions): BareRoute {
  const answer = answerer(options)
  return {
    bare(request, response, [segment = ''], { address, headers }) {
      const exchange = { request, response, segment, address, headers: [...headers, ...SHARED_HEADERS] }
      if (request.method === 'OPTIONS') {
        respondAtOnce(response, 204, [...exchange.headers, ...PREFLIGHT_HEADERS, 'Allow', 'GET, HEAD, OPTIONS'])
        return undefined
      }
      try {
        return answer(exchange)?.catch((error: unknown) => refuse(options, exchange, error))
      } catch (error) {
        return refuse(options, exchange, error)
      }
    },
  }
}

/** Refuses addresses of the directory that hold the agent's URL as it is: malformed, 400 of the AdCP publisher directory page. Says how it has to be written. */
export function unencodedDirectoryRoute(options: Pick<DirectoryRouteOptions, 'log'>): BareRoute {
  return {
    bare(request, response, _parts, { address, headers }) {
      const exchange = { request, response, segment: '', address, headers: [...headers, ...SHARED_HEADERS] }
      const message = `the agent's URL has to be percent-encoded as one segment: ${encodedPath(request.url ?? '')}`
      return refuse(options, exchange, new DirectoryRefusal(400, 'agent_url_not_encoded', message))
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly segment: string
  /** The caller's. */
  readonly address: string
  /** Of the reply, names and values in turn. */
  readonly headers: string[]
}

/** Answers from memory where nothing has changed since, without waiting; gives a promise when the store has to be asked. */
function answerer(options: DirectoryRouteOptions): (exchange: Exchange) => Promise<void> | undefined {
  const pages = new PageCache(CACHE_BYTES)
  const cache = new LookupCache()

  const fromStore = async (exchange: Exchange, query: LookupQuery, now: Date, before?: CachedLookup): Promise<void> => {
    // The version of before the reading: what is committed meanwhile is read next time.
    const dataVersion = options.dataVersion()
    const agent = await getAgent(options.reader, query.agent)
    const isSame = before?.agent.version === agent.version && before.agent.changed_at === agent.changed_at
    const lookup = { query, agent, tags: isSame ? before.tags : pageTags(agent, query, now), dataVersion }
    cache.set(exchange.request.url ?? '', lookup, now)
    await answerWith(exchange, lookup, now)
  }

  const answerWith = (exchange: Exchange, { query, agent, tags }: CachedLookup, now: Date): Promise<void> | undefined => {
    const { request, response, headers } = exchange
    const held = matchingTag(request.headers['if-none-match'], tags)
    if (held !== undefined) {
      respondAtOnce(response, 304, [...headers, 'ETag', held, 'Cache-Control', CACHE_CONTROL])
      return undefined
    }
    const coding = chooseCoding(request.headers['accept-encoding'])
    for (const tag of [tags.last, tags.withCursor]) {
      for (const used of coding === undefined ? [undefined] : [coding, undefined]) {
        const etag = codedTag(tag, used)
        const body = pages.get(etag)
        if (body && (used === coding || body.length < SMALLEST_CODED)) return writePage(exchange, { etag, body, coding: used })
      }
    }
    return readPage(options.reader, agent, query, now).then(async (read) => {
      const fresh = read.agent.version === agent.version ? tags : pageTags(read.agent, query, now)
      const plain = Buffer.from(read.body)
      const used = plain.length < SMALLEST_CODED ? undefined : coding
      const body = used === undefined ? plain : await encodeBody(plain, used)
      const etag = codedTag(read.hasNext ? fresh.withCursor : fresh.last, used)
      pages.offer(etag, body)
      writePage(exchange, { etag, body, coding: used })
    })
  }

  return (exchange) => {
    const { request, segment } = exchange
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new DirectoryRefusal(405, 'method_not_allowed', 'only GET is served here', { Allow: 'GET, HEAD, OPTIONS' })
    }
    const now = options.clock()
    const known = cache.get(request.url ?? '', now)
    if (known) {
      const { query } = known
      return limited(options.limit, exchange, { agent: query.agent, isContinued: query.after !== undefined }, () =>
        known.dataVersion === options.dataVersion() ? answerWith(exchange, known, now) : fromStore(exchange, query, now, known),
      )
    }
    const raw = lookupArguments(segment, request.url ?? '')
    const agent = agentKey(raw.agentUrl)
    return limited(options.limit, exchange, { agent: agent ?? '', isContinued: raw.cursor !== undefined }, () =>
      fromStore(exchange, parseLookup({ ...raw, agent }, now), now),
    )
  }
}

/** Counts the request and goes on with `next`; every reply from then on carries the state of the limit. */
function limited(
  limit: LookupLimit,
  { address, headers }: Exchange,
  asked: { readonly agent: string; readonly isContinued: boolean },
  next: () => Promise<void> | undefined,
): Promise<void> | undefined {
  const kind = asked.isContinued ? 'continuation' : 'lookup'
  const report = () => headers.push(...limit.headers(asked.agent, address, kind))
  let waiting: Promise<void> | undefined
  try {
    waiting = limit(asked.agent, address, kind)
  } catch (error) {
    report()
    throw error
  }
  if (waiting) return waiting.finally(report).then(next)
  report()
  return next()
}

function refuse(
  options: Pick<DirectoryRouteOptions, 'log'>,
  { response, segment, headers }: Exchange,
  error: unknown,
): undefined {
  const refusal = asRefusal(error, segment)
  if (refusal.status >= 500) options.log.error({ err: error }, 'directory lookup failed')
  const body = Buffer.from(JSON.stringify({ error: refusal.message, code: refusal.code, ...refusal.more }))
  const own = ['Content-Type', 'application/json', 'Content-Length', String(body.length), 'Cache-Control', 'no-store']
  respondAtOnce(response, refusal.status, [...headers, ...own, ...Object.entries(refusal.headers).flat()], body)
}

/** A page as it goes out. */
interface WrittenPage {
  readonly etag: string
  readonly body: Buffer
  readonly coding: ContentCoding | undefined
}

function writePage({ response, headers }: Exchange, { etag, body, coding }: WrittenPage): undefined {
  const own = ['Content-Type', 'application/json', 'Content-Length', String(body.length), 'Cache-Control', CACHE_CONTROL]
  const coded = coding === undefined ? [] : ['Content-Encoding', coding]
  respondAtOnce(response, 200, [...headers, ...own, ...coded, 'ETag', etag], body)
}

/** The tag of ours, of any coding, that `If-None-Match` holds: lists, weak tags and `*` count (RFC 9110 §13.1.2). */
function matchingTag(header: string | undefined, { last, withCursor }: PageTags): string | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return last
  const held = new Set(header.match(/"[^"]*"/g))
  return [last, withCursor]
    .flatMap((tag) => [tag, ...CODINGS.map((coding) => codedTag(tag, coding))])
    .find((tag) => held.has(tag))
}
