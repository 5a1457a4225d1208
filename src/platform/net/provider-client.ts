import { FetchFailure } from './fetch-policy.ts'
import { createHttp1Peer, type Http1Peer } from './http1-peer.ts'
import { createHttp2Peer, NoHttp2 } from './http2-peer.ts'
import type { Http2Answer, Http2Question } from './http2-session.ts'
import type { PinningOptions } from './pinned-address.ts'
import { classifyHost } from './reserved-address.ts'

export interface ProviderClientOptions extends Pick<PinningOptions, 'lookup' | 'ca' | 'development'> {
  /** Base URL, without a trailing slash. */
  readonly endpoint: string
  /** Bytes of an answer; a larger one is a failure. */
  readonly maxBytes: number
}

/** Posts JSON to a provider over connections that stay open. */
export interface ProviderClient {
  /** The body of an answer with status 200. Throws for any other status, a body that is too large, and when `signal` aborts. */
  post(path: string, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Uint8Array>
  /** The status of `GET` at a path. Throws as `post` does. */
  status(path: string, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

const CONNECT_MS = 2_000

/**
 * A client of one provider, over one connection of HTTP/2 or, where the provider does not negotiate it, connections of HTTP/1.1. The name is resolved and
 * judged for each connection, which then goes to the judged address; redirects are not followed (specification, "Provider registration security"). Throws
 * FetchFailure for an endpoint that is not https or a reserved address; loopback passes in development.
 */
export function createProviderClient({ endpoint, maxBytes, ...options }: ProviderClientOptions): ProviderClient {
  requirePublicEndpoint(endpoint, options.development !== undefined)
  const { origin, pathname, protocol } = new URL(endpoint)
  const base = pathname === '/' ? '' : pathname
  const pinning = { ...options, connectMs: CONNECT_MS }
  const http2 = protocol === 'https:' ? createHttp2Peer(origin, pinning) : undefined
  const known: { http1?: Promise<Http1Peer> } = {}
  const ask = async (question: Http2Question): Promise<Http2Answer> => {
    if (http2 && !known.http1) {
      try {
        return await http2.ask(question)
      } catch (error) {
        if (!(error instanceof NoHttp2)) throw error
      }
    }
    known.http1 ??= createHttp1Peer(origin, pinning)
    return (await known.http1).ask(question)
  }
  return {
    async post(path, body, headers, signal) {
      const pseudo = { ':method': 'POST', ':path': base + path }
      const answer = await ask({ headers: { ...pseudo, ...headers }, body, maxBytes, signal })
      if (answer.status === 200) return answer.body
      throw new FetchFailure('network', `the provider answered with status ${answer.status}`)
    },
    async status(path, signal) {
      return (await ask({ headers: { ':method': 'GET', ':path': base + path }, maxBytes, signal })).status
    },
    async close() {
      http2?.close()
      await (await known.http1)?.close()
    },
  }
}

/**
 * Throws FetchFailure for an endpoint that is not https or a reserved address or name. In development loopback addresses pass, over plain HTTP too; reserved names,
 * `localhost` among them, do not: no connection to one is made.
 */
export function requirePublicEndpoint(endpoint: string, development: boolean): void {
  const { protocol, hostname } = new URL(endpoint)
  const kind = classifyHost(hostname)
  if (kind === 'loopback' && !development) {
    const message = 'the endpoint of a provider has to be a public address; one of this machine is for development alone'
    throw new FetchFailure('reserved_address', message)
  }
  const isOwn = kind === 'loopback'
  if (kind !== 'public' && !isOwn) {
    const wayOut = /(^|\.)localhost\.?$/i.test(hostname)
      ? ': no name such as localhost; in development write 127.0.0.1 or [::1]'
      : ''
    throw new FetchFailure('reserved_address', `the endpoint of a provider has to be a public address${wayOut}`)
  }
  if (protocol !== 'https:' && !(protocol === 'http:' && isOwn))
    throw new FetchFailure('not_https', 'the endpoint of a provider has to be https')
}

/** Whether only routers with `development: true` connect to an endpoint: it is of this machine, or no public https address at all. */
export function isForDevelopment(endpoint: string): boolean {
  try {
    requirePublicEndpoint(endpoint, false)
    return false
  } catch {
    return true
  }
}
