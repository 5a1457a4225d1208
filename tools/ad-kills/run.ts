/** `node --import tsx tools/ad-kills/run.ts [--rounds 200] [--seed N] [--json]`: kill -9 of a process that counts events of ads, under load; loopback only. */
import { parseArgs } from 'node:util'
import { runAdKills } from './rounds.ts'

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
const findings = await runAdKills({ rounds, seed, say: (text) => process.stderr.write(`${text}\n`) })
const { sent, acknowledged, counted, repeated, problems, seconds } = findings
const lines = [
  `${rounds} rounds, seed ${seed}, ${seconds} s: ${sent} events sent, ${acknowledged} acknowledged, ${repeated} sent again`,
  `${counted} counted; each acknowledged one is in the log, and the sums by hour and line agree with the log`,
]
if (values.json) process.stdout.write(`${JSON.stringify({ rounds, seed, ...findings })}\n`)
else if (problems.length === 0) process.stdout.write(`${lines.join('\n')}\nnothing lost, nothing twice\n`)
else process.stdout.write(`${lines[0]}\n${problems.map((problem) => `PROBLEM ${problem}`).join('\n')}\n`)
process.exit(problems.length === 0 ? 0 : 1)
