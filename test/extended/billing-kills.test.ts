import { expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { startPostgres } from '../../tools/agent/postgres.ts'
import { runBillingKills } from '../../tools/billing-kills/rounds.ts'

/** Each round starts a server. */
const LIMIT_MS = 900_000
const quiet = { say: () => {}, command: COMMAND }

it(
  'kill -9 while months are closed, invoices credited and deliveries corrected: nothing lost, doubled or half numbered',
  async () => {
    const findings = await runBillingKills({ rounds: 5, seed: 7, ...quiet })
    expect(findings).toMatchObject({ rounds: 5, problems: [] })
    expect(findings.invoices).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

it(
  'the same on PostgreSQL',
  async () => {
    const postgres = await startPostgres()
    try {
      const findings = await runBillingKills({ rounds: 2, seed: 7, ...quiet, database: await postgres.createDatabase('billing') })
      expect(findings).toMatchObject({ rounds: 2, problems: [] })
    } finally {
      await postgres.stop()
    }
  },
  LIMIT_MS,
)
