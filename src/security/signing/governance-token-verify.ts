import { verifyBytes } from './algorithms.ts'
import { SignatureFault } from './challenge.ts'
import { GOVERNANCE_TOKEN_TYPE } from './governance-token.ts'
import { checkAction, type GovernedAct } from './governance-token-binding.ts'
import {
  GovernanceTokenFault,
  type GovernanceTokenFaultCode,
  type GovernanceTokenStep,
  refuse,
} from './governance-token-fault.ts'
import { type ParsedToken, parseGovernanceToken, type TokenClaims } from './governance-token-parse.ts'
import { adcpAlgorithm } from './jose-algorithms.ts'
import { checkKeyPurpose } from './jwk.ts'
import type { ResolvedKey } from './keys.ts'
import type { SignatureAlgorithm } from './profile.ts'
import type { RevocationStatus } from './revocation.ts'

/** The keys of governance agents, and what became of them. */
export interface IssuerKeys {
  /** The key of an issuer; undefined when it has none of this name. Throws SignatureFault when that cannot be decided now. */
  find(issuer: string, keyid: string, nowSeconds: number): Promise<ResolvedKey | undefined>
  /** Whether the issuer has withdrawn the key or this very token. */
  status(issuer: string, key: ResolvedKey, jti: string, nowSeconds: number): Promise<RevocationStatus>
}

/** What a token has to be for. */
export interface TokenExpectation {
  /** URL of this agent, as the governance agent knows it. */
  readonly audience: string
  /** URLs of the governance agents that the authenticated buyer has named; other issuers' tokens are refused. */
  readonly issuers: readonly string[]
  /** The plan; undefined where the request leaves it to the token. */
  readonly subject: string | undefined
  readonly act: GovernedAct
}

export interface TokenVerifyOptions {
  readonly keys: IssuerKeys
  readonly isUsed: (claims: TokenClaims) => Promise<boolean>
}

const UNDERSTOOD: ReadonlySet<string> = new Set(['authorized_commitment', 'authorized_task', 'authorized_payload_hash'])
const KEY_USE = 'governance-signing'
const SKEW_SECONDS = 60
/** AdCP JWS profile: an execution token lives 30 days at most. */
const LONGEST_LIFE_SECONDS = 30 * 86_400

/**
 * Verifies a signed governance context in the 15 steps of the AdCP security page ("Signed Governance Context"). Step 13 is asked before
 * step 5 fetches anything, so that no stranger's address is ever called. Using the token up is the caller's part, in the transaction
 * that it authorises. Throws {@link GovernanceTokenFault}.
 */
export async function verifyGovernanceToken(
  token: string,
  expected: TokenExpectation,
  nowSeconds: number,
  { keys, isUsed }: TokenVerifyOptions,
): Promise<TokenClaims> {
  const parsed = parseGovernanceToken(token) // 1
  const { header, claims } = parsed
  const algorithm = adcpAlgorithm(header.alg)
  if (!algorithm) refuse(2, 'governance_token_invalid', 'alg is neither EdDSA nor ES256')
  if (header.typ !== GOVERNANCE_TOKEN_TYPE) refuse(3, 'governance_token_invalid', 'typ is another')
  checkCritical(parsed) // 4
  if (!expected.issuers.includes(claims.iss))
    refuse(13, 'governance_issuer_not_authorized', 'iss is no governance agent of the buyer')
  const key = await keyOf(claims.iss, header.kid, nowSeconds, keys) // 5
  checkPurpose(key, algorithm) // 6
  if (!verifyBytes(algorithm, key.publicKey(), parsed.signed, parsed.signature))
    refuse(7, 'governance_token_invalid', 'signature does not verify')
  if (claims.aud !== expected.audience) refuse(8, 'governance_token_not_applicable', 'aud is another seller')
  checkTimes(claims, nowSeconds) // 9
  if (expected.subject !== undefined && claims.sub !== expected.subject)
    refuse(10, 'governance_token_not_applicable', 'sub is another plan')
  checkAction(claims, expected.act) // 11, 12
  const status = await keys.status(claims.iss, key, claims.jti, nowSeconds) // 14
  if (status === 'revoked') refuse(14, 'governance_token_revoked', 'revoked by its issuer')
  if (status === 'stale') refuse(14, 'governance_revocation_stale', 'the revocation list of the issuer is out of date')
  if (await isUsed(claims)) refuse(15, 'governance_token_replayed', 'jti was used before')
  return claims
}

/** RFC 7515 §4.1.11: what is critical has to be there and understood; AdCP marks it with a member of the header that is true. */
function checkCritical({ header, claims }: ParsedToken): void {
  const bound = [...UNDERSTOOD].filter((name) => name in claims)
  const { crit } = header
  if (crit === undefined) {
    if (bound.length > 0) refuse(4, 'governance_token_invalid', 'a binding is not marked critical')
    return
  }
  if (!Array.isArray(crit) || crit.length === 0 || new Set(crit).size !== crit.length)
    refuse(4, 'governance_token_invalid', 'crit is no list of names')
  for (const name of crit) {
    if (typeof name !== 'string' || !UNDERSTOOD.has(name))
      refuse(4, 'governance_token_invalid', 'a critical extension is unknown')
    if (header[name] !== true || !(name in claims)) refuse(4, 'governance_token_invalid', 'a critical extension is missing')
  }
  if (bound.some((name) => !crit.includes(name))) refuse(4, 'governance_token_invalid', 'a binding is not marked critical')
}

const FAULTS: Readonly<Record<string, readonly [GovernanceTokenStep, GovernanceTokenFaultCode]>> = {
  signature_jwks_untrusted: [5, 'governance_jwks_untrusted'],
  signature_key_unknown: [5, 'governance_key_unknown'],
  signature_agent_not_in_brand_json: [13, 'governance_issuer_not_authorized'],
}

async function keyOf(issuer: string, keyid: string, nowSeconds: number, keys: IssuerKeys): Promise<ResolvedKey> {
  try {
    const key = await keys.find(issuer, keyid, nowSeconds)
    return key ?? refuse(5, 'governance_key_unknown', 'the issuer has no key of this name')
  } catch (cause) {
    if (!(cause instanceof SignatureFault)) throw cause
    const [step, code] = FAULTS[cause.code] ?? [5, 'governance_jwks_unavailable']
    throw new GovernanceTokenFault(step, code, cause.message, { cause })
  }
}

function checkPurpose(key: ResolvedKey, algorithm: SignatureAlgorithm): void {
  try {
    checkKeyPurpose(key.jwk, algorithm, [KEY_USE])
    key.publicKey()
  } catch (cause) {
    if (!(cause instanceof SignatureFault)) throw cause
    throw new GovernanceTokenFault(6, 'governance_key_unknown', cause.message, { cause })
  }
}

function checkTimes({ iat, exp, nbf }: TokenClaims, now: number): void {
  if (exp <= now - SKEW_SECONDS) refuse(9, 'governance_token_expired', 'exp has passed')
  if (iat > now + SKEW_SECONDS || (nbf !== undefined && nbf > now + SKEW_SECONDS))
    refuse(9, 'governance_token_not_yet_valid', 'iat or nbf lies ahead')
  if (exp <= iat || exp - iat > LONGEST_LIFE_SECONDS) refuse(9, 'governance_token_invalid', 'lives longer than 30 days')
}
