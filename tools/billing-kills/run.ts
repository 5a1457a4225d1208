/**
 * `node --import tsx tools/billing-kills/run.ts [--rounds 200] [--seed N] [--engine sqlite|postgres] [--json]`: kill -9 of a server while months are closed, invoices
 * credited and deliveries corrected; `postgres` is a throwaway one. Loopback only.
 */
import { startPostgres } from '../agent/postgres.ts'
import { readRoundOptions } from '../faults/round-options.ts'
import { runBillingKills } from './rounds.ts'

const { rounds, seed, json, engine } = readRoundOptions(['sqlite', 'postgres'])
const postgres = engine === 'postgres' ? await startPostgres() : undefined
const database = await postgres?.createDatabase('billing')
const findings = await runBillingKills({
  rounds,
  seed,
  say: (text) => process.stderr.write(`${text}\n`),
  ...(database !== undefined && { database }),
})
await postgres?.stop()
const { answered, carriedOut, undone, invoices, creditNotes, problems, seconds } = findings
if (json) process.stdout.write(`${JSON.stringify({ seed, engine, ...findings })}\n`)
else {
  process.stdout.write(
    `${rounds} rounds, seed ${seed}, ${engine}, ${seconds} s: ${answered} acts were answered before the kill, ${carriedOut} carried out and not answered, ${undone} not carried out and sent again; ${invoices} invoices, ${creditNotes} credit notes\n`,
  )
  process.stdout.write(
    problems.length === 0
      ? 'nothing lost, doubled or half numbered; invoices = ledger\n'
      : `${problems.map((each) => `PROBLEM ${each}`).join('\n')}\n`,
  )
}
process.exit(problems.length === 0 ? 0 : 1)
