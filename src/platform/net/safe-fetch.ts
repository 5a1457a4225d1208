import type { buildConnector, Client } from 'undici'
import { ADS_TXT_POLICY, checkedUrl, FetchFailure, type FetchPolicy, mayRedirect, registrableDomain } from './fetch-policy.ts'
import type { Lookup } from './lookup.ts'
import type { Mode } from './mode.ts'
import type { DevelopmentAccess } from './pinned-address.ts'
import { ACCEPTED_ENCODINGS, type BodyLimit, readBody, readInParts } from './read-body.ts'
import { type Politeness, TurnGate } from './turn-gate.ts'

export interface SafeFetchOptions {
  readonly userAgent: string
  readonly mode: Mode
  /** Lets fetches reach loopback and nothing else that is reserved. Refused in production mode. */
  readonly development?: DevelopmentAccess | undefined
  readonly politeness?: Politeness
  readonly lookup?: Lookup
  readonly ca?: string
}

/** One request: its policy and the validators of the copy at hand. */
export interface FetchRequest {
  readonly policy: FetchPolicy
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
  readonly signal?: AbortSignal
  readonly accept?: string
  /** Sent as the body of a POST instead of a GET; the policy must not allow redirects then. */
  readonly post?: { readonly body: string | Uint8Array; readonly headers: Readonly<Record<string, string>> }
}

export interface FetchAnswer {
  readonly status: number
  /** Where the answer came from after redirects. */
  readonly url: string
  readonly body: Buffer
  readonly contentType: string
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** Seconds of `Retry-After`, when the server sent a number. */
  readonly retryAfter: number | undefined
  /** `Mcp-Session-Id`, when the server is a stateful MCP server. */
  readonly mcpSessionId?: string | undefined
  /** `WWW-Authenticate`: why the server did not believe us. */
  readonly challenge?: string | undefined
  /** Redirects that led here. */
  readonly redirects?: number
  /** Cookies that the answers asked to set, those of the redirects too. */
  readonly cookies?: number
}

/** GET, or POST, under the policy. Any final status is an answer; everything else throws FetchFailure. */
export type SafeFetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>

type ClientOf = (origin: string) => Client

/** Ends the connection of a request that is over. Made once: an error takes longer to make than a socket to close. */
const REQUEST_OVER = new Error('the request is over')
/** Default limits of outbound requests. */
export const POLITE: Politeness = { perHost: 2, perDomain: 4, perAddress: 8, spacingMs: 50 }
/** Bodies of error answers are examined only for a short machine-readable reason. */
const MAX_ERROR_BYTES = 64 * 1024
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * The one way out for addresses that others name: https only, names resolved once and pinned, reserved ranges refused,
 * redirects by policy and judged against the first host, sizes counted after decompression, times bounded, few requests at
 * once to one host, registrable domain and address.
 * Throws at creation when loopback access is asked for in production mode.
 */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  if (options.development && options.mode === 'production') {
    throw new Error('loopback access for fetches is a development switch; it cannot be used in production mode')
  }
  const { perHost, perDomain, perAddress, spacingMs } = options.politeness ?? POLITE
  const hosts = new TurnGate({ atOnce: perHost, spacingMs: 0 })
  const domains = new TurnGate({ atOnce: perDomain, spacingMs })
  const addresses = new TurnGate({ atOnce: perAddress, spacingMs: 0 })
  // Always in this order, so that no two requests wait for each other: a request that waits for its host takes no place of its domain.
  const inTurn = <T>(host: string, work: () => Promise<T>) =>
    hosts.run(host, () => domains.run(registrableDomain(host) ?? host, work))
  const connectors = new Map<number, buildConnector.connector>()
  let loaded: Promise<typeof import('./pinned-connector.ts')> | undefined
  const clientFor = async ({ connectMs, readMs }: FetchPolicy): Promise<ClientOf> => {
    // Undici is a megabyte of source: a process that makes no outbound calls does not load it.
    loaded ??= import('./pinned-connector.ts')
    const { clientOf, pinnedConnector } = await loaded
    const connector = connectors.get(connectMs) ?? pinnedConnector({ ...options, addresses, connectMs })
    connectors.set(connectMs, connector)
    return (origin) => clientOf(origin, connector, readMs)
  }
  return async (address, request) => {
    if (request.post && request.policy.redirects !== 'none') throw new Error('a POST follows no redirects')
    const origin = checkedUrl(address, undefined, options.development?.plainHttp)
    const clientOf = await clientFor(request.policy)
    // Not AbortSignal.timeout: that lives, with its timer, until the time is over.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), request.policy.totalMs)
    const signal = request.signal ? AbortSignal.any([deadline.signal, request.signal]) : deadline.signal
    let url = origin
    let cookies = 0
    try {
      for (let hop = 0; ; hop += 1) {
        const here = url
        const answer = await inTurn(here.hostname, () => requestOnce(here, request, { ...options, clientOf }, signal))
        cookies += answer.cookies
        if (!('location' in answer)) return { ...answer, redirects: hop, cookies }
        url = redirectTarget(request.policy, origin, here, answer.location, hop)
      }
    } catch (error) {
      throw asFailure(error, deadline.signal.aborted)
    } finally {
      clearTimeout(timer)
    }
  }
}

