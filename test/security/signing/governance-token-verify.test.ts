import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SignatureFault } from '../../../src/security/signing/challenge.ts'
import { type GovernanceClaims, payloadHash, signGovernanceToken } from '../../../src/security/signing/governance-token.ts'
import type { GovernedAct } from '../../../src/security/signing/governance-token-binding.ts'
import type { GovernanceTokenFault } from '../../../src/security/signing/governance-token-fault.ts'
import type { TokenClaims } from '../../../src/security/signing/governance-token-parse.ts'
import {
  type IssuerKeys,
  type TokenExpectation,
  verifyGovernanceToken,
} from '../../../src/security/signing/governance-token-verify.ts'
import type { PublishedJwk } from '../../../src/security/signing/jwk.ts'
import { resolvedKey } from '../../../src/security/signing/keys.ts'
import { localSigner } from '../../../src/security/signing/sign.ts'

const NOW = 1_800_000_000
const ISSUER = 'https://governance.example/mcp'
const SELLER = 'https://seller.example/mcp'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const jwk = jwkOf(publicKey, 'gov-1')

function jwkOf(key: KeyObject, kid: string, over: Partial<PublishedJwk> = {}): PublishedJwk {
  const { kty = '', crv, x, y } = key.export({ format: 'jwk' })
  const alg = kty === 'OKP' ? 'EdDSA' : 'ES256'
  return {
    kid,
    kty,
    alg,
    use: 'sig',
    key_ops: ['verify'],
    adcp_use: 'governance-signing',
    ...(crv !== undefined && { crv }),
    ...(x !== undefined && { x }),
    ...(y !== undefined && { y }),
    ...over,
  }
}

const CLAIMS: GovernanceClaims = {
  iss: ISSUER,
  sub: 'plan_1',
  plan_hash: 'oR0jFDEtzcwgPbNf-Ofd_fZHYfAyD1TRbzGOFBVCG-c',
  aud: SELLER,
  iat: NOW - 10,
  exp: NOW + 600,
  jti: 'jti-1',
  phase: 'intent',
  caller: 'https://buyer.example/agent',
  check_id: 'chk_1',
  status: 'approved',
}

const REQUEST = { account: { account_id: 'a' }, packages: [{ budget: 500 }], governance_context: 'x', context: { a: 1 } }
const ACT: GovernedAct = {
  tool: 'create_media_buy',
  needs: 'approval',
  phase: 'purchase',
  resourceId: 'mb_1',
  commitment: { amount: 500, currency: 'USD' },
  request: REQUEST,
  caller: CLAIMS.caller,
  bindsAll: false,
}
const EXPECTED: TokenExpectation = { audience: SELLER, issuers: [ISSUER], subject: 'plan_1', act: ACT }

const keysWith = (key: PublishedJwk = jwk, over: Partial<IssuerKeys> = {}): IssuerKeys => ({
  find: async (issuer, kid) => (issuer === ISSUER && kid === key.kid ? resolvedKey(key, issuer) : undefined),
  status: async () => 'good',
  ...over,
})

const signed = (over: Partial<GovernanceClaims> = {}, key = privateKey, kid = 'gov-1') =>
  signGovernanceToken({ ...CLAIMS, ...over }, localSigner(kid, 'ed25519', key))

