import { describe, expect, it } from 'vitest'
import type { Bucket } from '../../src/domain/identity/failure-memory.ts'
import { createGuessGuard } from '../../src/security/auth/guess-guard.ts'
import type { Store } from '../../src/store/database.ts'
import { sharedFailureMemory } from '../../src/store/identity/auth-failures.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const terms = { failuresPerAddress: 100, failuresPerCredential: 10 }

/** What processes that share a database must remember together of refused credentials. */
export function failureMemoryContract(open: () => Store): void {
  /** As many processes as `count`, and how often they have judged a password. */
  const processes = (count: number) => {
    const guards = Array.from({ length: count }, () => createGuessGuard(sharedFailureMemory(open())))
    let judged = 0
    const attempt = async (n: number, isRight: boolean, from: string, name: string, at = NOW) => {
      const check = async () => {
        judged++
        await new Promise((resolve) => setTimeout(resolve, 1))
        return isRight
      }
      const judging = guards[n % count]?.judge({ address: from, name, terms }, new Date(at), check, (is) =>
        is ? 'right' : 'wrong',
      )
      return (await judging?.catch((error: { code: string }) => error.code)) ?? 'nothing'
    }
    return { attempt, judged: () => judged }
  }

  describe('refused credentials', () => {
    it('of 60 guesses at one name, sent to four processes at once, as many are judged as to one', async () => {
      const { attempt, judged } = processes(4)
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => attempt(n, false, '198.51.100.7', 'ann')))
      expect([judged(), answers.filter((answer) => answer === 'RATE_LIMITED').length]).toEqual([11, 49])
      expect(await attempt(0, true, '203.0.113.9', 'ann'), 'elsewhere').toBe(true)
      expect(await attempt(1, true, '198.51.100.7', 'ann', NOW + 1000), 'a second later').toBe(true)
    })

    it('60 right passwords at once all count, and leave nothing behind', async () => {
      const { attempt } = processes(4)
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => attempt(n, true, '203.0.113.9', 'bob')))
      expect(new Set(answers)).toEqual(new Set([true]))
      const address: Bucket = { key: 'address 203.0.113.9', kind: 'address', freeFailures: 100 }
      expect((await sharedFailureMemory(open()).look(address, NOW)).count).toBe(0)
    })

    it('are forgotten after a quarter of an hour', async () => {
      const { attempt } = processes(1)
      for (let n = 0; n < 12; n++) await attempt(n, false, '192.0.2.1', 'eve')
      expect(await attempt(0, false, '192.0.2.1', 'eve', NOW + 900_000)).toBe(false)
      expect(await attempt(0, false, '192.0.2.1', 'eve', NOW + 900_000)).toBe(false)
    })
  })
}
