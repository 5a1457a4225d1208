import type { IncomingMessage, ServerResponse } from 'node:http'
import { AdcpError } from '../../protocol/errors.ts'

/** A transparent GIF of one pixel (GIF89a). */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Ads are asked for from the pages of others; no answer depends on cookies. */
export const FROM_ANYWHERE = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }

/** Answers a method that the address does not take. False when it takes it. */
export function refusedMethod(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): boolean {
  if (methods.includes(request.method ?? '')) return false
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      ...FROM_ANYWHERE,
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': 'Content-Type',
      'Access-Control-Max-Age': '86400',
    })
  } else {
    response.writeHead(405, { Allow: methods.join(', ') })
  }
  response.end()
  return true
}

/** Writes a whole answer. `cached` for what never changes within an hour. */
export function reply(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  { type, body, cached = false }: { readonly type: string; readonly body: string | Buffer; readonly cached?: boolean },
): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, {
    ...FROM_ANYWHERE,
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': cached ? 'public, max-age=3600' : 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

export function replyJson(request: IncomingMessage, response: ServerResponse, status: number, value: unknown): void {
  reply(request, response, status, { type: 'application/json', body: JSON.stringify(value) })
}

/** Answers an AdcpError by its code and message, with its HTTP headers; anything else is thrown on. */
export function replyError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (!(error instanceof AdcpError)) throw error
  const { code, message, field, http } = error
  const status = http?.status ?? (code === 'SERVICE_UNAVAILABLE' ? 503 : code === 'REFERENCE_NOT_FOUND' ? 404 : 400)
  for (const [name, value] of Object.entries(http?.headers ?? {})) response.setHeader(name, value)
  replyJson(request, response, status, { error: { code, message, ...(field !== undefined && { field }) } })
}

export function replyPixel(request: IncomingMessage, response: ServerResponse, status: number): void {
  reply(request, response, status, { type: 'image/gif', body: PIXEL })
}

/** The query of a request; addresses are at most as long as the server takes. */
export function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1))
}
