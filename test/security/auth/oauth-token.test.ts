import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { oauthTokenVerifier } from '../../../src/security/auth/oauth-token.ts'
import { identity, transport } from './identities.ts'

const ISSUER = 'https://ads.example.com'
const ours = generateKeyPairSync('ed25519')
const theirs = generateKeyPairSync('ed25519')
const NOW = new Date('2026-03-01T12:00:00Z')

async function verdictOf({
  audience = `${ISSUER}/mcp`,
  expires = 60,
  key = ours.privateKey,
  hasGrant = true,
}: {
  audience?: string
  expires?: number
  key?: KeyObject
  hasGrant?: boolean
}) {
  const at = NOW.getTime() / 1000
  const token = await new SignJWT({ gid: 'g1', scope: 'adcp:products' })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject('dana')
    .setIssuedAt(at - 3600)
    .setExpirationTime(at + expires)
    .sign(key)
  const keys = [{ ...(await exportJWK(ours.publicKey)), alg: 'EdDSA' }]
  const verifier = oauthTokenVerifier({
    issuer: ISSUER,
    audience: `${ISSUER}/mcp`,
    tenantAddress: (tenantId) => `${ISSUER}/t/${tenantId}/mcp`,
    challenge: 'Bearer',
    keys: () => keys,
    findGrant: async () => (hasGrant ? { principalId: undefined } : undefined),
    findUser: async () => identity('buyer'),
  })
  return verifier.verify(transport({ authorization: `Bearer ${token}` }), NOW)
}

describe('access tokens of our own', () => {
  it('are for the agent, or for the address of the tenant that the user belongs to', async () => {
    expect((await verdictOf({})).kind).toBe('verified')
    expect((await verdictOf({ audience: `${ISSUER}/t/acme/mcp` })).kind).toBe('verified')
    for (const audience of [`${ISSUER}/t/other/mcp`, `${ISSUER}/api`, 'https://else.example/mcp']) {
      expect(await verdictOf({ audience }), audience).toMatchObject({ kind: 'refused', reason: 'audience' })
    }
  })

  it('that are over are no guesses; forged ones are, whatever time they claim', async () => {
    expect(await verdictOf({ expires: -60 })).toMatchObject({ kind: 'refused', isOver: true })
    expect(await verdictOf({ hasGrant: false })).toMatchObject({ kind: 'refused', isOver: true })
    const forged = await verdictOf({ expires: -60, key: theirs.privateKey })
    expect(forged.kind).toBe('refused')
    expect(forged).not.toHaveProperty('isOver')
  })
})
