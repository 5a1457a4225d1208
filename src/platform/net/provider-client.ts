import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { Pool } from 'undici'
import { FetchFailure } from './fetch-policy.ts'
import { type ConnectorOptions, pinnedConnector } from './pinned-connector.ts'
import { classifyAddress, isReservedName } from './reserved-address.ts'

export interface ProviderClientOptions extends Pick<ConnectorOptions, 'lookup' | 'ca' | 'development'> {
  /** Base URL, without a trailing slash. */
  readonly endpoint: string
  /** Bytes of an answer; a larger one is a failure. */
  readonly maxBytes: number
}

/** Posts JSON to a provider over connections that stay open. */
export interface ProviderClient {
  /** The body of an answer with status 200. Throws for any other status, a body that is too large, and when `signal` aborts. */
  post(path: string, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Uint8Array>
  /** The status of `GET` at a path; what is answered is not read. */
  status(path: string, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** A provider that answers nothing for so long has lost the connection; the deadline of each request is far shorter. */
const SILENCE_MS = 10_000
/** Connections that a provider of HTTP/1.1 is asked over at once. Over HTTP/2 one carries all requests. */
const CONNECTIONS = 32
/** Requests at once on one connection of HTTP/2 (RFC 9113 §5.1.2 recommends no less than 100). */
const STREAMS = 100

/**
 * A client of one provider. The name is resolved and judged for each connection, which then goes to the judged address; redirects are not followed
 * (specification, "Provider registration security"). Throws FetchFailure for an endpoint that is not https or a reserved address; loopback passes in development.
 */
export function createProviderClient({ endpoint, maxBytes, ...options }: ProviderClientOptions): ProviderClient {
  requirePublicEndpoint(endpoint, options.development !== undefined)
  const { origin, pathname } = new URL(endpoint)
  const base = pathname === '/' ? '' : pathname
  const pool = new Pool(origin, {
    connect: pinnedConnector({ ...options, http2: true, connectMs: 2_000 }),
    allowH2: true,
    connections: CONNECTIONS,
    pipelining: STREAMS,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    maxHeaderSize: 16_384,
  })
  return {
    async post(path, body, headers, signal) {
      const answer = await pool.request({ method: 'POST', path: base + path, body, headers, signal })
      if (answer.statusCode !== 200) {
        drop(answer.body)
        throw new FetchFailure('network', `the provider answered with status ${answer.statusCode}`)
      }
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length
        // Leaving the loop ends the stream.
        if (size > maxBytes) throw new FetchFailure('too_large', `the answer is larger than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
    },
    async status(path, signal) {
      const { statusCode, body } = await pool.request({ method: 'GET', path: base + path, signal })
      drop(body)
      return statusCode
    },
    close: () => pool.destroy(),
  }
}

/** Ends a body that nobody reads. The library reports that as an error of the stream, which without a listener would end the process. */
function drop(body: Readable): void {
  body.on('error', () => {})
  body.destroy()
}

/** Throws FetchFailure for an endpoint that is not https or a reserved address. In development loopback passes, over plain HTTP too. */
export function requirePublicEndpoint(endpoint: string, development: boolean): void {
  const { protocol, hostname } = new URL(endpoint)
  if (protocol !== 'https:' && !(protocol === 'http:' && development))
    throw new FetchFailure('not_https', 'the endpoint of a provider has to be https')
  if (isReserved(hostname, development))
    throw new FetchFailure('reserved_address', 'the endpoint of a provider has to be a public address')
}

function isReserved(hostname: string, development: boolean): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) === 0) return !development && isReservedName(hostname)
  const kind = classifyAddress(literal)
  return kind === 'reserved' || (kind === 'loopback' && !development)
}
