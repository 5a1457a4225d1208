/** `node --import tsx tools/faults/crash-rounds.ts [--rounds 200] [--seed N] [--json]`: kill -9 at random moments; loopback only. */
import { readRoundOptions } from './round-options.ts'
import { runRounds } from './rounds.ts'

const { rounds, seed, json } = readRoundOptions()
const started = performance.now()
const findings = await runRounds({ rounds, seed, say: (text) => process.stderr.write(`${text}\n`) })
const seconds = Math.round((performance.now() - started) / 1000)
if (json) process.stdout.write(`${JSON.stringify({ ...findings, seconds })}\n`)
else {
  const { kills, orders, webhooks, problems } = findings
  const lines = [
    `${findings.rounds} rounds, seed ${findings.seed}, ${seconds} s: ${kills.server} servers and ${kills.seller} sellers killed, ${kills.callsCutOff} calls cut off`,
    `${orders.wanted} orders, each exactly once: ${orders.approved} approved by hand, ${orders.canceled} canceled by their buyers`,
    `${webhooks.events} events in ${webhooks.arrivals} webhooks, ${webhooks.repeated} of them more than once and the same; ${webhooks.signaturesValid} valid signatures`,
    `receiver: ${Object.entries(webhooks.moods)
      .map(([mood, count]) => `${mood} ${count}`)
      .join(', ')}`,
    ...problems.map((problem) => `PROBLEM ${problem}`),
    problems.length === 0 ? 'nothing lost, nothing twice' : `${problems.length} problems`,
  ]
  for (const text of lines) process.stdout.write(`${text}\n`)
}
process.exit(findings.problems.length === 0 ? 0 : 1)
