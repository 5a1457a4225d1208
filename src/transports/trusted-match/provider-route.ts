import type { VerifyRouter } from '../../features/trusted-match/router-keys.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { KEY_ID_HEADER, SIGNATURE_HEADER } from '../../security/signing/trusted-match-signature.ts'
import { connectionAddress, headerOf, type MatchRequest, type MatchResponse, replyRefusal } from './match-exchange.ts'
import type { MatchRoute } from './match-route.ts'
import { type AnsweredMessage, replyToMessage } from './reply-to-message.ts'

/** What the path of a provider is made of; its files of context and identity complete it. */
export interface ProviderRouteParts<Message, Answer extends object> {
  readonly schemas: Schemas
  readonly verify: VerifyRouter
  /** Where a request comes from; default: the other end of its connection. */
  readonly addressOf?: ((request: MatchRequest) => string | undefined) | undefined
  readonly match: (message: Message) => Promise<Answer>
  readonly onAnswer: (elapsedMs: number) => void
  readonly onFailure: (error: unknown) => void
}

interface SignedRoute<Message, Answer extends object> extends Omit<ProviderRouteParts<Message, Answer>, 'schemas' | 'match'> {
  readonly message: Omit<AnsweredMessage<Message>, 'sender' | 'onAnswer' | 'onFailure' | 'refuse'>
  readonly baseOf: (message: Message, epoch: number) => string
}

/**
 * An address of a provider for routers: only what a known router signed is answered (specification, "Request Authentication"). A request without
 * a signature is refused before its body is read.
 */
export function signedRoute<Message extends { readonly request_id: string }, Answer extends object>({
  verify,
  addressOf = connectionAddress,
  baseOf,
  message,
  onAnswer,
  onFailure,
}: SignedRoute<Message, Answer>): MatchRoute {
  return async (request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST')
      return replyRefusal(response, 405, 'This address takes POST.')
    }
    const [keyId, signature] = [headerOf(request, KEY_ID_HEADER), headerOf(request, SIGNATURE_HEADER)]
    if (keyId === undefined || signature === undefined) return refuseUnsigned(response)
    await replyToMessage<Message>(request, response, {
      ...message,
      sender: senderAt(addressOf(request)),
      onAnswer,
      onFailure,
      async refuse(received) {
        // A seller that is no URL cannot be signed for.
        const isSigned = await verify({ keyId, signature }, (epoch) => baseOf(received, epoch)).catch(() => false)
        if (isSigned) return false
        refuseUnsigned(response)
        return true
      },
    })
  }
}

function refuseUnsigned(response: MatchResponse): void {
  response.setHeader('www-authenticate', 'AdCP-Signature')
  replyRefusal(response, 401, 'Sign the request with X-AdCP-Signature and X-AdCP-Key-Id as a router that this provider knows.')
}
