import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonContentType } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { parseJsonInTurns } from '../../platform/decode/foreign-json.ts'
import { JsonRefused } from '../../platform/decode/parse-json.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import type { PeerOf } from '../../platform/net/peer.ts'
import { AdcpError, type RecoveryOf } from '../../protocol/errors.ts'
import { claimsSignature } from '../../security/auth/signing-policy.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import { BodyIncomplete, BodyTooLarge, readBody } from '../http/read-body.ts'
import { authorizationOf } from './authorization.ts'
import { type HostPolicy, hostCheck } from './host-policy.ts'
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  Refusal,
  type Reply,
  type RequestId,
  refusalReply,
  TRANSPORT_ERROR,
  transportErrorReply,
} from './json-rpc.ts'
import { writeAndClose, writeReply } from './write-reply.ts'

/** What the transports that take JSON-RPC over HTTP POST share. */
export interface JsonPostOptions extends HostPolicy {
  readonly maxBodyBytes: number
  /** Whether a Bearer token may come in the old `x-adcp-auth` header. */
  readonly aliasHeader: boolean
  readonly peerOf: PeerOf
  /** Rejects with the refusal of credentials that do not count. */
  readonly checkCredentials: (credentials: TransportCredentials, method?: string) => Promise<void>
  /** Recovery classes for what is refused before a release is negotiated. */
  readonly recoveryOf: RecoveryOf
  readonly log: Logger
}

/** A readable request: its JSON value, and what it brought to prove who sent it. */
export interface JsonPost {
  readonly message: unknown
  readonly credentials: TransportCredentials
}

/** A request that has arrived whole at the right address, before its body is parsed. */
interface ReceivedPost {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly credentials: TransportCredentials
  /** Whether it claims to be signed. */
  readonly signed: boolean
}

/** Makes the function that reads a POST of JSON. It throws Refusal, AdcpError or what `readBody` and `parseJsonInTurns` throw. */
export function jsonPostReader(options: JsonPostOptions): (request: IncomingMessage) => Promise<JsonPost> {
  const receive = postReceiver(options)
  return async (request) => {
    return readPost(await receive(request), options)
  }
}

/** Makes the function that receives a POST. It throws Refusal, AdcpError or what `readBody` throws. */
function postReceiver(options: JsonPostOptions): (request: IncomingMessage) => Promise<ReceivedPost> {
  const checkHost = hostCheck(options)
  return async (request) => {
    checkHost(request.headers.host, request.headers.origin)
    checkMethod(request)
    const signed = claimsSignature(request.rawHeaders)
    if (request.url?.includes('?')) await refuseQuery(request, signed, options)
    if (!signed) checkContent(request)
    const body = await readBody(request, { maxBytes: options.maxBodyBytes, sender: senderAt(options.peerOf(request).address) })
    return { request, body, credentials: credentialsOf(request, body, options), signed }
  }
}

/** Reads a received POST as JSON. Rejects with AdcpError or what `parseJsonInTurns` throws. */
async function readPost(received: ReceivedPost, options: JsonPostOptions): Promise<JsonPost> {
  const { credentials, body, signed } = received
  const message = signed ? await readSigned(received, options) : await parseJsonInTurns(body)
  // Its verifier need not read the body again.
  return { message, credentials: signed ? { ...credentials, isStrictJson: true } : credentials }
}

/** @throws Refusal for a request to nothing that is served */
function checkMethod({ method }: IncomingMessage): void {
  if (method !== 'POST') throw new Refusal(405, TRANSPORT_ERROR, 'Only POST is served here', { headers: { allow: 'POST' } })
}

/**
 * URLs end up in logs and histories, and credentials in them with it; nothing legitimate needs a query here. Credentials that do not count
 * are named first, those in the query among them. Rejects always: with their AdcpError, or with a Refusal.
 */
async function refuseQuery(request: IncomingMessage, signed: boolean, options: JsonPostOptions): Promise<never> {
  if (!signed) await options.checkCredentials(credentialsOf(request, undefined, options))
  throw new Refusal(400, INVALID_REQUEST, 'The URL must not carry a query')
}

/** @throws Refusal for a body that no JSON-RPC message can come out of */
function checkContent({ headers }: IncomingMessage): void {
  if (!isJsonContentType(headers['content-type']))
    throw new Refusal(415, TRANSPORT_ERROR, 'The Content-Type must be application/json')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(415, TRANSPORT_ERROR, 'The body must not be compressed')
}

/**
 * A signed message that cannot be read is judged by its signature first: faults of what was signed have their own codes, and
 * the nonce is burned all the same (AdCP verifier steps 1 and 14).
 */
async function readSigned({ request, credentials, body }: ReceivedPost, options: JsonPostOptions): Promise<unknown> {
  try {
    checkContent(request)
    return await parseJsonInTurns(body)
  } catch (error) {
    await options.checkCredentials(credentials)
    throw error
  }
}

/** What the verifiers of `auth/` need. */
export function credentialsOf(
  request: IncomingMessage,
  body: Uint8Array | undefined,
  { aliasHeader, peerOf }: Pick<JsonPostOptions, 'aliasHeader' | 'peerOf'>,
): TransportCredentials {
  const { headers, rawHeaders, method = '', url = '' } = request
  const { address, certificate } = peerOf(request)
  return {
    authorization: authorizationOf(headers, rawHeaders, aliasHeader),
    rawHeaders,
    method,
    target: url,
    body,
    remoteAddress: address,
    clientCertificate: certificate,
  }
}

/** Answers a request that could not be served, and logs why; details of a fault of ours stay in the log. */
export function answerFailure(
  {
    request,
    response,
    headers = [],
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly headers?: readonly string[] },
  error: unknown,
  { requestId, id }: { readonly requestId: string; readonly id: RequestId },
  options: Pick<JsonPostOptions, 'maxBodyBytes' | 'log' | 'recoveryOf'>,
): void {
  if (error instanceof BodyIncomplete) {
    response.destroy()
    return
  }
  const reply = replyTo(error, id, options)
  options.log[reply.status >= 500 ? 'error' : 'info'](
    { requestId, status: reply.status, ...(reply.status >= 500 && { err: error }) },
    'request refused',
  )
  if (request.complete) writeReply(response, reply, requestId, headers)
  else writeAndClose(request, response, reply, requestId, headers)
}

function replyTo(
  error: unknown,
  id: RequestId,
  { maxBodyBytes, recoveryOf }: Pick<JsonPostOptions, 'maxBodyBytes' | 'recoveryOf'>,
): Reply {
  if (error instanceof Refusal) return refusalReply(error, id, recoveryOf)
  if (error instanceof AdcpError && error.http !== undefined) return transportErrorReply(error, id, recoveryOf)
  if (error instanceof BodyTooLarge)
    return refusalReply(new Refusal(413, TRANSPORT_ERROR, `The body is larger than ${maxBodyBytes} bytes`), null, recoveryOf)
  if (error instanceof JsonRefused) {
    const rpcCode = error.fault === 'syntax' || error.fault === 'encoding' ? PARSE_ERROR : INVALID_REQUEST
    return refusalReply(new Refusal(400, rpcCode, error.message), null, recoveryOf)
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'Internal error' } })
  return { status: 500, body }
}
