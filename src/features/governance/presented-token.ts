import { AdcpError } from '../../protocol/errors.ts'
import { GovernanceTokenFault } from '../../security/signing/governance-token-fault.ts'
import { parseGovernanceToken, type TokenClaims } from '../../security/signing/governance-token-parse.ts'
import { type IssuerKeys, type TokenExpectation, verifyGovernanceToken } from '../../security/signing/governance-token-verify.ts'
import { isTokenUsed } from '../../store/governance/spend-approvals.ts'
import type { GovernedCall, TokenUse } from './governance.ts'

/** AdCP protocol-envelope.json, `governance_context`. */
const LONGEST_TOKEN = 4096
const PRINTABLE = /^[\x20-\x7e]+$/
/** A token is remembered as long as clocks that go wrong by a minute could accept it. */
export const SKEW_SECONDS = 60

/** The token on the envelope of a request. Throws INVALID_REQUEST when it cannot be one. */
export function tokenIn(request: object): string | undefined {
  if (!('governance_context' in request) || request.governance_context === undefined) return undefined
  const { governance_context: token } = request
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !PRINTABLE.test(token)) {
    throw new AdcpError('INVALID_REQUEST', `governance_context is 1 to ${LONGEST_TOKEN} printable ASCII characters`, {
      field: 'governance_context',
    })
  }
  return token
}

/** What a token says of itself, unverified; undefined for what is no token of the profile. */
export function claimsIn(token: string): TokenClaims | undefined {
  try {
    return parseGovernanceToken(token).claims
  } catch (error) {
    if (error instanceof GovernanceTokenFault) return undefined
    throw error
  }
}

/**
 * Verifies a token. Throws PERMISSION_DENIED for every fault: the reason goes to the log only, since it would help an attacker.
 */
export async function verifyToken(
  token: string,
  expected: TokenExpectation,
  { db, now }: Pick<GovernedCall, 'db' | 'now'>,
  keys: IssuerKeys,
): Promise<TokenClaims> {
  try {
    return await verifyGovernanceToken(token, expected, now.getTime() / 1000, {
      keys,
      isUsed: (claims) => isTokenUsed(db, claims),
    })
  } catch (cause) {
    if (!(cause instanceof GovernanceTokenFault)) throw cause
    throw refusedToken(cause)
  }
}

export function refusedToken(cause: unknown): AdcpError {
  return new AdcpError('PERMISSION_DENIED', 'the governance_context does not authorise this request', {
    field: 'governance_context',
    suggestion: 'call check_governance for a fresh token for this seller, plan and request',
    cause,
  })
}

export function useOf({ iss, aud, jti, exp }: TokenClaims): TokenUse {
  return { iss, aud, jti, exp }
}
