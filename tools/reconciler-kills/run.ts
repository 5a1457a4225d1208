/** `node --import tsx tools/reconciler-kills/run.ts [--rounds 200] [--seed N] [--json]`: kill -9 of a server that brings orders to two ad servers; loopback only. */
import { parseArgs } from 'node:util'
import { runReconcilerKills } from './rounds.ts'

/** More takes hours, and shows nothing that another seed does not. */
const MOST_ROUNDS = 2000

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS || !Number.isInteger(seed)) {
  process.stderr.write(`--rounds is a number from 1 to ${MOST_ROUNDS}, --seed a whole number\n`)
  process.exit(2)
}
const findings = await runReconcilerKills({ rounds, seed, say: (text) => process.stderr.write(`${text}\n`) })
const { deaths, acknowledged, resent, refusals, orders, upstream, problems, seconds } = findings
const lines = [
  `${rounds} rounds, seed ${seed}, ${seconds} s: killed ${deaths.anywhere} times at any moment and ${deaths.betweenSteps} times between two steps`,
  `${acknowledged} calls acknowledged, ${resent} sent again, refused ${JSON.stringify(refusals)}; orders ${JSON.stringify(orders)}; the seller has ${upstream.orders} orders with ${upstream.lines} lines`,
]
if (values.json) process.stdout.write(`${JSON.stringify({ rounds, seed, ...findings })}\n`)
else if (problems.length === 0) process.stdout.write(`${lines.join('\n')}\nnothing lost, nothing twice, desired = observed\n`)
else process.stdout.write(`${lines.join('\n')}\n${problems.map((problem) => `PROBLEM ${problem}`).join('\n')}\n`)
process.exit(problems.length === 0 ? 0 : 1)
