import type { ContextRequest, ProviderContextAnswer } from '../../../domain/trusted-match/context/context-messages.ts'
import { contextFaults, contextSignatureBase } from '../../../domain/trusted-match/context/context-signature-base.ts'
import type { MatchRoute } from '../match-route.ts'
import { type ProviderRouteParts, signedRoute } from '../provider-route.ts'
import { CONTEXT_BYTES } from './context-route.ts'

/** `POST …/context` of a provider. `endpoint`: as it is registered at routers, since signatures name it. */
export function providerContextRoute(
  endpoint: string,
  { schemas, match, ...parts }: ProviderRouteParts<ContextRequest, ProviderContextAnswer>,
): MatchRoute {
  const validate = schemas.validator('trusted-match/context-match-request.json')
  return signedRoute({
    ...parts,
    baseOf: (message, epoch) => contextSignatureBase(message, endpoint, epoch),
    message: {
      rules: { type: 'context_match_request', maxBytes: CONTEXT_BYTES, validate },
      fault: (message) => contextFaults(message)[0],
      match,
      present: schemas.validator('trusted-match/provider-context-match-response.json'),
    },
  })
}
