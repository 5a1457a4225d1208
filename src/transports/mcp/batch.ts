import { classifyInboundRequest } from '@modelcontextprotocol/server'
import type { RecoveryOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { INVALID_REQUEST, idOf, Refusal, type Reply, refusalReply } from '../json-rpc/json-rpc.ts'
import type { Answer, Sender } from './dispatch-message.ts'

/** As many as the MCP SDK's own transport takes. */
const MAX_BATCH = 100

/**
 * Answers a JSON-RPC batch (revision 2025-03-26), element by element in order. An authentication refusal of any element
 * ends the batch and becomes the reply to all of it: a transport has one status, and half an answer would hide it.
 * @throws Refusal when the array as a whole is not acceptable
 */
export async function answerBatch(
  messages: readonly unknown[],
  sender: Sender,
  answer: Answer,
  recoveryOf: RecoveryOf,
): Promise<Reply> {
  checkBatch(messages)
  const replies: Reply[] = []
  for (const message of messages) {
    const reply = await answerElement(message, sender, answer, recoveryOf)
    if (reply.status === 401 || reply.status === 403) return reply
    if (reply.body !== undefined) replies.push(reply)
  }
  const [first] = replies
  if (first === undefined) return { status: 202 }
  const body = `[${replies.map((reply) => reply.body).join(',')}]`
  // One status for all: that of the elements where they agree (all of them rate limited, say).
  return replies.every(({ status }) => status === first.status) ? { ...first, body } : { status: 200, body }
}

function checkBatch(messages: readonly unknown[]): void {
  if (messages.length > MAX_BATCH) throw new Refusal(400, INVALID_REQUEST, `A batch holds at most ${MAX_BATCH} messages`)
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body: messages })
  if (outcome.kind === 'reject') throw new Refusal(outcome.httpStatus, outcome.code, outcome.message)
  if (messages.some((message) => isObject(message) && message.method === 'initialize')) {
    throw new Refusal(400, INVALID_REQUEST, 'initialize must not be part of a batch')
  }
}

async function answerElement(message: unknown, sender: Sender, answer: Answer, recoveryOf: RecoveryOf): Promise<Reply> {
  try {
    return await answer(message, sender)
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error, idOf(message), recoveryOf)
    throw error
  }
}
