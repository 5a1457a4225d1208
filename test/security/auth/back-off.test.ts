import { describe, expect, it } from 'vitest'
import { type FailureMemory, processFailureMemory } from '../../../src/domain/identity/failure-memory.ts'
import type { AdcpError } from '../../../src/protocol/errors.ts'
import { withBackOff } from '../../../src/security/auth/back-off.ts'
import { exemptFromLimits } from '../../../src/security/auth/call-limits.ts'
import { createGuessGuard } from '../../../src/security/auth/guess-guard.ts'
import type { TransportCredentials } from '../../../src/security/auth/transport-credentials.ts'
import type { Verdict } from '../../../src/security/auth/verifier.ts'

const KEY = `sk_${'a'.repeat(12)}_right`
const OTHER_KEY = `sk_${'b'.repeat(12)}_right`
const START = Date.parse('2026-01-01T00:00:00Z')
const ATTACKER = '198.51.100.7'
const HOME = '203.0.113.9'

const VERIFIED: Verdict = { kind: 'verified', principal: {} as never, tenant: {} as never }
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

/** A verifier that knows keys ending in `_right`, behind the back-off, and a clock. */
function guarded(
  options: {
    perAddress?: number
    perCredential?: number
    mode?: 'production' | 'development'
    memory?: FailureMemory
    /** What a verification takes. */
    work?: () => Promise<unknown>
  } = {},
) {
  let asked = 0
  let seconds = 0
  const verdict = ({ authorization }: TransportCredentials): Verdict => {
    asked++
    if (authorization === undefined) return { kind: 'absent' }
    if (authorization.endsWith('_over')) return { kind: 'refused', reason: 'over', challenge: 'Bearer', isOver: true }
    if (authorization.startsWith('Basic ') && authorization === basic('ann:right')) return VERIFIED
    if (!authorization.endsWith('_right')) return { kind: 'refused', reason: 'unknown', challenge: 'Bearer' }
    return VERIFIED
  }
  const verifier = withBackOff(
    {
      name: 'test',
      async verify(credentials) {
        await options.work?.()
        return verdict(credentials)
      },
    },
    {
      guard: createGuessGuard(options.memory ?? processFailureMemory()),
      terms: { failuresPerAddress: options.perAddress ?? 3, failuresPerCredential: options.perCredential ?? 100 },
      isExempt: exemptFromLimits({ mode: options.mode ?? 'production' }),
    },
  )
  const send = async (address: string, token: string | undefined): Promise<string> => {
    const authorization = token === undefined || token.startsWith('Basic ') ? token : `Bearer ${token}`
    const credentials = {
      authorization,
      rawHeaders: authorization === undefined ? [] : ['Authorization', authorization],
      method: 'POST',
      target: '/mcp',
      body: undefined,
      remoteAddress: address,
    }
    try {
      return (await verifier.verify(credentials, new Date(START + seconds * 1000))).kind
    } catch (error) {
      return `wait ${(error as AdcpError).retryAfter}`
    }
  }
  const wait = (by: number): void => {
    seconds += by
  }
  return { send, wait, asked: () => asked }
}

const wrong = (n: number) => `sk_${String(n).padStart(12, '0')}_wrong`

