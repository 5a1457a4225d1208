import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { ForeignScopes, JwtAlgorithm } from '../../../src/domain/identity/jwt-issuer-settings.ts'
import { type JwtIssuer, jwtVerifier } from '../../../src/security/auth/jwt.ts'
import { readJwks } from '../../../src/security/signing/jwk.ts'
import { type KeySource, registeredKeys } from '../../../src/security/signing/keys.ts'
import { remoteKeys } from '../../../src/security/signing/remote-keys.ts'
import { identity, transport } from './identities.ts'

const now = new Date('2026-04-18T14:00:00Z')
const NOW = now.getTime() / 1000
const ISSUER = 'https://login.example.com'
const AUDIENCE = 'https://ads.example.com/mcp'

const PAIRS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
const jwks = readJwks({
  keys: Object.entries(PAIRS).map(([alg, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: alg,
    alg,
    use: 'sig',
  })),
})!

interface TokenOptions {
  readonly claims?: JWTPayload
  readonly header?: Record<string, unknown>
  readonly alg?: keyof typeof PAIRS
  readonly key?: KeyObject
}

function token({ claims, header, alg = 'EdDSA', key = PAIRS[alg].privateKey }: TokenOptions = {}): Promise<string> {
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'agent-1', iat: NOW, exp: NOW + 300, ...claims })
    .setProtectedHeader({ alg, kid: alg, typ: 'JWT', ...header })
    .sign(key)
}

function setUp(
  keys: KeySource = registeredKeys(ISSUER, jwks),
  scopes: readonly string[] = ['adcp:*'],
  foreignScopes: ForeignScopes = 'inherit',
) {
  const issuer: JwtIssuer = {
    issuer: ISSUER,
    audience: AUDIENCE,
    tenantId: 'acme',
    algorithms: ['EdDSA', 'ES256', 'RS256'] satisfies JwtAlgorithm[],
    maxAgeSeconds: 3600,
    foreignScopes,
    keys,
  }
  const verifier = jwtVerifier({
    challenge: `Bearer realm="${AUDIENCE}"`,
    listIssuers: async () => [issuer],
    findSubject: async (tenantId, _issuer, subject) => (subject === 'agent-1' ? identity('buyer', tenantId, scopes) : undefined),
  })
  return (bearer: string) => verifier.verify(transport({ authorization: `Bearer ${bearer}` }), now)
}

async function reasonOf(bearer: string, verify = setUp()): Promise<string> {
  const verdict = await verify(bearer)
  return verdict.kind === 'refused' ? verdict.reason : verdict.kind
}

