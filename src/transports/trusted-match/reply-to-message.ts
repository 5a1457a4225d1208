import { MatchRefusal } from '../../domain/trusted-match/match-refusal.ts'
import type { BodySender } from '../../platform/net/body-room.ts'
import type { MatchRequest, MatchResponse } from './match-exchange.ts'
import { replyError, replyJson, replyRefusal } from './match-exchange.ts'
import { Invalid, Malformed, type MessageRules, readMessage } from './read-message.ts'

export interface AnsweredMessage<Message> {
  readonly rules: MessageRules
  /** Whose share of the room for bodies the message takes. */
  readonly sender: BodySender
  /** Refuses the message by itself, and says whether it did. */
  readonly refuse: (message: Message) => Promise<boolean>
  /** What a message that follows its schema may not ask, as a sentence; undefined when it may. */
  readonly fault: (message: Message) => string | undefined
  readonly match: (message: Message) => Promise<object>
  /** How long an answer may take, in milliseconds; default {@link ANSWER_MS}. */
  readonly answerMs?: number
  /** The schema of the answer. */
  readonly present: MessageRules['validate']
  /** Told after each answer how many milliseconds it took, from the whole request on. */
  readonly onAnswer: (elapsedMs: number) => void
  readonly onFailure: (error: unknown) => void
}

/** Reads a message, judges it, and replies with the answer or the error (specification, "HTTP Status Codes"). It never rejects. */
export async function replyToMessage<Message extends { readonly request_id: string }>(
  request: MatchRequest,
  response: MatchResponse,
  { rules, sender, refuse, fault, match, answerMs = ANSWER_MS, present, onAnswer, onFailure }: AnsweredMessage<Message>,
): Promise<void> {
  let requestId = ''
  try {
    const message = await readMessage<Message>(request, rules, sender)
    requestId = message.request_id
    const began = performance.now()
    if (await refuse(message)) return
    const refusal = fault(message)
    if (refusal !== undefined) return replyError(response, requestId, 'invalid_request', refusal)
    const answer = await inTime(match(message), answerMs)
    const [issue] = present(answer)
    if (issue) throw new Error(`the answer breaks its schema at ${issue.pointer}: ${issue.message}`)
    replyJson(response, answer)
    onAnswer(performance.now() - began)
  } catch (error) {
    if (error instanceof Malformed) return replyMalformed(response, error)
    if (error instanceof Invalid) return replyError(response, error.requestId, 'invalid_request', error.message)
    if (error instanceof MatchRefusal) {
      if (error.cause !== undefined) onFailure(error)
      return replyError(response, requestId, error.code, error.message)
    }
    onFailure(error)
    replyError(response, requestId, 'internal_error', 'the request could not be answered')
  }
}

/** Refuses a body that is no message. */
export function replyMalformed(response: MatchResponse, { status, message, retryAfter }: Malformed): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  replyRefusal(response, status, message)
}

/** Longer than any router waits; an answer that takes more has lost its reader. */
const ANSWER_MS = 10_000

/** The answer, when it comes within `mostMs`. Rejects with MatchRefusal `timeout` otherwise. */
async function inTime<Answer>(answer: Promise<Answer>, mostMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MatchRefusal('timeout', 'the answer took too long')), mostMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
