import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { compactJws } from './compact-jws.ts'
import type { Signer } from './sign.ts'

/** Exact `typ` of the header: no other JWS of a governance agent can pass for an approval (RFC 8725 §3.11). */
export const GOVERNANCE_TOKEN_TYPE = 'adcp-gov+jws'

/** AdCP check-governance-response.json, `governance_context`. */
export const MAX_TOKEN_CHARS = 4096

/** An intent is acted on at once; an approved action lives as long as its campaign reports (AdCP JWS profile). */
export const INTENT_SECONDS = 15 * 60
export const EXECUTION_SECONDS = 30 * 24 * 60 * 60

export type GovernanceTokenPhase = 'intent' | 'purchase' | 'modification' | 'delivery'

export interface PolicyDecision {
  readonly policy_id: string
  readonly outcome: 'compliant' | 'info' | 'warning' | 'violated'
}

/** Claims of a signed governance context (AdCP security, "Signed Governance Context"). Times are seconds since 1970. */
export interface GovernanceClaims {
  /** URL of the governance agent, as in the buyer's brand.json. */
  readonly iss: string
  /** The plan (3.0, 3.1) or an opaque name of the action (3.2). */
  readonly sub: string
  /** base64url SHA-256 of the plan's revision: for auditors, not for the seller. */
  readonly plan_hash: string
  /** The seller's agent URL, byte for byte. */
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly nbf?: number
  readonly jti: string
  readonly phase: GovernanceTokenPhase
  readonly caller: string
  readonly check_id: string
  /** Outside `intent`. */
  readonly media_buy_id?: string
  readonly policy_decisions?: readonly PolicyDecision[]
  /** Replaces decisions that would make the token too long. */
  readonly policy_decision_hash?: string
  readonly audit_log_pointer?: string
  /** Only `approved` authorises anything; `conditions` is a handle for the next check. */
  readonly status?: 'approved' | 'conditions'
  /** The three bindings of 3.2; a verifier has to understand those that are there. */
  readonly authorized_commitment?: { readonly amount: number; readonly currency: string }
  readonly authorized_task?: string
  readonly authorized_payload_hash?: string
}

const BINDINGS = ['authorized_commitment', 'authorized_task', 'authorized_payload_hash'] as const

/**
 * The claims as a compact JWS (RFC 7515 §3.1). Claims that bind the action are marked critical in the header, so that a verifier that does
 * not know them refuses the token. Policy decisions that do not fit are replaced by their hash.
 * Throws TypeError for a key of another algorithm and RangeError when the token would still be too long.
 */
export async function signGovernanceToken(claims: GovernanceClaims, signer: Signer): Promise<string> {
  const bindings = BINDINGS.filter((name) => claims[name] !== undefined)
  const header = {
    typ: GOVERNANCE_TOKEN_TYPE,
    ...(bindings.length > 0 && { crit: bindings, ...Object.fromEntries(bindings.map((name) => [name, true])) }),
  }
  const token = await compactJws(header, claims, signer)
  if (token.length <= MAX_TOKEN_CHARS) return token
  const { policy_decisions: decisions, ...rest } = claims
  const shorter = decisions ? await compactJws(header, { ...rest, policy_decision_hash: hashOf(decisions) }, signer) : token
  if (shorter.length > MAX_TOKEN_CHARS) throw new RangeError('the governance token is too long')
  return shorter
}

/** base64url SHA-256 of the canonical JSON (RFC 8785) of the arguments of a call, without what does not commit anything. */
export function payloadHash({ governance_context: _token, context: _echoed, ...business }: Record<string, unknown>): string {
  return hashOf(business)
}

function hashOf(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? '', 'base64url')
}
