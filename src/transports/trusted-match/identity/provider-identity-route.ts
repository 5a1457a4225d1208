import type { IdentityRequest, ProviderIdentityAnswer } from '../../../domain/trusted-match/identity/identity-messages.ts'
import { identitySignatureBase } from '../../../domain/trusted-match/identity/identity-signature-base.ts'
import type { MatchRoute } from '../match-route.ts'
import { type ProviderRouteParts, signedRoute } from '../provider-route.ts'
import { IDENTITY_BYTES } from './identity-route.ts'

/** `POST …/identity` of a provider. `endpoint`: as it is registered at routers, since signatures name it. `fault`: why a request may not be answered. */
export function providerIdentityRoute(
  endpoint: string,
  fault: (request: IdentityRequest) => string | undefined,
  { schemas, match, ...parts }: ProviderRouteParts<IdentityRequest, ProviderIdentityAnswer>,
): MatchRoute {
  const validate = schemas.validator('trusted-match/identity-match-request.json')
  return signedRoute({
    ...parts,
    baseOf: (message, epoch) => identitySignatureBase(message, endpoint, epoch),
    message: {
      rules: { type: 'identity_match_request', maxBytes: IDENTITY_BYTES, validate },
      fault,
      match,
      present: schemas.validator('trusted-match/provider-identity-match-response.json'),
    },
  })
}
