/** `node --import tsx tools/reconciler-kills/run.ts [--rounds 200] [--seed N] [--json]`: kill -9 of a server that brings orders to two ad servers; loopback only. */
import { readRoundOptions } from '../faults/round-options.ts'
import { runReconcilerKills } from './rounds.ts'

const { rounds, seed, json } = readRoundOptions()
const findings = await runReconcilerKills({ rounds, seed, say: (text) => process.stderr.write(`${text}\n`) })
const { deaths, acknowledged, resent, refusals, orders, upstream, problems, seconds } = findings
const lines = [
  `${rounds} rounds, seed ${seed}, ${seconds} s: killed ${deaths.anywhere} times at any moment and ${deaths.betweenSteps} times between two steps`,
  `${acknowledged} calls acknowledged, ${resent} sent again, refused ${JSON.stringify(refusals)}; orders ${JSON.stringify(orders)}; the seller has ${upstream.orders} orders with ${upstream.lines} lines`,
]
if (json) process.stdout.write(`${JSON.stringify({ rounds, seed, ...findings })}\n`)
else if (problems.length === 0) process.stdout.write(`${lines.join('\n')}\nnothing lost, nothing twice, desired = observed\n`)
else process.stdout.write(`${lines.join('\n')}\n${problems.map((problem) => `PROBLEM ${problem}`).join('\n')}\n`)
process.exit(problems.length === 0 ? 0 : 1)
