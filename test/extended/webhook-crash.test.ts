import { expect, test } from 'vitest'
import { runRounds } from '../../tools/faults/rounds.ts'

/** `tools/faults/crash-rounds.ts` plays hundreds; these few show that it still works. */
const ROUNDS = 3

test('kill -9 at random moments of buying, approving, booking and telling: nothing is lost, nothing happens twice', async () => {
  const findings = await runRounds({ rounds: ROUNDS, seed: 20 })
  expect(findings.problems).toEqual([])
  expect(findings.kills).toMatchObject({ server: ROUNDS, seller: ROUNDS })
  // Else nothing was under way when the processes were killed.
  expect(findings.kills.callsCutOff).toBeGreaterThan(0)
  expect(findings.orders.approved).toBe(findings.orders.wanted / 2)
  expect(findings.webhooks.signaturesValid).toBe(findings.webhooks.arrivals)
}, 240_000)
