/** `node --import tsx tools/ad-kills/run.ts [--rounds 200] [--seed N] [--json]`: kill -9 of a process that counts events of ads, under load; loopback only. */
import { readRoundOptions } from '../faults/round-options.ts'
import { runAdKills } from './rounds.ts'

const { rounds, seed, json } = readRoundOptions()
const findings = await runAdKills({ rounds, seed, say: (text) => process.stderr.write(`${text}\n`) })
const { sent, acknowledged, counted, repeated, problems, seconds } = findings
const lines = [
  `${rounds} rounds, seed ${seed}, ${seconds} s: ${sent} events sent, ${acknowledged} acknowledged, ${repeated} sent again`,
  `${counted} counted; each acknowledged one is in the log, and the sums by hour and line agree with the log`,
]
if (json) process.stdout.write(`${JSON.stringify({ rounds, seed, ...findings })}\n`)
else if (problems.length === 0) process.stdout.write(`${lines.join('\n')}\nnothing lost, nothing twice\n`)
else process.stdout.write(`${lines[0]}\n${problems.map((problem) => `PROBLEM ${problem}`).join('\n')}\n`)
process.exit(problems.length === 0 ? 0 : 1)
