import { expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { runHoldKills } from '../../tools/hold-kills/rounds.ts'

/** `HOLD_ROUNDS=200 npx vitest run --project extended test/extended/hold-kills.test.ts` is the long run. */
const ROUNDS = Number(process.env.HOLD_ROUNDS ?? 4)

it('kill -9 between hold and commit: no hold lost, none twice, nothing oversold', async () => {
  const findings = await runHoldKills({ rounds: ROUNDS, seed: 7, say: () => {}, command: COMMAND })
  expect(findings.problems).toEqual([])
  expect(findings.deaths).toBe(ROUNDS)
  expect(findings.finalized).toBeGreaterThan(0)
})
