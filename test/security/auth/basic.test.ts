import { beforeAll, describe, expect, it } from 'vitest'
import { processFailureMemory } from '../../../src/domain/identity/failure-memory.ts'
import { basicVerifier } from '../../../src/security/auth/basic.ts'
import { createGuessGuard } from '../../../src/security/auth/guess-guard.ts'
import { hashPassword, passwordMatches } from '../../../src/security/auth/password.ts'
import { basicHeader as basic, identity, transport } from './identities.ts'

const CHEAP = { N: 1024, r: 8, p: 1 }
const now = new Date('2026-04-18T14:00:00Z')

const users = new Map<string, string>()
let dummyHash = ''
beforeAll(async () => {
  users.set('ann', await hashPassword('pässword:with colon', CHEAP))
  dummyHash = await hashPassword('nobody', CHEAP)
})

function setUp() {
  const lookups: string[] = []
  const hashes: string[] = []
  const verifier = basicVerifier({
    realm: 'https://ads.example.com/mcp',
    dummyHash,
    hash: createGuessGuard(processFailureMemory()).hash,
    matches: (password, stored) => {
      hashes.push(stored)
      return passwordMatches(password, stored)
    },
    findUser: async (username) => {
      lookups.push(username)
      const passwordHash = users.get(username)
      return passwordHash === undefined ? undefined : { username, passwordHash, ...identity('buyer') }
    },
  })
  return { lookups, hashes, verify: (authorization: string, at = now) => verifier.verify(transport({ authorization }), at) }
}

describe('basicVerifier', () => {
  it('verifies a user and password; the password may hold colons', async () => {
    const verdict = await setUp().verify(basic('ann:pässword:with colon'))
    expect(verdict).toMatchObject({
      kind: 'verified',
      principal: { principalId: 'buyer', mechanism: 'basic', credentialId: 'ann' },
    })
  })

  it('composed and decomposed characters are one password (RFC 7617 §2.1, NFC)', async () => {
    expect((await setUp().verify(basic('ann:pa\u0308ssword:with colon'))).kind).toBe('verified')
  })

  it.each([
    ['a wrong password', () => basic('ann:wrong')],
    ['an unknown user', () => basic('bob:pässword:with colon')],
    ['an empty password', () => basic('ann:')],
    ['no colon', () => basic('ann')],
    ['no user', () => basic(':pässword')],
    ['no pair', () => 'Basic'],
    ['no base64', () => 'Basic ann:password'],
    ['bytes that are no text', () => basic(Buffer.from([0x61, 0x3a, 0xff]))],
    ['a control character', () => basic('ann:pass\u0000word')],
  ])('%s is refused with a Basic challenge', async (_name, header) => {
    expect(await setUp().verify(header())).toMatchObject({
      kind: 'refused',
      challenge: 'Basic realm="https://ads.example.com/mcp", charset="UTF-8"',
    })
  })

  it.each(['Bearer abc', 'Basically x'])('%s is not Basic', async (header) => {
    expect(await setUp().verify(header)).toEqual({ kind: 'absent' })
  })

  it('a remembered success still looks the user up, and ends with the password', async () => {
    const { lookups, verify } = setUp()
    const before = users.get('ann')!
    expect((await verify(basic('ann:pässword:with colon'))).kind).toBe('verified')
    expect((await verify(basic('ann:pässword:with colon'))).kind).toBe('verified')
    expect(lookups).toEqual(['ann', 'ann'])
    users.set('ann', await hashPassword('new', CHEAP))
    expect((await verify(basic('ann:pässword:with colon'))).kind).toBe('refused')
    users.delete('ann')
    expect((await verify(basic('ann:new'))).kind).toBe('refused')
    users.set('ann', before)
  })

  it('a remembered success needs no slow hash, for five minutes', async () => {
    const { hashes, verify } = setUp()
    const counts = []
    for (const ms of [0, 1000, 299_999, 300_000]) {
      expect((await verify(basic('ann:pässword:with colon'), new Date(now.getTime() + ms))).kind).toBe('verified')
      counts.push(hashes.length)
    }
    expect(counts).toEqual([1, 1, 1, 2])
  })

  it('an unknown user costs one slow hash like a known one, and a failure is never remembered', async () => {
    const { hashes, verify } = setUp()
    for (const pair of ['ann:wrong', 'ann:wrong', 'nobody:wrong', 'nobody:wrong']) await verify(basic(pair))
    expect(hashes).toEqual([users.get('ann'), users.get('ann'), dummyHash, dummyHash])
  })

  it('refuses to queue without bound', async () => {
    const { verify } = setUp()
    const outcomes = await Promise.allSettled(Array.from({ length: 90 }, (_, i) => verify(basic(`ann:guess ${i}`))))
    const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
    // A third hash at a time is kept for names that were let in from their address before.
    expect(rejected).toHaveLength(90 - 2 - 64)
    expect(rejected[0]?.reason).toMatchObject({ code: 'RATE_LIMITED', http: { status: 429 } })
    expect((await verify(basic('ann:pässword:with colon'))).kind).toBe('verified')
  })
})

describe('passwords', () => {
  it('are salted: two hashes of one password differ, and both match', async () => {
    const [one, two] = [await hashPassword('x', CHEAP), await hashPassword('x', CHEAP)]
    expect(one).not.toBe(two)
    expect(await passwordMatches('x', one)).toBe(true)
    expect(await passwordMatches('x', two)).toBe(true)
    expect(await passwordMatches('y', two)).toBe(false)
    expect(await hashPassword('x')).toMatch(/^scrypt\$16384\$8\$5\$/)
    await expect(passwordMatches('x', 'plain')).rejects.toThrow('unreadable')
  })
})
