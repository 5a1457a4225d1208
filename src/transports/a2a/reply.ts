import type { ServerResponse } from 'node:http'
import { formatSSEEvent } from 'a2a'
import { LegacyJsonRpcTransportHandler } from 'a2a/compat/v0_3/server'
import { JsonRpcTransportHandler } from 'a2a/server'
import type { Logger } from 'pino'
import type { RecoveryOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { beginEvents, writeEvents } from '../http/respond.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, type RequestId, transportErrorReply } from '../json-rpc/json-rpc.ts'
import { writeReply } from '../json-rpc/write-reply.ts'
import type { Exchange } from './exchange.ts'

/** A JSON-RPC reply as the SDK makes it, and the several of a stream. */
export type RpcReply = { readonly id: RequestId; readonly result?: unknown; readonly error?: unknown }
export type RpcStream = AsyncGenerator<RpcReply, void, undefined>

interface First {
  readonly reply: RpcReply
  /** What follows it. */
  readonly stream?: RpcStream
}

/** Writes what the SDK answered: one JSON reply, server-sent events, or the refusal of the whole request as an HTTP status. */
export async function writeAnswer(
  response: ServerResponse,
  answer: RpcReply | RpcStream,
  exchange: Exchange,
  { id, log, recoveryOf }: { readonly id: RequestId; readonly log: Logger; readonly recoveryOf: RecoveryOf },
): Promise<void> {
  // The first event says whether there will be a stream at all: what is refused is refused before any of it is written.
  const first: First = Symbol.asyncIterator in answer ? await firstOf(answer, exchange, id) : { reply: answer }
  const { refusal, requestId } = exchange
  if (refusal) {
    writeReply(response, transportErrorReply(refusal.error, id, recoveryOf, refusal.context), requestId)
  } else if (first.stream) {
    await writeStream(response, first.reply, first.stream, requestId).catch((error: unknown) =>
      log.error({ err: error, requestId }, 'a2a stream failed'),
    )
  } else {
    writeReply(response, { status: 200, body: JSON.stringify(publicReply(first.reply, exchange)) }, requestId)
  }
}

async function firstOf(stream: RpcStream, { version }: Exchange, id: RequestId): Promise<First> {
  try {
    const { value, done } = await stream.next()
    return done || !value ? { reply: { id, result: null } } : { reply: value, stream }
  } catch (error) {
    const mapped =
      version === '0.3'
        ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : JsonRpcTransportHandler.mapToJSONRPCError(error)
    return { reply: { id, error: { ...mapped } } }
  }
}

/** Server-sent events, one JSON-RPC reply each, until the work or the client is done. */
async function writeStream(response: ServerResponse, first: RpcReply, stream: RpcStream, requestId: string): Promise<void> {
  beginEvents(response, { 'X-Request-Id': requestId })
  response.once('close', () => void stream.return().catch(() => undefined))
  try {
    await writeEvents(response, formatSSEEvent(first))
    for await (const reply of stream) await writeEvents(response, formatSSEEvent(reply))
  } finally {
    response.end()
  }
}

/** A reply as it goes out. The SDK reports what it stumbles over in its own words; none of them are for the public. */
function publicReply(reply: RpcReply, { reached }: Exchange): object {
  const { id, error } = reply
  if (!isObject(error) || error.code !== INTERNAL_ERROR) return { jsonrpc: '2.0', ...reply }
  const publicError = reached
    ? { code: INTERNAL_ERROR, message: 'Internal error' }
    : { code: INVALID_PARAMS, message: 'The params are not those of this method' }
  return { jsonrpc: '2.0', id, error: publicError }
}
