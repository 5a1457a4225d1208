import { MatchRefusal } from '../../domain/trusted-match/match-refusal.ts'
import type { AuthenticatePublisher, MatchPublisher } from '../../features/trusted-match/publishers.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import { connectionAddress, headerOf, type MatchRequest, type MatchResponse, replyRefusal } from './match-exchange.ts'
import { type AnsweredMessage, replyToMessage } from './reply-to-message.ts'

/** Answers a request at one address. */
export type MatchRoute = (request: MatchRequest, response: MatchResponse) => Promise<void>

export interface MatchRouteParts<Message extends { readonly request_id: string }>
  extends Omit<AnsweredMessage<Message>, 'sender' | 'refuse' | 'fault' | 'match'> {
  readonly authenticate: AuthenticatePublisher
  /** Whether the publisher has used up its requests of this second at this address; counts one. */
  readonly isOverLimit: (publisher: MatchPublisher) => boolean
  readonly originAllowed: (origin: string) => boolean
  /** Answers a message; `incoming` is the request that brought it. */
  readonly match: (message: Message, incoming: MatchRequest) => ReturnType<AnsweredMessage<Message>['match']>
  /** What a publisher may not ask, as a sentence; undefined when it may. */
  readonly fault: (publisher: MatchPublisher, message: Message) => string | undefined
}

/**
 * An address of the router for publishers. Who asks is known before the body is read, and what it may ask before anything is signed or sent
 * (specification, "Signature verification").
 */
export function matchRoute<Message extends { readonly request_id: string }>(parts: MatchRouteParts<Message>): MatchRoute {
  const { authenticate, originAllowed, isOverLimit, fault, match, ...message } = parts
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
    await replyToMessage<Message>(request, response, {
      ...message,
      sender: senderAt(connectionAddress(request)),
      refuse: async () => false,
      fault: (received) => fault(publisher, received),
      async match(received) {
        if (isOverLimit(publisher))
          throw new MatchRefusal('rate_limited', 'this publisher has used up its requests of this second')
        return match(received, request)
      },
    })
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
