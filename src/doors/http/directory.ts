import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { getAgent, type PageTags, pageTags, readPage } from '../../directory/lookup.ts'
import type { LookupLimit } from '../../directory/lookup-limit.ts'
import { PageCache } from '../../directory/page-cache.ts'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { type LookupQuery, parseLookup } from '../../domain/directory/lookup-query.ts'
import { AdcpError } from '../../errors.ts'
import { clientAddress, type TrustedProxies } from '../../net/client-address.ts'
import type { DirectoryReader } from '../../store/directory-lookup.ts'
import type { DirectoryAgentRow } from '../../store/directory-tables.ts'
import { DirectoryRefusal, lookupArguments } from './directory-query.ts'
import type { Route } from './server.ts'

export interface DirectoryRouteOptions {
  readonly reader: DirectoryReader
  readonly limit: LookupLimit
  readonly trustedProxies: TrustedProxies
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
export function directoryRoute(options: DirectoryRouteOptions): Route {
  const cache = new PageCache(CACHE_BYTES)
  return async (request, response, captured) => {
    // Public data for anybody's page (AdCP publisher directory page: no authentication in v1).
    response.setHeader('Access-Control-Allow-Origin', '*')
    try {
      await answer(options, cache, request, response, captured[0] ?? '')
    } catch (error) {
      refuse(options, response, error, captured[0] ?? '')
    }
  }
}

async function answer(
  options: DirectoryRouteOptions,
  cache: PageCache,
  request: IncomingMessage,
  response: ServerResponse,
  segment: string,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new DirectoryRefusal(405, 'method_not_allowed', 'only GET is served here', { Allow: 'GET, HEAD' })
  }
  const raw = lookupArguments(segment, request.url ?? '')
  const address = clientAddress(request.socket.remoteAddress, forwardedFor(request), options.trustedProxies)
  const agent = agentKey(raw.agentUrl)
  await options.limit(agent ?? '', address)
  const now = options.clock()
  const query = parseLookup({ ...raw, agent }, now)
  const known = await getAgent(options.reader, query.agent)
  const tags = pageTags(known, query, now)
  const held = matchingTag(request.headers['if-none-match'], tags)
  if (held !== undefined) {
    response.writeHead(304, { ETag: held, 'Cache-Control': CACHE_CONTROL }).end()
    return
  }
  const { etag, body } = await page(options, cache, known, tags, query, now)
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': CACHE_CONTROL,
    ETag: etag,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

async function page(
  options: DirectoryRouteOptions,
  cache: PageCache,
  agent: DirectoryAgentRow,
  { last, withCursor }: PageTags,
  query: LookupQuery,
  now: Date,
): Promise<{ etag: string; body: Buffer }> {
  for (const etag of [last, withCursor]) {
    const body = cache.get(etag)
    if (body) return { etag, body }
  }
  const read = await readPage(options.reader, agent, query, now)
  const fresh = read.agent.version === agent.version ? { last, withCursor } : pageTags(read.agent, query, now)
  const etag = read.hasNext ? fresh.withCursor : fresh.last
  const body = Buffer.from(read.body)
  cache.offer(etag, body)
  return { etag, body }
}

/** The tag of ours that `If-None-Match` holds: lists, weak tags and `*` count (RFC 9110 §13.1.2). */
function matchingTag(header: string | undefined, tags: PageTags): string | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return tags.last
  const held = new Set(header.match(/"[^"]*"/g))
  return [tags.last, tags.withCursor].find((tag) => held.has(tag))
}

function forwardedFor(request: IncomingMessage): string | undefined {
  const header = request.headers['x-forwarded-for']
  return Array.isArray(header) ? header.join(',') : header
}

function refuse(options: DirectoryRouteOptions, response: ServerResponse, error: unknown, segment: string): void {
  const refusal = asRefusal(error, segment)
  if (refusal.status >= 500) options.log.error({ err: error }, 'directory lookup failed')
  const body = Buffer.from(JSON.stringify({ error: refusal.message, code: refusal.code, ...refusal.more }))
  response.writeHead(refusal.status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...refusal.headers,
  })
  response.end(body)
}

function asRefusal(error: unknown, segment: string): DirectoryRefusal {
  if (error instanceof DirectoryRefusal) return error
  if (error instanceof AdcpError && error.code === 'RATE_LIMITED') {
    return new DirectoryRefusal(429, 'rate_limited', error.message, error.http?.headers)
  }
  if (error instanceof AdcpError && error.code === 'SERVICE_UNAVAILABLE') {
    return new DirectoryRefusal(503, 'unavailable', 'the directory does not answer at the moment; try again', error.http?.headers)
  }
  if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') {
    const agentUrl = agentKey(decodeURIComponent(segment))
    return new DirectoryRefusal(404, 'agent_not_found', error.message, {}, { agent_url: agentUrl })
  }
  if (error instanceof AdcpError && error.code === 'INVALID_REQUEST') {
    return new DirectoryRefusal(400, String(error.details?.reason), error.message)
  }
  return new DirectoryRefusal(500, 'internal_error', 'the directory failed; try again later')
}