describe('jwtVerifier', () => {
  it.each(['EdDSA', 'ES256', 'RS256'] as const)('verifies %s', async (alg) => {
    const verdict = await setUp()(await token({ alg }))
    expect(verdict).toMatchObject({
      kind: 'verified',
      tenant: { tenantId: 'acme' },
      principal: { mechanism: 'jwt', credentialId: 'agent-1' },
    })
  })

  it.each([
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['ES256', PAIRS.RS256],
    ['EdDSA', generateKeyPairSync('x25519')],
    ['EdDSA', generateKeyPairSync('ed448')],
    ['RS256', PAIRS.ES256],
  ] as const)('%s with a key of another kind that names no algorithm is refused', async (alg, { publicKey }) => {
    const keys = readJwks({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: alg }] })!
    expect(await reasonOf(await token({ alg }), setUp(registeredKeys(ISSUER, keys)))).toBe('key is not for this algorithm')
  })

  it.each(['sk_abc_def', 'a.b', 'a.b.c.d', 'a.b.c,d'])('%s is no JWT: left to the opaque keys', async (bearer) => {
    expect(await reasonOf(bearer)).toBe('absent')
  })

  it.each([
    ['another issuer (a platform user)', { claims: { iss: 'https://auth.example.org' } }],
    ['another audience', { claims: { aud: 'https://other.example.com/mcp' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an empty subject', { claims: { sub: '' } }],
    ['an unknown subject', { claims: { sub: 'agent-2' } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['an expiry that is no number', { claims: { exp: String(NOW + 300) as unknown as number } }],
    ['no issue time', { claims: { iat: undefined } }],
    ['an issue time that is no number', { claims: { iat: String(NOW) as unknown as number } }],
    ['expired beyond the skew', { claims: { exp: NOW - 61 } }],
    ['issued in the future', { claims: { iat: NOW + 61 } }],
    ['not yet valid', { claims: { nbf: NOW + 61 } }],
    ['issued too long ago', { claims: { iat: NOW - 3661 } }],
    ['another type', { header: { typ: 'adcp-gov+jws' } }],
    ['a scope that is a list', { claims: { scope: ['adcp:products'] } }],
    ['a scope that is null', { claims: { scope: null } }],
    ['an scp that is an object', { claims: { scp: { 'adcp:products': true } } }],
    ['an scp that lists numbers', { claims: { scp: [1] } }],
    ['a scope that is an object', { claims: { scope: { 'adcp:products': true } } }],
    ['no key id', { header: { kid: undefined } }],
    ['an unknown key id', { header: { kid: 'other' } }],
    ['a key of another algorithm', { header: { kid: 'ES256' } }],
    ['another key', { key: generateKeyPairSync('ed25519').privateKey }],
  ] as [string, TokenOptions][])('%s is refused', async (_name, options) => {
    expect((await setUp()(await token(options))).kind).toBe('refused')
  })

  it.each([
    ['expired within the skew', { exp: NOW - 59 }],
    ['issued within the skew ahead', { iat: NOW + 59 }],
    ['one with an empty scope', { scope: '' }],
    ['one of several audiences', { aud: ['https://x.example', AUDIENCE] }],
  ])('%s is accepted', async (_name, claims) => expect(await reasonOf(await token({ claims }))).toBe('verified'))

  it('a header without a type is accepted', async () => {
    expect(await reasonOf(await token({ header: { typ: undefined } }))).toBe('verified')
  })

  it('alg none is refused', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = part({ iss: ISSUER, aud: AUDIENCE, sub: 'agent-1', iat: NOW, exp: NOW + 300 })
    expect(await reasonOf(`${part({ alg: 'none', typ: 'JWT', kid: 'EdDSA' })}.${claims}.AA`)).toBe('ERR_JOSE_ALG_NOT_ALLOWED')
    expect(await reasonOf(`${part({ alg: 'none', typ: 'JWT', kid: 'EdDSA' })}.${claims}.`)).not.toBe('verified')
  })

  it('an unknown critical header is refused', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = part({ alg: 'EdDSA', typ: 'JWT', kid: 'EdDSA', crit: ['x'], x: 1 })
    const signed = `${header}.${part({ iss: ISSUER, aud: AUDIENCE, sub: 'agent-1', iat: NOW, exp: NOW + 300 })}`
    const signature = sign(null, Buffer.from(signed), PAIRS.EdDSA.privateKey).toString('base64url')
    expect(await reasonOf(`${signed}.${signature}`)).toBe('ERR_JOSE_NOT_SUPPORTED')
  })

  it('HMAC with the public key as its secret is refused', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: 'RS256' })}.${part({ iss: ISSUER, aud: AUDIENCE, sub: 'agent-1', iat: NOW, exp: NOW + 300 })}`
    for (const secret of [PAIRS.RS256.publicKey.export({ type: 'spki', format: 'pem' }), JSON.stringify(jwks[2])]) {
      const mac = createHmac('sha256', secret).update(signed).digest('base64url')
      expect(await reasonOf(`${signed}.${mac}`)).toBe('ERR_JOSE_ALG_NOT_ALLOWED')
    }
  })

  it('a token narrows the scopes of its principal and never widens them', async () => {
    const scopesOf = async (granted: string[], scope?: unknown, foreign?: ForeignScopes, scp?: unknown) => {
      const claims = { ...(scope !== undefined && { scope }), ...(scp !== undefined && { scp }) }
      const verdict = await setUp(undefined, granted, foreign)(await token({ claims }))
      return verdict.kind === 'verified' ? verdict.principal.scopes : verdict
    }
    expect(await scopesOf(['adcp:products', 'adcp:media_buys'], 'openid adcp:products adcp:creatives')).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:products'], 'adcp:*')).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:products'], 'openid')).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:*'], undefined)).toEqual(['adcp:*'])
    // One that names none may nothing.
    expect(await scopesOf(['adcp:*'], '')).toEqual([])
    expect(await scopesOf(['adcp:*'], undefined, 'inherit', [])).toEqual([])
    expect(await scopesOf(['adcp:*'], undefined, 'inherit', ['adcp:products'])).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:*'], undefined, 'inherit', 'openid adcp:products')).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:*'], 'adcp:products adcp:creatives', 'inherit', ['adcp:products'])).toEqual(['adcp:products'])
    expect(await scopesOf(['adcp:*'], 'adcp:products', 'inherit', ['adcp:creatives'])).toEqual([])
    // Of this protocol in a spelling that is not understood: it is not another system's, and may nothing.
    for (const scope of ['https://ads.example/adcp:products', 'ADCP:products', 'api://adcp/products', 'openid adcp.products'])
      expect(await scopesOf(['adcp:*'], scope), scope).toEqual([])
    expect(await scopesOf(['adcp:*'], 'ADCP:products adcp:creatives')).toEqual(['adcp:creatives'])
    // Scopes of other systems alone: as the issuer is set.
    expect(await scopesOf(['adcp:products'], 'openid profile', 'none')).toEqual([])
    expect(await scopesOf(['adcp:products'], undefined, 'none', ['openid'])).toEqual([])
    expect(await scopesOf(['adcp:products'], undefined, 'none')).toEqual(['adcp:products'])
  })

  it('a new key of the issuer is fetched when its first token comes', async () => {
    let published = jwks.filter(({ kid }) => kid !== 'ES256')
    const body = () => Buffer.from(JSON.stringify({ keys: published }))
    const keys = remoteKeys(
      ISSUER,
      async () => `${ISSUER}/jwks`,
      async () => ({ status: 200, body: body() }),
    )
    await keys.find('EdDSA', NOW - 30)
    published = [...jwks]
    expect(await reasonOf(await token({ alg: 'ES256' }), setUp(keys))).toBe('verified')
  })

  it('an issuer whose keys cannot be fetched is unavailable, not wrong', async () => {
    const keys = remoteKeys(
      ISSUER,
      async () => `${ISSUER}/jwks`,
      async () => ({ status: 503, body: Buffer.alloc(0) }),
    )
    await expect(setUp(keys)(await token())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', http: { status: 503 } })
  })
})
