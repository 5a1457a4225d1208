/** `npx tsx tools/ad-week/run.ts [--requests 1000000] [--seed 1] [--json]`: a week of ads by a clock that runs ahead, against an oracle. */
import { parseArgs } from 'node:util'
import { simulateWeek } from './simulate-week.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
// Goals of fewer requests are so few impressions that a share of them says nothing.
if (!Number.isInteger(requests) || requests < 10_000 || requests > 10_000_000 || !Number.isInteger(seed)) {
  process.stderr.write('--requests is a number from 10000 to 10000000, --seed a whole number\n')
  process.exit(2)
}
const started = performance.now()
const findings = await simulateWeek(requests, seed, (text) => process.stderr.write(`${text}\n`))
const seconds = Math.round((performance.now() - started) / 1000)
const percent = (share: number | undefined) => (share === undefined ? '' : `${(share * 100).toFixed(2)} %`)
if (values.json) process.stdout.write(`${JSON.stringify({ ...findings, seconds })}\n`)
else {
  const { lines, problems } = findings
  process.stdout.write(`${findings.requests} requests, ${findings.events} events, seed ${seed}, ${seconds} s\n`)
  process.stdout.write(
    '| line | goal | impressions | error at the end | largest error of a day | charged |\n|---|---|---|---|---|---|\n',
  )
  for (const { id, goal, impressions, errorAtEnd, errorOfDay, chargedMicros } of lines)
    process.stdout.write(
      `| ${id} | ${goal ?? ''} | ${impressions} | ${percent(errorAtEnd)} | ${percent(errorOfDay)} | ${(chargedMicros / 1e6).toFixed(2)} |\n`,
    )
  for (const problem of problems) process.stdout.write(`PROBLEM ${problem}\n`)
  process.stdout.write(problems.length === 0 ? 'no problems\n' : `${problems.length} problems\n`)
}
process.exit(findings.problems.length === 0 ? 0 : 1)
