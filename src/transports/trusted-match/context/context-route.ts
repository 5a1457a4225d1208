import type { ContextRequest } from '../../../domain/trusted-match/context/context-messages.ts'
import { contextFaults } from '../../../domain/trusted-match/context/context-signature-base.ts'
import { foreignPart } from '../../../features/trusted-match/publishers.ts'
import type { Schemas } from '../../../protocol/schemas.ts'
import { type MatchRoute, type MatchRouteParts, matchRoute } from '../match-route.ts'

/** An article with its text, and no book. */
export const CONTEXT_BYTES = 256 * 1024

/** `POST /context`: matches a context; a request with anything about a user is refused, since the schema has no place for it. */
export function contextRoute(
  schemas: Schemas,
  parts: Omit<MatchRouteParts<ContextRequest>, 'rules' | 'fault' | 'present'>,
): MatchRoute {
  const validate = schemas.validator('trusted-match/context-match-request.json')
  return matchRoute<ContextRequest>({
    ...parts,
    rules: { type: 'context_match_request', maxBytes: CONTEXT_BYTES, validate },
    fault: (publisher, request) => foreignPart(publisher, request) ?? contextFaults(request)[0],
    present: schemas.validator('trusted-match/context-match-response.json'),
  })
}
