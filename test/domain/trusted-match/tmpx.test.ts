import { expect, it } from 'vitest'
import { decodeTmpx, encodeTmpx, tmpxIdentities } from '../../../src/domain/trusted-match/identity/tmpx-plaintext.ts'
import { createTmpxSeal } from '../../../src/security/secrets/tmpx-seal.ts'

const HEADER = { createdAt: 1_800_000_000, country: 'DE', nonce: '0123456789abcdef' }
const bytes = (size: number, fill: number) => Buffer.alloc(size, fill)

it('has the layout of the specification', () => {
  const identities = [
    { uidType: 'uid2', bytes: bytes(32, 0xaa) },
    { uidType: 'maid', bytes: bytes(16, 0xbb) },
  ]
  const plaintext = encodeTmpx({ ...HEADER, identities })
  expect(plaintext.toString('hex')).toBe(
    `01${(1_800_000_000).toString(16)}${Buffer.from('DE').toString('hex')}0123456789abcdef02` +
      `01${'aa'.repeat(32)}06${'bb'.repeat(16)}`,
  )
  expect(decodeTmpx(plaintext)).toEqual({ ...HEADER, identities })
})

it('treats what comes after an unknown type as absent, and refuses a cut text and another version', () => {
  const plaintext = encodeTmpx({
    ...HEADER,
    identities: ['uid2', 'id5'].map((uidType) => ({ uidType, bytes: bytes(32, 1) })),
  })
  const unknown = Buffer.from(plaintext)
  unknown[16 + 33] = 200
  expect(decodeTmpx(unknown)?.identities).toEqual([{ uidType: 'uid2', bytes: bytes(32, 1) }])
  expect(decodeTmpx(plaintext.subarray(0, -1))).toBeUndefined()
  expect(decodeTmpx(Buffer.from([2, ...plaintext.subarray(1)]))).toBeUndefined()
})

it('carries opaque ids of providers before what identifies a person elsewhere, as many as fit into 255 characters', async () => {
  const types = ['other', 'hashed_email', 'world_id_nullifier', 'maid', 'id5', 'rampid_derived', 'uid2']
  const found = tmpxIdentities(types.map((uid_type) => ({ uid_type, user_token: 'x' })))
  expect(found.map(({ uidType }) => uidType)).toEqual(['uid2', 'rampid_derived', 'id5', 'maid', 'hashed_email'])
  const plaintext = encodeTmpx({ ...HEADER, identities: found })
  expect(decodeTmpx(plaintext)?.identities.map(({ uidType }) => uidType)).toEqual(['uid2', 'rampid_derived', 'id5'])
  const seal = await createTmpxSeal('kid45678', bytes(32, 7))
  const token = await seal.seal(plaintext)
  expect(token.length).toBeLessThanOrEqual(255)
  expect(token).toMatch(/^kid45678\.[A-Za-z0-9_-]+$/)
})

it('takes the bytes that a token is the text of', () => {
  const one = (user_token: string, uid_type: string) => tmpxIdentities([{ user_token, uid_type }])[0]?.bytes.toString('hex')
  expect(one('ab'.repeat(32), 'uid2')).toBe('ab'.repeat(32))
  expect(one(bytes(48, 0xcd).toString('base64'), 'rampid_derived')).toBe('cd'.repeat(48))
  expect(one('3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'maid')).toBe('3f2504e04f8941d39a0c0305e82c3301')
  expect(one('anything', 'rampid_derived')).toHaveLength(96)
})
