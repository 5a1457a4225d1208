/** `npm run bench:ads [-- --json]`: decisions, events, memory and reconciler of the embedded ad server, in one process. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { findValkey } from '../../tools/agent/valkey.ts'
import { measureCapped, measureCappedOnPostgres, measureCappedOnValkey } from './capped.ts'
import { measureDecisions } from './decisions.ts'
import { measureEvents } from './events.ts'
import { measureReconciler } from './reconcile.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    events: { type: 'string', default: '200000' },
    // Lines of the largest run of the reconciler.
    lines: { type: 'string', default: '10000' },
  },
})
const DECISIONS = 50_000
// The first run warms the compiler up.
measureDecisions(100, DECISIONS)
const decisions = [10, 100, 1_000, 10_000].map((lines) => measureDecisions(lines, DECISIONS))
await measureCapped(2_000)
const capped = {
  sqlite: await measureCapped(20_000),
  postgres: await measureCappedOnPostgres(20_000),
  ...('program' in findValkey() && { valkey: await measureCappedOnValkey(20_000) }),
}
const events = await measureEvents(Number(values.events))
await measureReconciler(100)
const most = Number(values.lines)
const reconciler = []
for (const lines of [10, 100, 1_000, 10_000].filter((each) => each <= most)) reconciler.push(await measureReconciler(lines))
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`
if (values.json) process.stdout.write(`${JSON.stringify({ machine, decisions, capped, events, reconciler })}\n`)
else {
  process.stdout.write(
    `${machine}\n| lines | decisions/s, one core | p50 ms | p99 ms | bytes a line | filled |\n|---|---|---|---|---|---|\n`,
  )
  for (const { lines, perSecond, p50Ms, p99Ms, bytesALine, filled } of decisions)
    process.stdout.write(
      `| ${lines} | ${perSecond} | ${p50Ms.toFixed(3)} | ${p99Ms.toFixed(3)} | ${lines < 100 ? '' : bytesALine} | ${Math.round(filled * 100)} % |\n`,
    )
  const [few, many] = [decisions[0]?.perSecond ?? 0, decisions.at(-1)?.perSecond ?? 1]
  process.stdout.write(`from 10 to 10,000 lines a decision takes ${(few / many).toFixed(2)} times as long\n`)
  for (const [engine, { perSecond, cpuUs }] of Object.entries(capped))
    process.stdout.write(
      `${perSecond} decisions/s with a frequency cap (${engine}), 64 at once, ${cpuUs.toFixed(0)} us of processor time each\n`,
    )
  process.stdout.write(
    `${events.perSecond} events/s durable (SQLite), p99 ${events.p99Ms.toFixed(0)} ms, ${events.cpuUs.toFixed(0)} us of processor time each, ${events.tokenUs.toFixed(0)} us of it for its token\n`,
  )
  process.stdout.write('| lines | written, ms of processor time a line | compared, the same | memory, MB |\n|---|---|---|---|\n')
  for (const { lines, writeMs, checkMs, heapBytes } of reconciler)
    process.stdout.write(`| ${lines} | ${writeMs.toFixed(2)} | ${checkMs.toFixed(2)} | ${(heapBytes / 1e6).toFixed(1)} |\n`)
}
