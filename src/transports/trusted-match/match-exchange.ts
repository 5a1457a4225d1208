import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { MatchRefusal } from '../../domain/trusted-match/match-refusal.ts'
import { respond } from '../http/respond.ts'

export type MatchRequest = IncomingMessage | Http2ServerRequest
export type MatchResponse = ServerResponse | Http2ServerResponse

/** Headers of every reply, which a router of its own does not have from the server. */
const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }

/** Writes a whole reply. */
export function reply(response: MatchResponse, status: number, type: string, body: string): void {
  respond(response, status, { type, body, headers: HEADERS })
}

export function replyJson(response: MatchResponse, value: unknown): void {
  reply(response, 200, 'application/json', JSON.stringify(value))
}

/** What cannot be read as a message is refused by its HTTP status, with a sentence for people (specification, "HTTP Status Codes"). */
export function replyRefusal(response: MatchResponse, status: number, sentence: string): void {
  reply(response, status, 'text/plain; charset=utf-8', `${sentence}\n`)
}

/** Codes of trusted-match/error.json. The seventh, `seller_not_authorized`, is for single packages of a sync. */
export type MatchErrorCode = 'invalid_request' | 'internal_error' | MatchRefusal['code']

/** An error of the application is an answer with status 200. */
export function replyError(response: MatchResponse, requestId: string, code: MatchErrorCode, message: string): void {
  replyJson(response, { type: 'error', request_id: requestId, code, message })
}

/** Where a request comes from: the other end of its connection. */
export function connectionAddress({ socket }: MatchRequest): string | undefined {
  return socket.remoteAddress
}

/** A header that came once; undefined when it is absent or repeated. */
export function headerOf({ headers }: MatchRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
