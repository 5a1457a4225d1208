import { foreignJson } from '../../platform/decode/foreign-json.ts'
import { MAX_TOKEN_CHARS } from './governance-token.ts'
import { GovernanceTokenFault, refuse } from './governance-token-fault.ts'

/** Claims that a verifier examines. Times are Unix seconds. */
export interface TokenClaims {
  readonly iss: string
  readonly sub: string
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly nbf?: number
  readonly jti: string
  readonly phase: string
  /** Who asked for the check: of an intent the buyer's agent, later the seller. */
  readonly caller: string
  readonly check_id: string
  readonly media_buy_id?: string
  readonly status?: string
  readonly authorized_task?: unknown
  readonly authorized_commitment?: unknown
  readonly authorized_payload_hash?: unknown
}

export interface ParsedToken {
  readonly header: Readonly<Record<string, unknown>> & { readonly kid: string }
  readonly claims: TokenClaims
  /** The bytes that are signed (RFC 7515 §5.2). */
  readonly signed: Buffer
  readonly signature: Buffer
}

const SEGMENT = /^[A-Za-z0-9_-]+$/
const TEXTS = ['iss', 'sub', 'aud', 'jti', 'phase', 'caller', 'check_id'] as const
const MAYBE_TEXTS = ['media_buy_id', 'status'] as const

/** Step 1: takes a compact JWS apart; nothing in it is believed yet. Throws {@link GovernanceTokenFault}. */
export function parseGovernanceToken(token: string): ParsedToken {
  const parts = token.split('.')
  const [header = '', payload = '', signature = ''] = parts
  if (token.length > MAX_TOKEN_CHARS || parts.length !== 3 || !parts.every((part) => SEGMENT.test(part)))
    refuse(1, 'governance_token_invalid', 'not a compact JWS')
  const head = objectIn(header)
  const { kid } = head
  if (typeof kid !== 'string') refuse(1, 'governance_token_invalid', 'kid is missing')
  const claims = objectIn(payload)
  if (!isClaims(claims)) refuse(1, 'governance_token_invalid', 'a claim is missing or of another type')
  return {
    header: { ...head, kid },
    claims,
    signed: Buffer.from(`${header}.${payload}`, 'ascii'),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function objectIn(segment: string): Readonly<Record<string, unknown>> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(segment, 'base64url'))
    const value = foreignJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (cause) {
    throw new GovernanceTokenFault(1, 'governance_token_invalid', 'a segment is not JSON', { cause })
  }
  return refuse(1, 'governance_token_invalid', 'a segment is no object')
}

function isClaims(value: object): value is TokenClaims {
  const claims: Readonly<Record<string, unknown>> = { ...value }
  return (
    TEXTS.every((name) => typeof claims[name] === 'string' && claims[name] !== '') &&
    MAYBE_TEXTS.every((name) => claims[name] === undefined || typeof claims[name] === 'string') &&
    ['iat', 'exp'].every((name) => Number.isFinite(claims[name])) &&
    (claims.nbf === undefined || Number.isFinite(claims.nbf))
  )
}
