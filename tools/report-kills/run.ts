/**
 * `node --import tsx tools/report-kills/run.ts [--rounds 200] [--seed N] [--engine sqlite|postgres] [--json]`: kill -9 of a server while it publishes reports of delivery, makes
 * their files and takes delivery; `postgres` is a throwaway one. Loopback only.
 */
import { startPostgres } from '../agent/postgres.ts'
import { readRoundOptions } from '../faults/round-options.ts'
import { runReportKills } from './rounds.ts'

const { rounds, seed, json, engine } = readRoundOptions(['sqlite', 'postgres'])
const postgres = engine === 'postgres' ? await startPostgres() : undefined
const database = await postgres?.createDatabase('reports')
const findings = await runReportKills({
  rounds,
  seed,
  say: (text) => process.stderr.write(`${text}\n`),
  ...(database !== undefined && { database }),
})
await postgres?.stop()
const { lost, revisions, adjustments, files, problems, seconds } = findings
if (json) process.stdout.write(`${JSON.stringify({ seed, engine, ...findings })}\n`)
else {
  const read = `${revisions} reports and ${adjustments} adjustments were read, ${files} files`
  process.stdout.write(`${rounds} rounds, seed ${seed}, ${engine}, ${seconds} s: ${lost} answers were lost; ${read}\n`)
  process.stdout.write(
    problems.length === 0
      ? 'no report lost, doubled or changed; reports = what was counted\n'
      : `${problems.map((each) => `PROBLEM ${each}`).join('\n')}\n`,
  )
}
process.exit(problems.length === 0 ? 0 : 1)
