import type { IncomingMessage, ServerResponse } from 'node:http'
import { A2A_VERSION_HEADER } from 'a2a'
import { LegacyJsonRpcTransportHandler } from 'a2a/compat/v0_3/server'
import { VersionNotSupportedError } from 'a2a/errors'
import { type A2ARequestHandler, JsonRpcTransportHandler } from 'a2a/server'
import { isObject } from '../../protocol/is-object.ts'
import type { Caller } from '../../security/auth/identify.ts'
import { demandSignedMethod } from '../../security/auth/signing-policy.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import { onDemand } from '../http/on-demand.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { answerFailure, type JsonPostOptions, jsonPostReader } from '../json-rpc/json-post.ts'
import { INVALID_PARAMS, INVALID_REQUEST, isRequestId, Refusal, type RequestId } from '../json-rpc/json-rpc.ts'
import { writeReply } from '../json-rpc/write-reply.ts'
import { type A2aVersion, Exchange } from './exchange.ts'
import { malformed } from './invocation.ts'
import { type RpcReply, type RpcStream, writeAnswer } from './reply.ts'
import { checkMethod, paramsFault } from './request-shape.ts'

export interface A2aHttpOptions extends Omit<JsonPostOptions, 'aliasHeader'> {
  readonly handler: A2ARequestHandler
  /** Asks the verifiers who sent a message. */
  readonly identify: (credentials: TransportCredentials) => Promise<Caller>
  /** Methods that have to be signed where no other credential comes along. */
  readonly methodsToSign: ReadonlySet<string>
  readonly newRequestId: () => string
}

/** Answers one HTTP request on `/a2a`, or on `/t/{publicTenant}/a2a` when a tenant is given. Never rejects. */
export type A2aHttpHandler = (request: IncomingMessage, response: ServerResponse, publicTenant?: string) => Promise<void>

/**
 * The JSON-RPC transport of A2A 1.0 and 0.3, distinguished by the `A2A-Version` header. The SDK reads and writes both wire forms; HTTP is
 * ours, because refusals have to be HTTP statuses and bodies have to be the bytes that were signed.
 */
export function createA2aHttpHandler(options: A2aHttpOptions): A2aHttpHandler {
  const read = jsonPostReader({ ...options, aliasHeader: false })
  const wires: Readonly<
    Record<A2aVersion, { handle(body: Record<string, unknown>, context: Exchange): Promise<RpcReply | RpcStream> }>
  > = {
    '0.3': new LegacyJsonRpcTransportHandler(options.handler),
    '1.0': new JsonRpcTransportHandler(options.handler),
  }

  return async (request, response, publicTenant) => {
    const requestId = options.newRequestId()
    let id: RequestId = null
    try {
      const { message, credentials } = await read(request)
      if (!isObject(message))
        throw new Refusal(400, INVALID_REQUEST, 'The body must be one JSON-RPC request, an object; send several one by one')
      id = isRequestId(message.id) ? message.id : null
      checkRequest(message)
      const version = versionOf(request)
      const answerError = (error: unknown) =>
        writeReply(response, { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }, requestId)
      if (version === undefined) {
        const wanted = `A2A 1.0 and 0.3 are served: send ${A2A_VERSION_HEADER}: 1.0, or no such header for 0.3`
        answerError(JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError(wanted)))
        return
      }
      checkMethod(String(message.method), version)
      const caller = onDemand(() => options.identify(credentials))
      await demandSignedMethod(String(message.method), credentials, caller, options.methodsToSign)
      const fault = paramsFault(message, version)
      if (fault !== undefined) {
        answerError(
          version === '1.0'
            ? JsonRpcTransportHandler.mapToJSONRPCError(malformed(fault))
            : { code: INVALID_PARAMS, message: fault },
        )
        return
      }
      const params = isObject(message.params) ? message.params : {}
      const exchange = new Exchange({ requestId, version, params, credentials, caller, publicTenant })
      const answer = await wires[version].handle({ ...message }, exchange)
      await writeAnswer(response, answer, exchange, { id, ...options })
    } catch (error) {
      answerFailure({ request, response }, error, { requestId, id }, options)
    }
  }
}

/**
 * Whether an object is a request of JSON-RPC 2.0 §4: the SDK calls what is none of A2A 1.0 faulty parameters. Like every error of JSON-RPC the
 * answer is HTTP 200. Throws Refusal with -32600.
 */
function checkRequest({ jsonrpc, method, id = null }: JsonObject): void {
  const refuse = (message: string) => new Refusal(200, INVALID_REQUEST, message)
  if (jsonrpc !== '2.0') throw refuse('jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') throw refuse('method must name an operation of A2A')
  if (id !== null && !isRequestId(id)) throw refuse('id must be a string or an integer')
}

/** A2A 1.0 §3.6.2: Major.Minor, absent means 0.3. */
function versionOf({ headers }: IncomingMessage): A2aVersion | undefined {
  const value = headers[A2A_VERSION_HEADER.toLowerCase()]
  if (value === undefined || value === '') return '0.3'
  const version = /^(0\.3|1\.0)(\.\d+)?$/.exec(String(value).trim())?.[1]
  return version === '0.3' || version === '1.0' ? version : undefined
}
