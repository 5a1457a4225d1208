import { AdcpError, type RecoveryOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { errorShapes } from './error-shapes.ts'

/** JSON-RPC 2.0 §5.1, then the range that MCP and AdCP use for the transport. */
export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const TRANSPORT_ERROR = -32000
/** MCP 2026-07-28: required headers missing or at odds with the body. */
export const HEADER_MISMATCH = -32020
/** MCP 2026-07-28: the request names a revision that the server does not speak. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022
/** AdCP transport errors: service unavailable, authentication, rate limited. */
export const SERVICE_UNAVAILABLE = -32027
export const AUTHENTICATION = -32028
export const RATE_LIMITED = -32029

export type RequestId = string | number | null

/** A reply ready to be written: status, headers beyond the fixed ones, JSON (none for 202). */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request that the transport refuses before any task is examined. `message` is public and holds nothing of the request. */
export class Refusal extends Error {
  readonly status: number
  readonly rpcCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly data: object | undefined

  constructor(
    status: number,
    rpcCode: number,
    message: string,
    options: { headers?: Record<string, string>; data?: object } = {},
  ) {
    super(message)
    this.status = status
    this.rpcCode = rpcCode
    this.headers = options.headers ?? {}
    this.data = options.data
  }
}

/** The id to answer to: that of a single readable request, else null (JSON-RPC 2.0 §5). */
export function idOf(message: unknown): RequestId {
  const id = isObject(message) && typeof message.method === 'string' ? message.id : undefined
  return isRequestId(id) ? id : null
}

/** MCP ids are strings and integers; null and fractions are not. */
export function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

/** A refusal as a JSON-RPC error that also carries the AdCP shapes in `error.data`. */
export function refusalReply(refusal: Refusal, id: RequestId, recoveryOf: RecoveryOf): Reply {
  const shapes = errorShapes(new AdcpError('INVALID_REQUEST', refusal.message), recoveryOf)
  const error = { code: refusal.rpcCode, message: refusal.message, data: { ...refusal.data, ...shapes } }
  return { status: refusal.status, headers: refusal.headers, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/**
 * A task's refusal that belongs to the transport (no or bad credentials, rate limit, unavailable): the real HTTP status
 * and headers, with the AdCP shapes in `error.data`.
 */
export function transportErrorReply(error: AdcpError, id: RequestId, recoveryOf: RecoveryOf, context?: unknown): Reply {
  const { status, headers } = error.http ?? { status: 500 }
  return { status, ...(headers && { headers }), body: transportErrorJson(error, id, recoveryOf, context) }
}

/** The body of `transportErrorReply`, also an element of a batch. */
export function transportErrorJson(error: AdcpError, id: RequestId, recoveryOf: RecoveryOf, context?: unknown): string {
  const data = { ...errorShapes(error, recoveryOf), ...(context !== undefined && { context }) }
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: rpcCodeOf(error), message: error.message, data } })
}

/** JSON-RPC code of a transport-level AdCP error, by its HTTP status. */
export function rpcCodeOf(error: AdcpError): number {
  const status = error.http?.status
  if (status === 429) return RATE_LIMITED
  if (status === 503) return SERVICE_UNAVAILABLE
  return status === 401 || status === 403 ? AUTHENTICATION : TRANSPORT_ERROR
}
