import { FetchFailure } from './fetch-policy.ts'
import type { Lookup } from './lookup.ts'
import { ACCEPTED_ENCODINGS, readBody, readInParts } from './read-body.ts'
import { asFailure } from './safe-fetch.ts'
import { postUrl } from './safe-post.ts'

/** A call to a server that the publisher's people set up, such as an ad server. */
export interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Bytes after decompression; default 16 MiB. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

export interface CallAnswer {
  readonly status: number
  readonly contentType: string
  /** Seconds of `Retry-After`, when the server sent a number. */
  readonly retryAfterSeconds: number | undefined
  readonly body: Buffer
}

/** One HTTP call. Any status is an answer, redirects included; everything else throws FetchFailure. */
export type OutboundCall = (url: string, request: CallRequest) => Promise<CallAnswer>

export interface OutboundCallOptions {
  readonly userAgent: string
  /** Lets calls reach this machine, over plain HTTP too; nothing else that is reserved. */
  readonly loopback: boolean
  readonly lookup?: Lookup
  /** PEM of an additional trust root. */
  readonly ca?: string
  readonly totalMs?: number
}

const CONNECT_MS = 5_000
const TOTAL_MS = 30_000
const MAX_BYTES = 16 * 1024 * 1024

/**
 * The way out for calls of any method under the outbound policy: https only, the name resolved once and pinned, reserved ranges refused, no
 * redirect followed, times and sizes bounded.
 */
export function createOutboundCall(options: OutboundCallOptions): OutboundCall {
  const { totalMs = TOTAL_MS, loopback } = options
  return async (address, request) => {
    const url = postUrl(address, loopback)
    const { clientOf, pinnedConnector } = await import('./pinned-connector.ts')
    const deadline = AbortSignal.timeout(totalMs)
    const connect = pinnedConnector({
      connectMs: CONNECT_MS,
      ...(loopback && { development: {} }),
      ...(options.lookup && { lookup: options.lookup }),
      ...(options.ca !== undefined && { ca: options.ca }),
    })
    const client = clientOf(
      url.hostname === 'localhost' ? url.origin.replace('//localhost', '//127.0.0.1') : url.origin,
      connect,
      totalMs,
    )
    try {
      const { statusCode, headers, body } = await client.request({
        method: request.method,
        path: url.pathname + url.search,
        headers: { 'accept-encoding': ACCEPTED_ENCODINGS, ...request.headers, host: url.host, 'user-agent': options.userAgent },
        ...(request.body !== undefined && { body: request.body }),
        ...readInParts(),
        signal: request.signal ? AbortSignal.any([deadline, request.signal]) : deadline,
      })
      const limit = { maxBytes: request.maxBytes ?? MAX_BYTES, whenLarger: 'refuse' } as const
      return {
        status: statusCode,
        contentType: textOf(headers['content-type']) ?? '',
        retryAfterSeconds: secondsIn(textOf(headers['retry-after'])),
        body: await readBody(body, textOf(headers['content-encoding']) ?? '', limit),
      }
    } catch (error) {
      throw error instanceof FetchFailure ? error : asFailure(error, deadline.aborted)
    } finally {
      await client.destroy()
    }
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

function secondsIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
