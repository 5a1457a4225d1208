import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign } from 'jose'
import { describe, expect, it } from 'vitest'
import { createIssuerKeys } from '../../../src/features/governance/issuer-keys.ts'
import type { PublishedJwk } from '../../../src/security/signing/jwk.ts'
import { publish } from '../../security/signing/harness.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000
const ISSUER = 'https://governance.example/mcp'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const key = publish(publicKey, 'gov', 'ed25519', 'governance-signing')

function revocations(list: { kids?: string[]; jtis?: string[]; issuer?: string }, signWith: KeyObject = privateKey) {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  const { kids = [], jtis = [], issuer = ISSUER } = list
  const payload = { version: 1, issuer, updated: iso(NOW), next_update: iso(NOW + 900), revoked_kids: kids, revoked_jtis: jtis }
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', kid: 'gov', typ: 'adcp-gov-revocation+jws' })
    .sign(signWith)
}

/** A web of documents; what is not there answers 404. */
async function keysWith(documents: Readonly<Record<string, unknown>>, own: readonly PublishedJwk[] = []) {
  const asked: string[] = []
  const keys = createIssuerKeys({
    async fetchDocument(url) {
      asked.push(url)
      const document = await documents[url]
      const text = typeof document === 'string' ? document : JSON.stringify(document)
      return { status: document === undefined ? 404 : 200, body: Buffer.from(text ?? '') }
    },
    parseJson: (body) => JSON.parse(Buffer.from(body).toString()),
    clock: () => new Date('2030-06-01T00:00:00Z'),
    own: { issuer: 'https://seller.example/mcp', published: async () => own },
  })
  return { keys, asked }
}

const JWKS = 'https://governance.example/.well-known/jwks.json'
const LIST = 'https://governance.example/.well-known/governance-revocations.json'
const BRAND = 'https://brand.example/.well-known/brand.json'

describe('keys of governance agents', () => {
  it('come from the well-known key set at the origin of an agent that the buyer registered', async () => {
    const { keys, asked } = await keysWith({ [JWKS]: { keys: [key] } })
    expect((await keys(undefined).find(ISSUER, 'gov', NOW))?.jwk).toMatchObject({ kid: 'gov' })
    expect(await keys(undefined).find(ISSUER, 'other', NOW)).toBeUndefined()
    expect(asked).toEqual([JWKS])
  })

  it('come from the brand.json of a buyer whose domain is known, from its governance entry alone', async () => {
    const keySet = 'https://keys.governance.example/jwks.json'
    const entry = { type: 'governance', id: 'gov', url: ISSUER, jwks_uri: keySet }
    const listed = await keysWith({ [BRAND]: { agents: [entry] }, [keySet]: { keys: [key] }, [JWKS]: { keys: [] } })
    expect((await listed.keys('brand.example').find(ISSUER, 'gov', NOW))?.jwk.kid).toBe('gov')
    expect(listed.asked).toEqual([BRAND, keySet])
    for (const agents of [[], [{ ...entry, type: 'buying' }], [{ ...entry, url: `${ISSUER}/` }]]) {
      const { keys } = await keysWith({ [BRAND]: { agents }, [keySet]: { keys: [key] }, [JWKS]: { keys: [key] } })
      await expect(keys('brand.example').find(ISSUER, 'gov', NOW)).rejects.toMatchObject({
        code: 'signature_agent_not_in_brand_json',
      })
    }
  })

  it("are at hand for this server's own tokens", async () => {
    const { keys, asked } = await keysWith({}, [key])
    const own = keys('brand.example')
    const found = await own.find('https://seller.example/mcp', 'gov', NOW)
    expect(found?.jwk.kid).toBe('gov')
    expect(found && (await own.status('https://seller.example/mcp', found, 'jti', NOW))).toBe('good')
    expect(asked).toEqual([])
  })
})

describe('revocations of governance agents', () => {
  async function statusWith(list: unknown, jti = 'jti-1') {
    const { keys } = await keysWith({ [JWKS]: { keys: [key] }, [LIST]: list })
    const found = await keys(undefined).find(ISSUER, 'gov', NOW)
    if (!found) throw new Error('no key')
    return keys(undefined).status(ISSUER, found, jti, NOW)
  }

  it('take back a key or one token', async () => {
    expect(await statusWith(revocations({}))).toBe('good')
    expect(await statusWith(revocations({ issuer: 'https://governance.example' }))).toBe('good')
    expect(await statusWith(revocations({ kids: ['gov'] }))).toBe('revoked')
    expect(await statusWith(revocations({ jtis: ['jti-1'] }))).toBe('revoked')
    expect(await statusWith(revocations({ jtis: ['jti-1'] }), 'jti-2')).toBe('good')
  })

  it('nobody can tell without a list, or with one of somebody else', async () => {
    expect(await statusWith(undefined)).toBe('stale')
    expect(await statusWith(revocations({}, generateKeyPairSync('ed25519').privateKey))).toBe('stale')
    expect(await statusWith(revocations({ issuer: 'https://evil.example' }))).toBe('stale')
  })
})
