import { expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { runReportKills } from '../../tools/report-kills/rounds.ts'
import { wheelIsMissing } from '../support/wheel.ts'

// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (wheelIsMissing !== undefined) console.log(`No server is killed while it publishes reports: ${wheelIsMissing}.`)

it.skipIf(wheelIsMissing !== undefined)(
  'kill -9 while reports are published, files made and delivery taken: no report is lost, doubled or changed',
  async () => {
    const findings = await runReportKills({ rounds: 4, seed: 11, say: () => {}, command: COMMAND })
    expect(findings).toMatchObject({ rounds: 4, problems: [] })
    expect(Math.min(findings.revisions, findings.files)).toBeGreaterThan(4)
  },
  600_000,
)
