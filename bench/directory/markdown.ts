import { describe, table } from '../markdown.ts'
import type { Report } from '../report.ts'
import type { LookupResult } from './lookup.ts'

/** What was promised of a measurement. */
export interface Goal {
  readonly title: string
  readonly goal: string
  readonly measured: number
  readonly met: boolean
}

/** Figures of a part that ran in a process of its own, by name. */
export type Figures = Readonly<Record<string, number | readonly number[]>>

/** All that a run measured; a part that was not asked for is missing. */
export interface DirectoryResults {
  readonly machine: Report['machine']
  readonly goals: readonly Goal[]
  readonly agents: number
  readonly lookup?: readonly LookupResult[]
  readonly ingest?: Figures
  readonly crawl?: Figures
}

/** The results as a dated page: ratios first, then what they are made of. */
export function directoryMarkdown({ machine, goals, agents, lookup, ingest, crawl }: DirectoryResults, date: string): string {
  return [
    `# Publisher directory, measured on ${date}`,
    describe(machine),
    ...(lookup
      ? [
          '## Ratios',
          `Requests a second of the server over those of plain \`node:http\` that answers the same head and body, in turns of one run, ten connections; in brackets the same by processor time of a request, which says more where the load generator is the slower one. ${agents.toLocaleString('en')} agents; the rows are those of one of them.`,
          ratios(lookup),
        ]
      : []),
    '## Promises',
    table(
      ['', 'measured', 'promised', ''],
      goals.map(({ title, goal, measured, met }) => [title, measured.toFixed(2), goal, met ? 'met' : '**missed**']),
    ),
    ...(lookup ? ['## Lookups', 'Latencies are of one connection at a time.', lookups(lookup)] : []),
    ...(ingest ? ['## The file of 6,800 domains', figures(ingest)] : []),
    ...(crawl ? ['## The crawl', figures(crawl)] : []),
    '',
  ].join('\n\n')
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`

function ratios(results: readonly LookupResult[]): string {
  const sizes = [...new Set(results.map(({ rows }) => rows))]
  const names = [...new Set(results.map(({ name }) => name))]
  const cell = (name: string, rows: number) => {
    const result = results.find((each) => each.name === name && each.rows === rows)
    return result ? `${percent(result.ratio)} (${percent(result.plainCpuUs / result.cpuUs)})` : '–'
  }
  return table(
    ['of plain node:http', ...sizes.map((rows) => `${rows.toLocaleString('en')} rows`)],
    names.map((name) => [name, ...sizes.map((rows) => cell(name, rows))]),
  )
}

function lookups(results: readonly LookupResult[]): string {
  return table(
    ['rows', '', 'a second', 'node:http', 'CPU µs', 'node:http', 'p50 ms', 'p99 ms', 'bytes'],
    results.map((each) => [
      each.rows.toLocaleString('en'),
      each.name,
      each.perSecond.toFixed(0),
      each.plainPerSecond.toFixed(0),
      each.cpuUs.toFixed(0),
      each.plainCpuUs.toFixed(0),
      each.p50Ms.toFixed(3),
      each.p99Ms.toFixed(3),
      each.bytes.toLocaleString('en'),
    ]),
  )
}

function figures(part: Figures): string {
  const shown = (value: number) => (Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2))
  return table(
    ['', ''],
    Object.entries(part).map(([name, value]) => [name, [value].flat().map(shown).join(', ')]),
  )
}