/** Signs any header and claims, right or wrong. */
async function crafted(header: object, claims: object = CLAIMS): Promise<string> {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = await localSigner('gov-1', 'ed25519', privateKey).sign(Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}
const HEADER = { alg: 'EdDSA', kid: 'gov-1', typ: 'adcp-gov+jws' }

interface Given {
  readonly token: string | Promise<string>
  readonly expected?: Partial<TokenExpectation>
  readonly act?: Partial<GovernedAct>
  readonly keys?: IssuerKeys
  readonly used?: boolean
}

async function verify({ token, expected = {}, act = {}, keys = keysWith(), used = false }: Given): Promise<TokenClaims> {
  const expectation = { ...EXPECTED, ...expected, act: { ...ACT, ...act } }
  return verifyGovernanceToken(await token, expectation, NOW, { keys, isUsed: async () => used })
}

async function refusal(given: Given): Promise<{ step: number; code: string }> {
  const error: GovernanceTokenFault = await verify(given).then(
    () => {
      throw new Error('the token was accepted')
    },
    (fault) => fault,
  )
  return { step: error.step, code: error.code }
}

describe('verifyGovernanceToken', () => {
  it('accepts what signGovernanceToken signs, in both algorithms', async () => {
    await expect(verify({ token: signed() })).resolves.toMatchObject({ jti: 'jti-1', sub: 'plan_1' })
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = signGovernanceToken(CLAIMS, localSigner('gov-2', 'ecdsa-p256-sha256', pair.privateKey))
    await expect(verify({ token, keys: keysWith(jwkOf(pair.publicKey, 'gov-2')) })).resolves.toMatchObject({ jti: 'jti-1' })
  })

  it('accepts every binding that holds', async () => {
    const token = signed({
      authorized_task: 'create_media_buy',
      authorized_commitment: { amount: 500, currency: 'USD' },
      authorized_payload_hash: payloadHash(REQUEST),
    })
    await expect(verify({ token })).resolves.toMatchObject({ authorized_task: 'create_media_buy' })
  })

  it('takes the plan from the token where the request names none', async () => {
    await expect(verify({ token: signed({ sub: 'plan_9' }), expected: { subject: undefined } })).resolves.toMatchObject({
      sub: 'plan_9',
    })
  })

  it.each([
    ['opaque text', 'gov-ctx-123'],
    ['two segments', 'a.b'],
    ['padding', 'e30=.e30=.AA=='],
    ['no JSON', 'AAAA.e30.AA'],
    ['an array', `${Buffer.from('[]').toString('base64url')}.e30.AA`],
    ['too long', 'a'.repeat(4097)],
  ])('1: refuses %s', async (_what, token) => {
    expect(await refusal({ token })).toEqual({ step: 1, code: 'governance_token_invalid' })
  })

  it.each(['iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'phase', 'caller', 'check_id'])(
    '1: refuses a token without %s',
    async (name) => {
      const { [name as keyof GovernanceClaims]: _left, ...claims } = CLAIMS
      expect(await refusal({ token: crafted(HEADER, claims) })).toEqual({ step: 1, code: 'governance_token_invalid' })
    },
  )

  it.each(['none', 'HS256', 'RS256', undefined])('2: refuses alg %s', async (alg) => {
    expect(await refusal({ token: crafted({ ...HEADER, alg }) })).toEqual({ step: 2, code: 'governance_token_invalid' })
  })

  it.each(['JWT', 'adcp-gov-revocation+jws', 'application/adcp-gov+jws', undefined])('3: refuses typ %s', async (typ) => {
    expect(await refusal({ token: crafted({ ...HEADER, typ }) })).toEqual({ step: 3, code: 'governance_token_invalid' })
  })

  const task = { ...CLAIMS, authorized_task: 'create_media_buy' }
  it.each([
    ['an unknown critical extension', { ...HEADER, crit: ['b64'], b64: true }, CLAIMS],
    ['an empty crit', { ...HEADER, crit: [] }, CLAIMS],
    ['a crit that is no list', { ...HEADER, crit: 'authorized_task' }, task],
    ['a name twice', { ...HEADER, crit: ['authorized_task', 'authorized_task'], authorized_task: true }, task],
    ['a marker that is not true', { ...HEADER, crit: ['authorized_task'], authorized_task: 'create_media_buy' }, task],
    ['a critical claim that is missing', { ...HEADER, crit: ['authorized_task'], authorized_task: true }, CLAIMS],
    ['a binding that is not critical', HEADER, task],
  ])('4: refuses %s', async (_what, header, claims) => {
    expect(await refusal({ token: crafted(header, claims) })).toEqual({ step: 4, code: 'governance_token_invalid' })
  })

  it('5: refuses a key that the issuer does not have, or whose key set cannot be trusted or had', async () => {
    const token = signed()
    const failing = (code: 'signature_jwks_untrusted' | 'signature_jwks_unavailable') =>
      keysWith(jwk, {
        find: async () => {
          throw new SignatureFault(code, 'x')
        },
      })
    expect(await refusal({ token: signed({}, privateKey, 'other') })).toEqual({ step: 5, code: 'governance_key_unknown' })
    expect(await refusal({ token, keys: failing('signature_jwks_untrusted') })).toEqual({
      step: 5,
      code: 'governance_jwks_untrusted',
    })
    expect(await refusal({ token, keys: failing('signature_jwks_unavailable') })).toEqual({
      step: 5,
      code: 'governance_jwks_unavailable',
    })
  })

  it.each([
    ['adcp_use', { adcp_use: 'request-signing' }],
    ['use', { use: 'enc' }],
    ['key_ops', { key_ops: ['sign'] }],
    ['alg', { alg: 'ES256' }],
  ])('6: refuses a key of another %s', async (_what, over) => {
    expect(await refusal({ token: signed(), keys: keysWith({ ...jwk, ...over }) })).toEqual({
      step: 6,
      code: 'governance_key_unknown',
    })
  })

  it('7: refuses claims that were changed and a signature of another key', async () => {
    const [header, , signature] = (await signed()).split('.')
    const claims = Buffer.from(JSON.stringify({ ...CLAIMS, sub: 'plan_1', exp: NOW + 900 })).toString('base64url')
    expect(await refusal({ token: `${header}.${claims}.${signature}` })).toEqual({ step: 7, code: 'governance_token_invalid' })
    const other = generateKeyPairSync('ed25519')
    expect(await refusal({ token: signed({}, other.privateKey) })).toEqual({ step: 7, code: 'governance_token_invalid' })
  })

  it.each(['https://other.example/mcp', `${SELLER}/`, 'https://SELLER.example/mcp'])(
    '8: refuses the audience %s',
    async (aud) => {
      expect(await refusal({ token: signed({ aud }) })).toEqual({ step: 8, code: 'governance_token_not_applicable' })
    },
  )

  it.each([
    ['expired', { exp: NOW - 60, iat: NOW - 600 }, 'governance_token_expired'],
    ['issued ahead', { iat: NOW + 61 }, 'governance_token_not_yet_valid'],
    ['valid later', { nbf: NOW + 61 }, 'governance_token_not_yet_valid'],
    ['without a life', { iat: NOW - 10, exp: NOW - 10 }, 'governance_token_invalid'],
    ['longer than 30 days', { exp: NOW + 31 * 86_400 }, 'governance_token_invalid'],
  ])('9: refuses a token that is %s', async (_what, over, code) => {
    expect(await refusal({ token: signed(over) })).toEqual({ step: 9, code })
  })

  it('9: allows a minute of skew', async () => {
    await expect(verify({ token: signed({ exp: NOW - 59, iat: NOW - 600 }) })).resolves.toBeDefined()
    await expect(verify({ token: signed({ iat: NOW + 60 }) })).resolves.toBeDefined()
  })

  it('10: refuses another plan', async () => {
    expect(await refusal({ token: signed({ sub: 'plan_2' }) })).toEqual({ step: 10, code: 'governance_token_not_applicable' })
  })

  it('11: refuses another phase, and a token that approves nothing', async () => {
    const applicable = { step: 11, code: 'governance_token_not_applicable' }
    expect(await refusal({ token: signed({ phase: 'delivery' }) })).toEqual(applicable)
    expect(await refusal({ token: signed({ phase: 'modification', media_buy_id: 'mb_1' }) })).toEqual(applicable)
    expect(await refusal({ token: signed({ phase: 'purchase' }), act: { phase: 'modification' } })).toEqual(applicable)
    expect(await refusal({ token: signed({ status: 'conditions' }) })).toEqual(applicable)
    await expect(verify({ token: signed({ status: 'conditions' }), act: { needs: 'handle' } })).resolves.toBeDefined()
  })

  it.each([
    ['another media buy', { media_buy_id: 'mb_2' }, {}],
    ['a modification of no media buy', { phase: 'modification' }, { phase: 'modification' }],
    ['another task', { authorized_task: 'activate_signal' }, {}],
    ['a smaller amount', { authorized_commitment: { amount: 499.99, currency: 'USD' } }, {}],
    ['another currency', { authorized_commitment: { amount: 500, currency: 'EUR' } }, {}],
    [
      'an amount, where nobody knows what is committed',
      { authorized_commitment: { amount: 500, currency: 'USD' } },
      { commitment: { amount: undefined, currency: undefined } },
    ],
    ['other arguments', { authorized_payload_hash: payloadHash({ ...REQUEST, packages: [] }) }, {}],
  ] as const)('12: refuses a token for %s', async (_what, over, act) => {
    expect(await refusal({ token: signed(over), act })).toEqual({ step: 12, code: 'governance_token_not_applicable' })
  })

  it('12: refuses a token that another caller asked for, whatever the form of its URL', async () => {
    const applicable = { step: 12, code: 'governance_token_not_applicable' }
    expect(await refusal({ token: signed({ caller: 'https://other.example/agent' }) })).toEqual(applicable)
    expect(await refusal({ token: signed({ caller: SELLER }) })).toEqual(applicable)
    expect(await refusal({ token: signed({ caller: 'other' }) })).toEqual(applicable)
    const purchase = { phase: 'purchase', caller: SELLER } as const
    await expect(verify({ token: signed(purchase) })).resolves.toBeDefined()
    await expect(verify({ token: signed({ caller: 'https://BUYER.example:443/agent' }) })).resolves.toBeDefined()
    await expect(verify({ token: signed({ caller: 'https://x.example' }), act: { caller: undefined } })).resolves.toBeDefined()
  })

  it.each([
    ['authorized_task', 'governance_token_invalid'],
    ['authorized_payload_hash', 'governance_token_invalid'],
    ['authorized_commitment', 'governance_token_not_applicable'],
  ] as const)('12: refuses an intent of 3.2 without %s', async (name, code) => {
    const bound = {
      authorized_task: 'create_media_buy',
      authorized_commitment: { amount: 500, currency: 'USD' },
      authorized_payload_hash: payloadHash(REQUEST),
    }
    await expect(verify({ token: signed(bound), act: { bindsAll: true } })).resolves.toBeDefined()
    const { [name]: _left, ...rest } = bound
    expect(await refusal({ token: signed(rest), act: { bindsAll: true } })).toEqual({ step: 12, code })
  })

  it('12: takes an intent of 3.2 without an amount where no money is committed', async () => {
    const bound = { authorized_task: 'create_media_buy', authorized_payload_hash: payloadHash(REQUEST) }
    const commitment = { amount: undefined, currency: undefined }
    await expect(verify({ token: signed(bound), act: { bindsAll: true, commitment } })).resolves.toBeDefined()
  })

  it('13: refuses an issuer that the buyer has not named, and asks nobody for its keys', async () => {
    let asked = 0
    const keys = keysWith(jwk, {
      find: async () => {
        asked++
        return resolvedKey(jwk, ISSUER)
      },
    })
    const stranger = signed({ iss: 'https://evil.example/mcp' })
    expect(await refusal({ token: stranger, keys })).toEqual({ step: 13, code: 'governance_issuer_not_authorized' })
    expect(await refusal({ token: signed(), keys, expected: { issuers: [`${ISSUER}/`] } })).toMatchObject({ step: 13 })
    expect(asked).toBe(0)
  })

  it('14: refuses what its issuer has revoked, and what nobody can tell of', async () => {
    const asked: unknown[] = []
    const status = (answer: 'revoked' | 'stale') =>
      keysWith(jwk, {
        status: async (issuer, key, jti) => {
          asked.push([issuer, key.jwk.kid, jti])
          return answer
        },
      })
    expect(await refusal({ token: signed(), keys: status('revoked') })).toEqual({ step: 14, code: 'governance_token_revoked' })
    expect(await refusal({ token: signed(), keys: status('stale') })).toEqual({ step: 14, code: 'governance_revocation_stale' })
    expect(asked).toEqual([
      [ISSUER, 'gov-1', 'jti-1'],
      [ISSUER, 'gov-1', 'jti-1'],
    ])
  })

  it('15: refuses a token that was used', async () => {
    expect(await refusal({ token: signed(), used: true })).toEqual({ step: 15, code: 'governance_token_replayed' })
  })
})
