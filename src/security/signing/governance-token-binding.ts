import { canonicalUrl, MalformedUrl } from '../../domain/canonical-url.ts'
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
  /** The authenticated caller: its agent URL; undefined where the seller knows none of its key. */
  readonly caller: string | undefined
  /** Whether an intent of a bare audience is refused: it has to bind the task, the arguments and, where money is committed, the amount (AdCP 3.2). */
  readonly bindsAll: boolean
}

/**
 * Steps 11 and 12: the token is of this phase (or of the buyer's intent), of this caller, and of nothing else than this action. Throws
 * `GovernanceTokenFault`.
 */
export function checkAction(claims: TokenClaims, act: GovernedAct): void {
  if (act.bindsAll && claims.phase === 'intent' && act.needs === 'approval') requireBindings(claims, act)
  if (claims.phase !== 'intent' && claims.phase !== act.phase)
    refuse(11, 'governance_token_not_applicable', `phase is ${claims.phase}, not ${act.phase}`)
  if (act.needs === 'approval' && claims.status !== undefined && claims.status !== 'approved')
    refuse(11, 'governance_token_not_applicable', 'approves nothing')
  // The token of a later phase is asked for by the seller itself, so that its caller is its audience.
  if (act.caller !== undefined && !isSameUrl(claims.caller, claims.phase === 'intent' ? [act.caller] : [act.caller, claims.aud]))
    refuse(12, 'governance_token_not_applicable', 'caller is another')
  if (claims.media_buy_id !== undefined && claims.media_buy_id !== act.resourceId)
    refuse(12, 'governance_token_not_applicable', 'media_buy_id is another')
  if (claims.phase === 'modification' && claims.media_buy_id === undefined)
    refuse(12, 'governance_token_not_applicable', 'media_buy_id is missing')
  if (claims.authorized_task !== undefined && claims.authorized_task !== act.tool)
    refuse(12, 'governance_token_not_applicable', 'authorized_task is another')
  if (claims.authorized_commitment !== undefined && !isCommitment(claims.authorized_commitment))
    refuse(12, 'governance_token_invalid', 'authorized_commitment is no amount in a currency')
  if (claims.authorized_commitment !== undefined && !covers(claims.authorized_commitment, act.commitment))
    refuse(12, 'governance_token_not_applicable', 'authorized_commitment is exceeded')
  if (claims.authorized_payload_hash !== undefined && claims.authorized_payload_hash !== payloadHash({ ...act.request }))
    refuse(12, 'governance_token_not_applicable', 'authorized_payload_hash is of other arguments')
}

function requireBindings(claims: TokenClaims, { commitment }: GovernedAct): void {
  if (claims.authorized_task === undefined || claims.authorized_payload_hash === undefined)
    refuse(12, 'governance_token_invalid', 'binds no task or no arguments')
  const isSpent = commitment.amount !== undefined || commitment.currency !== undefined
  if (isSpent && claims.authorized_commitment === undefined)
    refuse(12, 'governance_token_not_applicable', 'authorized_commitment is missing')
}

/** Whether a URL is one of these in canonical form (AdCP campaign governance, delegations: exact after normalization). */
function isSameUrl(url: string, wanted: readonly string[]): boolean {
  const form = canonicalOrSame(url)
  return wanted.some((each) => canonicalOrSame(each) === form)
}

function canonicalOrSame(url: string): string {
  try {
    return canonicalUrl(url).targetUri
  } catch (error) {
    if (error instanceof MalformedUrl) return url
    throw error
  }
}

interface Ceiling {
  readonly amount: number
  readonly currency: string
}

function isCommitment(value: unknown): value is Ceiling {
  if (typeof value !== 'object' || value === null || !('amount' in value) || !('currency' in value)) return false
  const { amount, currency } = value
  return typeof amount === 'number' && Number.isFinite(amount) && typeof currency === 'string' && currency !== ''
}

/** An unknown commitment exceeds every limit. */
function covers(authorized: Ceiling, { amount, currency }: GovernedAct['commitment']): boolean {
  return amount !== undefined && amount <= authorized.amount && currency === authorized.currency
}
