import { payloadHash } from './governance-token.ts'
import { refuse } from './governance-token-fault.ts'
import type { TokenClaims } from './governance-token-parse.ts'

/** What the holder of a token is about to do. */
export interface GovernedAct {
  readonly tool: string
  /** What the token has to be: an approval, or (with an answer that sets conditions) at least a handle for the next check. */
  readonly needs: 'approval' | 'handle'
  readonly phase: 'purchase' | 'modification'
  /** Media buy, activation or grant; of a purchase, the id that it will have. */
  readonly resourceId: string
  readonly commitment: { readonly amount: number | undefined; readonly currency: string | undefined }
  /** The arguments as they came. */
  readonly request: object
}

/**
 * Steps 11 and 12: the token is of this phase (or of the buyer's intent), and of nothing else than this action. Throws
 * `GovernanceTokenFault`.
 */
export function checkAction(claims: TokenClaims, act: GovernedAct): void {
  if (claims.phase !== 'intent' && claims.phase !== act.phase)
    refuse(11, 'governance_token_not_applicable', `phase is ${claims.phase}, not ${act.phase}`)
  if (act.needs === 'approval' && claims.status !== undefined && claims.status !== 'approved')
    refuse(11, 'governance_token_not_applicable', 'approves nothing')
  if (claims.media_buy_id !== undefined && claims.media_buy_id !== act.resourceId)
    refuse(12, 'governance_token_not_applicable', 'media_buy_id is another')
  if (claims.phase === 'modification' && claims.media_buy_id === undefined)
    refuse(12, 'governance_token_not_applicable', 'media_buy_id is missing')
  if (claims.authorized_task !== undefined && claims.authorized_task !== act.tool)
    refuse(12, 'governance_token_not_applicable', 'authorized_task is another')
  if (claims.authorized_commitment !== undefined && !covers(claims.authorized_commitment, act.commitment))
    refuse(12, 'governance_token_not_applicable', 'authorized_commitment is exceeded')
  if (claims.authorized_payload_hash !== undefined && claims.authorized_payload_hash !== payloadHash({ ...act.request }))
    refuse(12, 'governance_token_not_applicable', 'authorized_payload_hash is of other arguments')
}

/** An unknown commitment exceeds every limit. */
function covers(authorized: unknown, { amount, currency }: GovernedAct['commitment']): boolean {
  if (typeof authorized !== 'object' || authorized === null || amount === undefined || currency === undefined) return false
  if (!('amount' in authorized) || !('currency' in authorized)) return false
  return typeof authorized.amount === 'number' && amount <= authorized.amount && currency === authorized.currency
}
