import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/** Histories of one run: each of them looks at all orders of its publisher, as its people do. */
const OF_A_RUN = 400

const USAGE = `npm run histories -- [--histories 10000] [--seed 1]
Orders of buyers, of the publisher's people and adopted ones in several zones, with late corrections, cancellations, make-goods, closes and credit notes. What the ledger, reports, invoices,
get_media_buy_delivery and get_account_financials say of each is compared with arithmetic of its own (test/operator/histories.test.ts). They are played in runs of ${OF_A_RUN}, each with the
seed after that of the run before. Ends with 1 where one differs.`

const { values } = parseArgs({
  options: { histories: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
})

/** A whole number of an option. Throws for what is none. */
function count(name: 'histories' | 'seed', fallback: number): number {
  const value = Number(values[name] ?? fallback)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`--${name} ${values[name]} is no whole number above 0\n${USAGE}`)
}

function main(): number {
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const [histories, seed] = [count('histories', 10_000), count('seed', 1)]
  const started = Date.now()
  const minutes = () => ((Date.now() - started) / 60_000).toFixed(1)
  for (let played = 0, run = seed; played < histories; run += 1) {
    const count = Math.min(OF_A_RUN, histories - played)
    const status = play(count, run)
    if (status !== 0) {
      console.log(
        `of ${count} histories of seed ${run} some differ, or the run failed, after ${played} that agree; ${minutes()} minutes`,
      )
      return status
    }
    played += count
    console.log(`${played} of ${histories} histories: all agree; ${minutes()} minutes`)
  }
  return 0
}

/** Plays histories of one publisher for each zone; gives the exit code. */
function play(histories: number, seed: number): number {
  const vitest = ['vitest', 'run', '--project', 'agent', '--maxWorkers=1', 'test/operator/histories.test.ts']
  const env = { ...process.env, HISTORIES: String(histories), HISTORIES_SEED: String(seed) }
  const { status } = spawnSync('npx', vitest, { env, stdio: 'inherit' })
  return status ?? 1
}

process.exitCode = main()
