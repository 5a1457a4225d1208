import { cpus, loadavg } from 'node:os'
import { type Taken, WARM_UP } from './publisher.ts'

/** The most that an answer may take, in milliseconds, and the most that it may grow. */
const MOST_MS = 100
const MOST_RATIO = 1.5
/** Growth of less than this is the clock's. */
const NOTICEABLE_MS = 5

/** Times of an answer, one for each size of the publisher, the smallest first. */
export interface Row {
  readonly name: string
  readonly ms: readonly number[]
  /** Of the first request at the largest size. */
  readonly first: number
  /** The largest size against the smallest. */
  readonly growth: number
  readonly isMet: boolean
}

/** What one database took. */
export interface DatabaseResult {
  readonly database: string
  readonly rows: readonly Row[]
}

/** One row for each answer, by what it took at each size. */
export function rowsOf(results: readonly ReadonlyMap<string, Taken>[]): Row[] {
  return [...(results[0]?.keys() ?? [])].map((name) => {
    const taken = results.map((each) => each.get(name) ?? { ms: Number.NaN, first: Number.NaN })
    const ms = taken.map((each) => each.ms)
    const [before, after] = [ms[0] ?? Number.NaN, ms.at(-1) ?? Number.NaN]
    const isMet = after <= MOST_MS && (after / before <= MOST_RATIO || after - before <= NOTICEABLE_MS)
    return { name, ms, first: taken.at(-1)?.first ?? Number.NaN, growth: after / before, isMet }
  })
}

/** A row for the terminal. */
export function line({ name, ms, growth, isMet }: Row): string {
  return `${isMet ? 'met   ' : 'MISSED'}  ${ms.map((each) => each.toFixed(1).padStart(7)).join(' ')} ms  × ${growth.toFixed(2)}  ${name}`
}

/** The page of results. */
export function markdown(day: string, sizes: readonly number[], samples: number, results: readonly DatabaseResult[]): string {
  return `# Console and admin API, ${day}

Whole answers over HTTP on loopback, server and client in one process, in milliseconds: median of ${samples} requests after ${WARM_UP}, one at a time, with
${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} orders and a product for each ten of them; 120 orders run, the others are over, and each has left a creative, a decided approval,
a webhook and an entry of the audit log. "first" is the first request at the largest size. Goal: at most ${MOST_MS} ms, and growth of at most ${MOST_RATIO} (growth of
less than ${NOTICEABLE_MS} ms counts as none). PostgreSQL runs on the same machine, with its default settings. Machine: ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'},
Node ${process.versions.node}; load while it ran: ${loadavg()[0]?.toFixed(1)}. Again: \`npm run bench:console -- --postgres --markdown bench/results/${day}-console.md\`.
${results.map((result) => section(sizes, result)).join('')}`
}

function section(sizes: readonly number[], { database, rows }: DatabaseResult): string {
  const lines = rows.map(({ name, ms, growth, first, isMet }) => {
    const numbers = [...ms.map((each) => each.toFixed(1)), growth.toFixed(2), first.toFixed(1)]
    return `| ${name} | ${numbers.join(' | ')} | ${isMet ? '' : 'missed'} |`
  })
  return `
## ${database}

| answer | ${sizes.join(' | ')} | growth | first | goal |
| --- |${' ---: |'.repeat(sizes.length + 2)} --- |
${lines.join('\n')}
`
}