describe('back-off after refused credentials', () => {
  it('makes an address wait longer with each failure beyond the free ones, whatever it sends', async () => {
    const { send, wait, asked } = guarded()
    for (let n = 0; n < 4; n++) expect(await send(ATTACKER, wrong(n))).toBe('refused')
    expect(await send(ATTACKER, wrong(5))).toBe('wait 1')
    expect(await send(ATTACKER, KEY)).toBe('wait 1')
    expect(asked()).toBe(4)
    for (const seconds of [2, 4, 8]) {
      wait(seconds / 2)
      expect(await send(ATTACKER, wrong(6))).toBe('refused')
      expect(await send(ATTACKER, wrong(7))).toBe(`wait ${seconds}`)
    }
    wait(8)
    expect(await send(ATTACKER, KEY)).toBe('verified')
  })

  it('does not count credentials that are over as guesses', async () => {
    const { send } = guarded()
    for (let n = 0; n < 20; n++) expect(await send(HOME, 'a.token_over')).toBe('refused')
    expect(await send(HOME, KEY)).toBe('verified')
  })

  it('never waits longer than a quarter of an hour, and then forgets', async () => {
    const { send, wait } = guarded()
    for (let n = 0; n < 20; n++) {
      await send(ATTACKER, wrong(n))
      wait(900)
    }
    expect(await send(ATTACKER, wrong(1))).toBe('refused')
    expect(await send(ATTACKER, wrong(2))).toBe('refused')
  })

  it('counts IPv6 by its /64 and other addresses apart', async () => {
    const { send } = guarded()
    for (let n = 0; n < 4; n++) await send(`2001:db8:1:1::${n}`, wrong(n))
    expect(await send('2001:db8:1:1:ffff::1', KEY)).toBe('wait 1')
    expect(await send('2001:db8:1:2::1', KEY)).toBe('verified')
  })

  it('makes a user name wait where its password is guessed, and nowhere else', async () => {
    const { send } = guarded({ perAddress: 100, perCredential: 3 })
    for (let n = 0; n < 4; n++) expect(await send(ATTACKER, basic('ann:guess'))).toBe('refused')
    expect(await send(ATTACKER, basic('ann:right'))).toBe('wait 1')
    expect(await send(ATTACKER, basic('bob:guess')), 'another name').toBe('refused')
    expect(await send(ATTACKER, OTHER_KEY)).toBe('verified')
    expect(await send(HOME, basic('ann:right')), 'at home').toBe('verified')
  })

  it('never locks a name out everywhere: guessed from many addresses, each of them waits half a minute after one guess', async () => {
    const { send, wait } = guarded({ perAddress: 100, perCredential: 3 })
    for (let n = 0; n < 400; n++) await send(`198.51.${n >> 8}.${n & 255}`, basic('ann:guess'))
    expect(await send(ATTACKER, basic('ann:guess'))).toBe('refused')
    expect(await send(ATTACKER, basic('ann:guess'))).toBe('wait 32')
    expect(await send(ATTACKER, basic('bob:guess')), 'another name is free').toBe('refused')
    expect(await send(HOME, basic('ann:right')), 'the right password from elsewhere').toBe('verified')
    expect(await send('192.0.2.9', basic('ann:typo'))).toBe('refused')
    wait(32)
    expect(await send('192.0.2.9', basic('ann:right'))).toBe('verified')
  })

  it.each([
    ['passwords of one name', { perAddress: 100, perCredential: 10 }, () => basic('ann:guess'), 11],
    ['passwords of many names', { perAddress: 10, perCredential: 100 }, (n: number) => basic(`user${n}:guess`), 11],
    ['keys', { perAddress: 10 }, wrong, 11],
  ])('of 60 guesses at once, no more are judged than one after the other: %s', async (_what, terms, guess, judged) => {
    const { send, asked } = guarded({ ...terms, work: () => new Promise((resolve) => setTimeout(resolve, 2)) })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => send(ATTACKER, guess(n))))
    expect([asked(), answers.filter((answer) => answer === 'refused').length]).toEqual([judged, judged])
    expect(new Set(answers)).toEqual(new Set(['refused', 'wait 1']))
  })

  it.each([
    ['a password', basic('ann:right')],
    ['a key', KEY],
    ['tokens that have no name', 'a.token_right'],
  ])('of 60 right calls at once none waits: %s', async (_what, credential) => {
    const { send, asked } = guarded({ perAddress: 10, perCredential: 3, work: () => new Promise((r) => setTimeout(r, 2)) })
    const answers = await Promise.all(Array.from({ length: 60 }, () => send(HOME, credential)))
    expect([asked(), new Set(answers)]).toEqual([60, new Set(['verified'])])
    for (let n = 0; n < 10; n++) expect(await send(HOME, wrong(n)), 'nothing is left over of them').toBe('refused')
    expect(await send(HOME, credential)).toBe('verified')
  })

  it('takes back what it counted when a credential could not be judged', async () => {
    let fails = true
    const { send } = guarded({ perCredential: 1, work: async () => fails && Promise.reject(new Error('the store is away')) })
    for (let n = 0; n < 9; n++) expect(await send(HOME, basic('ann:right'))).toMatch(/^wait undefined/)
    fails = false
    expect(await send(HOME, basic('ann:right'))).toBe('verified')
  })

  it('guesses at the password of one who was let in here before end that trust with the first', async () => {
    const { send, asked } = guarded({ perAddress: 100, perCredential: 3, work: () => new Promise((r) => setTimeout(r, 1)) })
    expect(await send(HOME, basic('ann:right'))).toBe('verified')
    await Promise.all(Array.from({ length: 60 }, (_, n) => send(HOME, basic(`ann:guess${n}`))))
    expect(asked() - 1).toBeLessThanOrEqual(4)
  })

  it('never makes the holder of a key wait for guesses with its public prefix from other addresses', async () => {
    const { send } = guarded({ perAddress: 3, perCredential: 3 })
    for (let n = 0; n < 40; n++) await send(`198.51.100.${n}`, `sk_${'a'.repeat(12)}_wrong${n}`)
    expect(await send(HOME, KEY)).toBe('verified')
    expect(await send('192.0.2.1', KEY), 'from a new address').toBe('verified')
  })

  it('nor for a neighbour behind its own address who knows the prefix', async () => {
    const { send } = guarded()
    expect(await send(HOME, KEY)).toBe('verified')
    for (let n = 0; n < 9; n++) await send(HOME, `sk_${'a'.repeat(12)}_wrong${n}`)
    expect(await send(HOME, OTHER_KEY)).toMatch(/^wait/)
    expect(await send(HOME, KEY)).toBe('verified')
  })

  it('does not lock out an owner who was let in from this address before', async () => {
    const { send } = guarded({ perCredential: 3 })
    expect(await send(HOME, KEY)).toBe('verified')
    for (let n = 0; n < 4; n++) await send(ATTACKER, `sk_${'a'.repeat(12)}_wrong`)
    for (let n = 0; n < 4; n++) await send(HOME, wrong(n))
    expect(await send(ATTACKER, KEY)).toMatch(/^wait/)
    expect(await send(HOME, OTHER_KEY)).toMatch(/^wait/)
    expect(await send(HOME, KEY)).toBe('verified')
  })

  it('lets callers without credentials pass, and loopback while developing', async () => {
    const { send } = guarded()
    for (let n = 0; n < 5; n++) await send(ATTACKER, wrong(n))
    expect(await send(ATTACKER, undefined)).toBe('absent')
    const development = guarded({ mode: 'development' })
    for (let n = 0; n < 9; n++) expect(await development.send('127.0.0.1', wrong(n))).toBe('refused')
    for (let n = 0; n < 4; n++) await development.send(ATTACKER, wrong(n))
    expect(await development.send(ATTACKER, wrong(9))).toBe('wait 1')
  })
})
