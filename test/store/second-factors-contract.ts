import { beforeAll, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { findHalfSignIn, insertHalfSignIn, takeHalfSignIn } from '../../src/store/people/half-sign-ins.ts'
import { insertPerson } from '../../src/store/people/people.ts'
import {
  countWrongCode,
  deleteFactors,
  deletePasskey,
  deleteTotp,
  findFactors,
  forgetWrongCodes,
  insertPasskey,
  listFactors,
  replaceRecoveryCodes,
  saveTotp,
  takePasskeyCounter,
  takeRecoveryCode,
  takeTotpStep,
} from '../../src/store/people/person-factors.ts'
import {
  deletePersonSessions,
  findPersonSession,
  insertPersonSession,
  listPersonSessions,
  setSessionFactor,
  sweepPersonSessions,
} from '../../src/store/people/person-sessions.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const after = (ms: number) => new Date(now.getTime() + ms)
/** The largest counter of a passkey (WebAuthn §6.1): 32 bits without a sign. */
const LARGEST = 2 ** 32 - 1

/** What every storage engine must do with the second factors of people, and with their sessions. Run by the SQLite and the PostgreSQL tests alike. */
export function secondFactorsContract(open: () => Store): void {
  const [ann, bob] = ['person-ann', 'person-bob']
  const app = { personId: ann, secret: 'sealed', lastStep: 100 }
  const passkey = (id: string, personId = ann, counter = 0) => ({
    ...{ credentialId: id, personId, name: `Schlüssel ${id}`, publicKey: 'key', counter, transports: ['usb', 'nfc'] },
  })
  const factors = (personId = ann) => findFactors(open().read, personId)

  beforeAll(() =>
    open().transaction(async (tx) => {
      for (const personId of [ann, bob])
        await insertPerson(tx, { personId, username: personId, name: personId, passwordHash: 'x' }, now)
    }),
  )

  it('a time step is used up once, of all that try at once, and none before it counts any more', async () => {
    await open().transaction((tx) => saveTotp(tx, app, now))
    const take = (step: number, secret = app.secret) =>
      open().transaction((tx) => takeTotpStep(tx, { personId: ann, secret }, step, now))
    const tried = await Promise.all(Array.from({ length: 8 }, () => take(101)))
    expect(tried.filter(Boolean)).toHaveLength(1)
    expect([await take(101), await take(100), await take(102, 'of an earlier app'), await take(102)]).toEqual([
      ...[false, false, false, true],
    ])
    expect((await factors()).totp).toEqual({
      ...{ personId: ann, secret: 'sealed', lastStep: 102, wrongCodes: 0 },
      ...{ createdAt: now.toISOString(), usedAt: now.toISOString() },
    })
  })

  it('counts wrong codes until a right one, another factor or another app', async () => {
    const wrong = () => open().transaction((tx) => countWrongCode(tx, ann))
    await Promise.all([wrong(), wrong(), wrong()])
    expect((await factors()).totp?.wrongCodes).toBe(3)
    await open().transaction((tx) => takeTotpStep(tx, app, 200, now))
    expect((await factors()).totp?.wrongCodes).toBe(0)
    await wrong()
    await open().transaction((tx) => forgetWrongCodes(tx, ann))
    expect((await factors()).totp?.wrongCodes).toBe(0)
    await wrong()
    await open().transaction((tx) => saveTotp(tx, { ...app, secret: 'another', lastStep: 5 }, now))
    expect((await factors()).totp).toMatchObject({ secret: 'another', lastStep: 5, wrongCodes: 0, usedAt: undefined })
  })

  it('a credential is one person’s, and its counter goes on from what was read', async () => {
    const add = (id: string, personId = ann, counter = 0) =>
      open().transaction((tx) => insertPasskey(tx, passkey(id, personId, counter), now))
    expect([await add('a'), await add('a'), await add('a', bob), await add('b', bob, LARGEST - 1)]).toEqual([
      ...[true, false, false, true],
    ])
    const use = (id: string, personId: string, before: number, to: number) =>
      open().transaction((tx) => takePasskeyCounter(tx, passkey(id, personId, before), to, now))
    const tried = await Promise.all(Array.from({ length: 8 }, () => use('b', bob, LARGEST - 1, LARGEST)))
    expect(tried.filter(Boolean)).toHaveLength(1)
    expect([await use('a', bob, 0, 1), await use('a', ann, 0, 0)]).toEqual([false, true])
    expect((await factors(bob)).passkeys).toEqual([
      { ...passkey('b', bob, LARGEST), createdAt: now.toISOString(), usedAt: now.toISOString() },
    ])
    expect([...(await listFactors(open().read))].sort()).toEqual([
      [ann, { totp: true, passkeys: 1 }],
      [bob, { totp: false, passkeys: 1 }],
    ])
  })

  it('a recovery code is used up once, and new ones end those from before', async () => {
    const give = (codes: readonly string[]) => open().transaction((tx) => replaceRecoveryCodes(tx, ann, codes))
    const take = (code: string, personId = ann) => open().transaction((tx) => takeRecoveryCode(tx, personId, code))
    await give(['one', 'two', 'three'])
    const tried = await Promise.all(Array.from({ length: 8 }, () => take('one')))
    expect(tried.filter(Boolean)).toHaveLength(1)
    expect([await take('two', bob), (await factors()).recoveryCodes]).toEqual([false, 2])
    await give(['four'])
    expect([await take('three'), await take('four'), (await factors()).recoveryCodes]).toEqual([false, true, 0])
  })

  it('a sign-in waits until it is taken, once, or its time is over', async () => {
    const half = { personId: ann, way: 'provider', challenge: 'asked', expiresAt: after(1000).toISOString() } as const
    await open().transaction((tx) => insertHalfSignIn(tx, 'half', half))
    expect(await findHalfSignIn(open().read, 'half', now)).toEqual(half)
    expect(await findHalfSignIn(open().read, 'half', after(1000))).toBeUndefined()
    const tried = await Promise.all(Array.from({ length: 8 }, () => open().transaction((tx) => takeHalfSignIn(tx, 'half'))))
    expect(tried.filter(Boolean)).toHaveLength(1)
    await open().transaction((tx) => insertHalfSignIn(tx, 'late', half))
    await open().transaction((tx) => sweepPersonSessions(tx, after(1000)))
    expect(await open().transaction((tx) => takeHalfSignIn(tx, 'late'))).toBe(false)
  })

  it('sessions are listed that still count, say how they began, and end but for one, with what waits', async () => {
    const counting = { now, idleSince: after(-60_000) }
    const session = (id: string, more: object = {}) => ({
      ...{ sessionId: id, personId: bob, browser: 'b', address: 'a', way: 'password' as const, factor: undefined },
      ...{ createdAt: now.toISOString(), usedAt: now.toISOString(), expiresAt: after(1000).toISOString(), ...more },
    })
    const all = [
      session('s1'),
      session('idle', { usedAt: after(-60_000).toISOString() }),
      session('over', { expiresAt: now.toISOString() }),
      session('s2', { way: 'provider', createdAt: after(1).toISOString() }),
    ]
    await open().transaction(async (tx) => {
      for (const each of all) await insertPersonSession(tx, `token ${each.sessionId}`, each)
      await setSessionFactor(tx, 's2', 'passkey')
      await insertHalfSignIn(tx, 'waits', {
        personId: bob,
        way: 'password',
        challenge: 'x',
        expiresAt: after(1000).toISOString(),
      })
    })
    const listed = await listPersonSessions(open().read, bob, counting)
    expect(listed.map(({ sessionId, way, factor }) => [sessionId, way, factor])).toEqual([
      ['s2', 'provider', 'passkey'],
      ['s1', 'password', undefined],
    ])
    await open().transaction((tx) => deletePersonSessions(tx, bob, 's1'))
    expect(await findPersonSession(open().read, 'token s2', counting)).toBeUndefined()
    expect(await findPersonSession(open().read, 'token s1', counting)).toMatchObject({ sessionId: 's1' })
    expect(await findHalfSignIn(open().read, 'waits', now)).toBeUndefined()
  })

  it('what is removed is gone, of one person alone', async () => {
    await open().transaction((tx) => replaceRecoveryCodes(tx, bob, ['kept']))
    expect(await open().transaction((tx) => deletePasskey(tx, bob, 'a'))).toBe(false)
    expect(await open().transaction((tx) => deletePasskey(tx, ann, 'a'))).toBe(true)
    expect(await open().transaction((tx) => deleteTotp(tx, bob))).toBe(false)
    await open().transaction((tx) => deleteFactors(tx, ann))
    expect(await factors()).toEqual({ totp: undefined, passkeys: [], recoveryCodes: 0 })
    expect(await factors(bob)).toMatchObject({ passkeys: [{ credentialId: 'b' }], recoveryCodes: 1 })
  })
}
