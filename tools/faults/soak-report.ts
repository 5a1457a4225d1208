import type { Machine } from '../measure/machine.ts'
import { type Sample, type Trend, trendsOf, WARM_UP_SHARE } from './trend.ts'

/** What a soak came to. */
export interface SoakResults {
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly minutes: number
  /** Calls a second: what was measured at most, and what the soak was run at. */
  readonly most: number
  readonly rate: number
  /** Calls a second that were answered, on average. */
  readonly held: number
  readonly calls: number
  readonly failures: number
  /** What grows by design: bytes of the store, and how many media buys it holds at the end. */
  readonly store: { readonly bytesBefore: number; readonly bytesAfter: number; readonly mediaBuys: number }
  readonly samples: readonly Sample[]
  readonly trends: readonly Trend[]
  /** What must not be; empty after a good run. */
  readonly problems: readonly string[]
}

/** Share of the wanted rate that has to be held: below it the server, or the machine, was at its limit. */
const HELD_SHARE = 0.9

/** Judges the samples. */
export function soakResults(measured: Omit<SoakResults, 'trends' | 'problems' | 'held'>): SoakResults {
  const trends = trendsOf(measured.samples)
  const held = measured.calls / (measured.minutes * 60)
  const problems = [
    ...trends.filter(({ flat }) => !flat).map(({ name, rise, unit }) => `${name} rises by ${rise.toFixed(2)} ${unit}`),
    ...(measured.failures > 0 ? [`${measured.failures} calls failed`] : []),
    ...(held < HELD_SHARE * measured.rate ? [`only ${held.toFixed(0)} of ${measured.rate} calls a second were answered`] : []),
  ]
  return { ...measured, held, trends, problems }
}

/** The results as a dated page. */
export function soakMarkdown(results: SoakResults, machine: Machine, date: string): string {
  const { engine, minutes, most, rate, held, calls, failures, store, samples, trends, problems } = results
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `# Soak of ${minutes.toFixed(0)} minutes on ${date}, ${engine}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; load generator and server share the machine. One process, three get_products for each create_media_buy, 16 connections.`,
    problems.length === 0 ? 'Flat.' : `**Not flat: ${problems.join('; ')}.**`,
    [
      row(['figure', 'median', 'slope a minute, 95 %', 'rise over the run, 95 %', 'bound', '']),
      row(['---', '---', '---', '---', '---', '---']),
      ...trends.map((trend) =>
        row([
          `${trend.name}, ${trend.unit}`,
          trend.median.toFixed(1),
          `${trend.slope.toFixed(4)} ± ${trend.confidence.toFixed(4)}`,
          `${trend.rise.toFixed(2)} ± ${trend.riseConfidence.toFixed(2)}`,
          trend.bound.toFixed(2),
          `${trend.flat ? 'flat' : '**rises**'}${trend.certain ? '' : ', not certain'}`,
        ]),
      ),
    ].join('\n'),
    `Measured maximum ${most.toFixed(0)} calls a second, soaked at ${rate}, held ${held.toFixed(0)}: ${calls} calls, ${failures} failed. Slopes are least squares over ${samples.length} samples without the first ${100 * WARM_UP_SHARE} %.`,
    `By design the store grows: from ${mb(store.bytesBefore)} to ${mb(store.bytesAfter)} with ${store.mediaBuys} media buys, their answers to retries and their lines in the audit log.`,
    '',
  ].join('\n\n')
}
