import type { IncomingMessage, ServerResponse } from 'node:http'
import { AdcpError } from '../../protocol/errors.ts'
import { PIXEL } from '../http/pixel.ts'
import { respond, respondEmpty } from '../http/respond.ts'

/** Ads are asked for from the pages of others; no answer depends on cookies. */
export const FROM_ANYWHERE = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }

/** Answers a method that the address does not take. False when it takes it. */
export function refusedMethod(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): boolean {
  if (methods.includes(request.method ?? '')) return false
  if (request.method === 'OPTIONS') {
    respondEmpty(response, 204, {
      ...FROM_ANYWHERE,
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': 'Content-Type',
      'Access-Control-Max-Age': '86400',
    })
  } else {
    respondEmpty(response, 405, { Allow: methods.join(', ') })
  }
  return true
}

/** Writes a whole answer. `cached` for what never changes within an hour. */
export function reply(
  response: ServerResponse,
  status: number,
  { type, body, cached = false }: { readonly type: string; readonly body: string | Buffer; readonly cached?: boolean },
): void {
  const headers = { ...FROM_ANYWHERE, ...(cached && { 'Cache-Control': 'public, max-age=3600' }) }
  respond(response, status, { type, body, headers })
}

export function replyJson(response: ServerResponse, status: number, value: unknown): void {
  reply(response, status, { type: 'application/json', body: JSON.stringify(value) })
}

/** Answers an AdcpError by its code and message, with its HTTP headers; anything else is thrown on. */
export function replyError(response: ServerResponse, error: unknown): void {
  if (!(error instanceof AdcpError)) throw error
  const { code, message, field, http } = error
  const status = http?.status ?? (code === 'SERVICE_UNAVAILABLE' ? 503 : code === 'REFERENCE_NOT_FOUND' ? 404 : 400)
  for (const [name, value] of Object.entries(http?.headers ?? {})) response.setHeader(name, value)
  replyJson(response, status, { error: { code, message, ...(field !== undefined && { field }) } })
}

export function replyPixel(response: ServerResponse, status: number): void {
  reply(response, status, { type: 'image/gif', body: PIXEL })
}

/** The query of a request; addresses are at most as long as the server takes. */
export function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1))
}
