/** `npm run bench:ads-http [-- --json]`: decisions and events of the embedded ad server over HTTP, from `wrk`; after `npm run build`. */
import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type HttpFigures, measureOverHttp } from './over-http.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    // Made for each process: more than it takes.
    events: { type: 'string', default: '150000' },
    processes: { type: 'string', default: '1,2' },
  },
})
if (spawnSync('wrk', ['--version']).error !== undefined) {
  process.stderr.write('wrk is not installed (Debian: apt install wrk)\n')
  process.exit(2)
}
const figures = []
for (const processes of values.processes.split(',').map(Number))
  figures.push(await measureOverHttp(processes, Number(values.events)))
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} processors, Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)}`
const row = (what: string, each: HttpFigures) =>
  `| ${what} | ${Math.round(each.perSecond)} | ${each.p50Ms.toFixed(1)} | ${each.p99Ms.toFixed(1)} | ${each.cpuUs.toFixed(0)} | ${each.failures} |`
const lines = figures.flatMap(({ processes, events, decisions }) => [
  ...events.map((each, index) => row(`events, process ${index + 1} of ${processes}`, each)),
  row(`decisions, beside ${processes - 1} idle`, decisions),
])
process.stdout.write(
  values.json
    ? `${JSON.stringify({ machine, figures })}\n`
    : `${machine}\n| over HTTP | a second | p50 ms | p99 ms | server CPU µs each | failed |\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`,
)
