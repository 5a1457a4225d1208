import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../tools/measure/machine.ts'
import { benchLookup, type LookupResult } from './directory/lookup.ts'
import { directoryMarkdown, type Figures, type Goal } from './directory/markdown.ts'

// Measures the publisher directory: ingest of the largest network, lookups at three sizes beside plain node:http, crawl, export.
// --markdown writes bench/results/DATE-directory.md too.

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true, default: ['ingest', 'lookup', 'crawl', 'export'] },
    rows: { type: 'string', default: '1000,100000,1000000' },
    agents: { type: 'string', default: '200000' },
    publishers: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
  },
})

const goals: Goal[] = []
const atMost = (title: string, measured: number, limit: number) =>
  goals.push({ title, goal: `≤ ${limit}`, measured, met: measured <= limit })
const atLeast = (title: string, measured: number, limit: number) =>
  goals.push({ title, goal: `≥ ${limit}`, measured, met: measured >= limit })
const say = (line: string) => process.stderr.write(`${line}\n`)

/** Runs a part in a process of its own, so that its memory is its own too. */
function part(script: string, ...args: string[]): Record<string, number> & { quarterSeconds?: number[] } {
  const path = fileURLToPath(new URL(`directory/${script}`, import.meta.url))
  return JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', path, ...args], { encoding: 'utf8' }))
}

const asks = (name: string) => options.part.includes(name)
const agents = Number(options.agents)
const ingest = asks('ingest') ? measureIngest() : undefined
const lookup = asks('lookup') ? await measureLookup() : undefined
const crawl = asks('crawl') ? measureCrawl() : undefined
const exported = asks('export') ? measureExport() : undefined
const results = {
  machine: machine(),
  agents,
  ...(ingest && { ingest }),
  ...(lookup && { lookup }),
  ...(crawl && { crawl }),
  ...(exported && { export: exported }),
  goals,
}
if (options.markdown) {
  const date = new Date().toISOString().slice(0, 10)
  const file = `bench/results/${date}-directory.md`
  mkdirSync('bench/results', { recursive: true })
  writeFileSync(file, directoryMarkdown(results, date))
  say(`written: ${file}`)
}
if (options.json) console.log(JSON.stringify(results, null, 2))
else
  for (const { title, goal, measured, met } of goals)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${measured.toFixed(2).padStart(9)}  ${goal.padEnd(8)} ${title}`)

function measureIngest(): Figures {
  const ingest = part('ingest.ts')
  say(`ingest: ${JSON.stringify(ingest)}`)
  atMost('6,800 domains indexed after the fetch, ms', ingest.firstMs ?? Number.NaN, 1000)
  atMost('memory while indexing, MB', ingest.peakRssMb ?? Number.NaN, 300)
  return ingest
}

async function measureLookup(): Promise<LookupResult[]> {
  const results: LookupResult[] = []
  for (const rows of options.rows.split(',').map(Number)) {
    say(`lookup: seeding ${rows} rows`)
    const measured = await benchLookup(rows, agents, Number(options.seconds))
    for (const each of measured) say(lookupLine(each))
    results.push(...measured)
  }
  judgeLookup(results)
  return results
}

function measureCrawl(): Figures {
  const { quarterSeconds = [], ...crawl } = part('crawl.ts', options.publishers)
  say(`crawl: ${JSON.stringify({ ...crawl, quarterSeconds })}`)
  const [first = Number.NaN, , , last = Number.NaN] = quarterSeconds
  atMost('last quarter of the crawl against the first (linear growth), ×', last / first, 1.3)
  atLeast('publishers crawled a second', crawl.perSecond ?? Number.NaN, 400)
  atLeast('unchanged publishers (304) a second', crawl.unchangedPerSecond ?? Number.NaN, 1500)
  return { ...crawl, quarterSeconds }
}

function measureExport(): Figures {
  const exported = part('export.ts', '1000000')
  say(`export: ${JSON.stringify(exported)}`)
  atMost('export of 1,000,000 rows, seconds', exported.seconds ?? Number.NaN, 10)
  atMost('memory that it takes, MB', exported.grownMb ?? Number.NaN, 100)
  return exported
}

function lookupLine({
  rows,
  name,
  perSecond,
  plainPerSecond,
  ratio,
  cpuUs,
  plainCpuUs,
  p50Ms,
  p99Ms,
  bytes,
}: LookupResult): string {
  const speed = `${perSecond.toFixed(0)}/s of ${plainPerSecond.toFixed(0)} (${(100 * ratio).toFixed(0)} %)`
  const cpu = `${cpuUs.toFixed(0)} µs of processor (plain ${plainCpuUs.toFixed(0)})`
  return `${String(rows).padStart(8)}  ${name.padEnd(30)} ${speed.padEnd(28)} p50 ${p50Ms.toFixed(3)} ms  p99 ${p99Ms.toFixed(3)} ms  ${cpu}  ${bytes} bytes`
}

function judgeLookup(results: readonly LookupResult[]): void {
  const sizes = [...new Set(results.map(({ rows }) => rows))]
  const [smallest = 0, largest = 0] = [Math.min(...sizes), Math.max(...sizes)]
  const find = (rows: number, name: string) => results.find((result) => result.rows === rows && result.name === name)
  for (const name of ['first page', 'any page (not cached)']) {
    const [small, large] = [find(smallest, name), find(largest, name)]
    if (small && large && small !== large)
      atMost(`p50 of a 200-row page, ${name}, ${largest} rows against ${smallest}, ×`, large.p50Ms / small.p50Ms, 1.3)
    if (large) atLeast(`200-row page, ${name}, of plain node:http`, large.ratio, 0.15)
  }
  const conditional = find(largest, 'conditional GET, 304')
  if (conditional) atLeast('conditional GET (304) of plain node:http', conditional.ratio, 0.6)
}
