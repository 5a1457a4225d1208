import type { AuthenticatePublisher, MatchPublisher } from '../../features/trusted-match/publishers.ts'
import { headerOf, type MatchRequest, type MatchResponse, replyError, replyJson, replyRefusal } from './match-exchange.ts'
import { Invalid, Malformed, type MessageRules, readMessage } from './read-message.ts'

/** Answers a request at one address. */
export type MatchRoute = (request: MatchRequest, response: MatchResponse) => Promise<void>

export interface MatchRouteParts<Message extends { readonly request_id: string }> {
  readonly authenticate: AuthenticatePublisher
  readonly originAllowed: (origin: string) => boolean
  readonly rules: MessageRules
  /** What a publisher may not ask, as a sentence; undefined when it may. */
  readonly fault: (publisher: MatchPublisher, message: Message) => string | undefined
  readonly match: (message: Message) => Promise<object>
  /** The schema of the answer. */
  readonly present: MessageRules['validate']
  /** Told after each answer how many milliseconds it took, from the whole request on. */
  readonly onAnswer: (elapsedMs: number) => void
  readonly onFailure: (error: unknown) => void
}

/**
 * An address of the router for publishers. Who asks is known before the body is read, and what it may ask before anything is signed or sent
 * (specification, "Signature verification").
 */
export function matchRoute<Message extends { readonly request_id: string }>(parts: MatchRouteParts<Message>): MatchRoute {
  const { authenticate, originAllowed, rules, fault, match, present, onAnswer, onFailure } = parts
  return async (request, response) => {
    const origin = headerOf(request, 'origin')
    if (origin !== undefined && originAllowed(origin)) allowOrigin(response, origin)
    if (request.method === 'OPTIONS') return replyPreflight(response)
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST')
      return replyRefusal(response, 405, 'This address takes POST.')
    }
    const publisher = authenticate(headerOf(request, 'authorization'), origin)
    if (!publisher) {
      response.setHeader('www-authenticate', 'Bearer realm="trusted-match"')
      return replyRefusal(response, 401, 'Send the key of a publisher as "Authorization: Bearer KEY".')
    }
    let requestId = ''
    try {
      const message = await readMessage<Message>(request, rules)
      requestId = message.request_id
      const began = performance.now()
      const refusal = fault(publisher, message)
      if (refusal !== undefined) return replyError(response, requestId, 'invalid_request', refusal)
      const answer = await match(message)
      const [issue] = present(answer)
      if (issue) throw new Error(`the merged answer breaks its schema at ${issue.pointer}: ${issue.message}`)
      replyJson(response, answer)
      onAnswer(performance.now() - began)
    } catch (error) {
      if (error instanceof Malformed) return replyRefusal(response, 400, error.message)
      if (error instanceof Invalid) return replyError(response, error.requestId, 'invalid_request', error.message)
      onFailure(error)
      replyError(response, requestId, 'internal_error', 'the request could not be answered')
    }
  }
}

function allowOrigin(response: MatchResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
}

function replyPreflight(response: MatchResponse): void {
  response.statusCode = 204
  response.setHeader('access-control-allow-methods', 'POST')
  response.setHeader('access-control-allow-headers', 'authorization, content-type')
  response.setHeader('access-control-max-age', '7200')
  response.end()
}
