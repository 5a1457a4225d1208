/**
 * `node --import tsx tools/hold-kills/run.ts [--rounds 200] [--seed N] [--engine sqlite|postgres] [--json]`: kill -9 of a server while buyers finalize, accept and decline
 * proposals; `postgres` is a throwaway one. Loopback only.
 */
import { startPostgres } from '../agent/postgres.ts'
import { readRoundOptions } from '../faults/round-options.ts'
import { runHoldKills } from './rounds.ts'

const { rounds, seed, json, engine } = readRoundOptions(['sqlite', 'postgres'])
const postgres = engine === 'postgres' ? await startPostgres() : undefined
const database = await postgres?.createDatabase('holds')
const findings = await runHoldKills({
  rounds,
  seed,
  say: (text) => process.stderr.write(`${text}\n`),
  ...(database !== undefined && { database }),
})
await postgres?.stop()
const { deaths, finalized, accepted, declined, refused, resent, problems, seconds } = findings
if (json) process.stdout.write(`${JSON.stringify({ rounds, seed, ...findings })}\n`)
else {
  const engine = postgres ? 'PostgreSQL' : 'SQLite'
  process.stdout.write(
    `${rounds} rounds, seed ${seed}, ${engine}, ${seconds} s: killed ${deaths} times; ${finalized} finalized, ${accepted} accepted, ${declined} declined, ${refused} refused, ${resent} sent again\n`,
  )
  process.stdout.write(
    problems.length === 0
      ? 'no hold lost or doubled, nothing oversold\n'
      : `${problems.map((each) => `PROBLEM ${each}`).join('\n')}\n`,
  )
}
process.exit(problems.length === 0 ? 0 : 1)
