import { consentFault, consentOf, mayMatch } from '../../../domain/trusted-match/identity/consent.ts'
import type { IdentityRequest } from '../../../domain/trusted-match/identity/identity-messages.ts'
import { mergeIdentity } from '../../../domain/trusted-match/identity/merge-identity.ts'
import { foreignPart } from '../../../features/trusted-match/publishers.ts'
import { readConsent } from '../../../platform/decode/consent.ts'
import type { Schemas } from '../../../protocol/schemas.ts'
import { headerOf, type MatchRequest } from '../match-exchange.ts'
import { type MatchRoute, type MatchRouteParts, matchRoute } from '../match-route.ts'

/** Three tokens with their proofs, eight sealed credentials, and the ids of all active packages. */
export const IDENTITY_BYTES = 256 * 1024

/**
 * `POST /identity`: matches a user; a request with anything about a page is refused, since the schema has no place for it. Where the user opted out, or did not consent
 * where consent is needed, no provider is asked and nothing is eligible.
 */
export function identityRoute(
  schemas: Schemas,
  parts: Omit<MatchRouteParts<IdentityRequest>, 'rules' | 'fault' | 'present'>,
): MatchRoute {
  const validate = schemas.validator('trusted-match/identity-match-request.json')
  return matchRoute<IdentityRequest>({
    ...parts,
    rules: { type: 'identity_match_request', maxBytes: IDENTITY_BYTES, validate },
    fault: (publisher, request) => foreignPart(publisher, request) ?? consentFault(request, readConsent(consentOf(request))),
    match: async (request, incoming) =>
      !signalsOptOut(incoming) && mayMatch(request, readConsent(consentOf(request)))
        ? parts.match(request, incoming)
        : mergeIdentity(request.request_id, []),
    present: schemas.validator('trusted-match/identity-match-response.json'),
  })
}

/** Global Privacy Control (W3C): a browser that asks by itself says that its user opts out. */
function signalsOptOut(incoming: MatchRequest): boolean {
  return headerOf(incoming, 'sec-gpc') === '1'
}
