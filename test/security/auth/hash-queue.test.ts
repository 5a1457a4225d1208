import { describe, expect, it } from 'vitest'
import { processFailureMemory } from '../../../src/domain/identity/failure-memory.ts'
import { createGuessGuard } from '../../../src/security/auth/guess-guard.ts'

const terms = { failuresPerAddress: 1_000, failuresPerCredential: 1_000 }
const NOW = new Date('2026-03-01T12:00:00Z')
const isRight = (given: boolean) => (given ? 'right' : 'wrong') as 'right' | 'wrong'

/** A guard whose hashes end when they are told to; says which began, in order. */
function guarded() {
  const guard = createGuessGuard(processFailureMemory())
  const begun: string[] = []
  const ends: (() => void)[] = []
  const attempt = (address: string, name: string, right: boolean) => {
    const whose = { address, realm: 'console ', name }
    const hash = () =>
      guard.hash(whose, async () => {
        begun.push(`${name}@${address}`)
        await new Promise<void>((end) => ends.push(end))
        return right
      })
    return guard.judge({ ...whose, terms }, NOW, hash, isRight).then(
      () => 'judged',
      ({ code }) => code,
    )
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5))
  const endOne = async () => {
    ends.shift()?.()
    await settle()
  }
  return { attempt, begun, endOne, settle }
}

describe('guesses from many addresses', () => {
  it('leave a hash free for who was let in before, and 429 is for the guesses', async () => {
    const { attempt, begun, endOne, settle } = guarded()
    const first = attempt('203.0.113.9', 'ann', true)
    await settle()
    await endOne()
    expect(await first).toBe('judged')
    const guesses = Array.from({ length: 200 }, (_, n) => attempt(`198.51.100.${n % 20}`, `name${n}`, false))
    await settle()
    const again = attempt('203.0.113.9', 'ann', true)
    await settle()
    expect(begun).toHaveLength(4)
    expect(begun.at(-1)).toBe('ann@203.0.113.9')
    for (let n = 0; n < 80; n++) await endOne()
    expect(await again).toBe('judged')
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(200 - 2 - 64)
  })

  it('from as many addresses as may wait keep out no newcomer, once they come again', async () => {
    const { attempt, begun, endOne, settle } = guarded()
    const addresses = Array.from({ length: 90 }, (_, n) => `198.51.${n}.1`)
    const first = addresses.map((address) => attempt(address, 'ann', false))
    await settle()
    // Nobody has had a hash yet: who came first waits, and is not driven out by who comes later.
    expect(await attempt('203.0.113.8', 'early', true)).toBe('RATE_LIMITED')
    for (let n = 0; n < 10; n++) await endOne()
    const again = addresses.slice(0, 10).map((address) => attempt(address, 'ann', false))
    await settle()
    const newcomer = attempt('203.0.113.9', 'new', true)
    await settle()
    for (let n = 0; n < 66; n++) await endOne()
    expect(begun).toContain('new@203.0.113.9')
    expect(await newcomer).toBe('judged')
    // The one that made room had failed before.
    expect((await Promise.all(again)).filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(1)
    expect((await Promise.all(first)).filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(90 - 66)
  })

  it('let an address that comes late have its turn after one hash of each other', async () => {
    const { attempt, begun, endOne, settle } = guarded()
    const guesses = Array.from({ length: 200 }, (_, n) => attempt(`198.51.100.${n % 5}`, `name${n}`, false))
    await settle()
    const newcomer = attempt('203.0.113.9', 'new', true)
    await settle()
    for (let n = 0; n < 6; n++) await endOne()
    expect(begun).toContain('new@203.0.113.9')
    for (let n = 0; n < 80; n++) await endOne()
    expect(await newcomer).toBe('judged')
    await Promise.all(guesses)
  })
})
