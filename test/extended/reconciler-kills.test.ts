import { expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { runReconcilerKills } from '../../tools/reconciler-kills/rounds.ts'

/** `RECONCILER_ROUNDS=200 npx vitest run --project extended test/extended/reconciler-kills.test.ts` is the long run. */
const ROUNDS = Number(process.env.RECONCILER_ROUNDS ?? 12)

it('kill -9 at any moment and between any two steps: no order lost, none twice, nothing of our own taken for drift', async () => {
  const findings = await runReconcilerKills({ rounds: ROUNDS, seed: 7, say: () => {}, command: COMMAND })
  expect(findings.problems).toEqual([])
  expect(findings.deaths.anywhere).toBe(ROUNDS / 2)
  expect(findings.deaths.betweenSteps).toBeGreaterThan(0)
  expect(findings.acknowledged).toBeGreaterThan(0)
  expect(findings.upstream.orders).toBeGreaterThan(0)
})