function redirectTarget(policy: FetchPolicy, origin: URL, from: URL, location: string, hop: number): URL {
  if (policy.redirects === 'none') throw new FetchFailure('redirect_refused', 'this address must not redirect')
  if (hop >= policy.maxRedirects) throw new FetchFailure('too_many_redirects', `more than ${policy.maxRedirects} redirects`)
  const target = checkedUrl(location, from)
  if (!mayRedirect(policy, origin, target))
    throw new FetchFailure('redirect_refused', 'the redirect leaves the registrable domain')
  return target
}

async function requestOnce(
  url: URL,
  request: FetchRequest,
  options: SafeFetchOptions & { readonly clientOf: ClientOf },
  signal: AbortSignal,
): Promise<(FetchAnswer | { readonly location: string }) & { readonly cookies: number }> {
  const { policy } = request
  const client = options.clientOf(url.origin)
  try {
    const response = await client.request({
      method: request.post ? 'POST' : 'GET',
      path: url.pathname + url.search,
      headers: headersFor(request, options),
      ...(request.post && { body: request.post.body }),
      ...readInParts(),
      signal,
    })
    const header = (name: string) => singleHeader(response.headers[name])
    const location = header('location')
    const cookies = [response.headers['set-cookie'] ?? []].flat().length
    if (REDIRECTS.has(response.statusCode) && location !== undefined) return { location, cookies }
    const contentType = header('content-type') ?? ''
    if (response.statusCode === 200) checkContentType(contentType, policy)
    const limit: BodyLimit =
      response.statusCode === 200
        ? { maxBytes: policy.maxBytes, whenLarger: 'refuse' }
        : { maxBytes: MAX_ERROR_BYTES, whenLarger: 'cut' }
    return {
      status: response.statusCode,
      url: url.href,
      body: await readBody(response.body, header('content-encoding') ?? '', limit),
      contentType,
      etag: header('etag'),
      lastModified: header('last-modified'),
      retryAfter: wholeSeconds(header('retry-after')),
      mcpSessionId: header('mcp-session-id'),
      challenge: header('www-authenticate'),
      cookies,
    }
  } finally {
    await client.destroy(REQUEST_OVER)
  }
}

function headersFor(request: FetchRequest, options: SafeFetchOptions): Record<string, string> {
  return {
    accept: request.accept ?? (request.policy === ADS_TXT_POLICY ? 'text/plain, */*;q=0.1' : 'application/json'),
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': options.userAgent,
    ...request.post?.headers,
    ...(request.etag !== undefined && { 'if-none-match': request.etag }),
    ...(request.etag === undefined && request.lastModified !== undefined && { 'if-modified-since': request.lastModified }),
  }
}

function checkContentType(contentType: string, policy: FetchPolicy): void {
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (policy.contentTypes === undefined || policy.contentTypes.includes(mediaType)) return
  const wanted = policy.contentTypes.join(' or ')
  const sent = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType)
    ? ` (it is ${mediaType})`
    : mediaType === ''
      ? ' (there is none)'
      : ''
  throw new FetchFailure('wrong_content_type', `the content type is not ${wanted}${sent}`)
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function wholeSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** What is wrong with the certificate, by the code of the failed handshake; empty for other failures. */
function certificateFault(code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return ': the certificate is not for this name'
  if (code === 'CERT_HAS_EXPIRED') return ': the certificate has expired'
  return /SELF_SIGNED|UNABLE_TO|UNTRUSTED/.test(code) ? ': no trusted root has signed the certificate' : ''
}

/** One of our codes for whatever undici, TLS or the clock threw; the original stays as the private cause. */
export function asFailure(error: unknown, timedOut: boolean): FetchFailure {
  if (error instanceof FetchFailure) return error
  if (timedOut) return new FetchFailure('timeout', 'the fetch took too long', error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new FetchFailure('timeout', 'the connection took too long', error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new FetchFailure('timeout', 'the server stayed silent', error)
  if (error instanceof Error && error.name === 'AbortError') return new FetchFailure('aborted', 'the fetch was given up', error)
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return new FetchFailure('tls', `the TLS handshake failed${certificateFault(code)}`, error)
  if (/^E(CONN|HOST|NET|ADDR|PIPE)/.test(code)) return new FetchFailure('connect', 'the connection failed', error)
  return new FetchFailure('network', 'the transfer failed', error)
}
