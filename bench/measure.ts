import { type Burst, burst } from '../tools/measure/load.ts'
import type { Subject } from '../tools/measure/subject.ts'
import { hasWrk, wrkBurst } from '../tools/measure/wrk.ts'

/** A burst, and what it cost the server: the one figure that other work on the machine moves little. */
export interface Round extends Burst {
  /** Processor microseconds of the server a request. */
  readonly cpuUs: number
}

/** A subject with one burst for each round. */
export interface Measured {
  readonly subject: Subject
  readonly bursts: readonly Round[]
}

export interface Rounds {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** Seconds of load before the first round, so that what is measured is compiled. */
  readonly warmUpSeconds: number
}

/** Sends one burst to a subject. */
export type Load = (subject: Subject, connections: number, seconds: number) => Promise<Burst>

/**
 * By `wrk`, which leaves more of the machine to the servers. A subject that `wrk` cannot ask (it signs each request), and every subject where
 * `wrk` is not installed, is asked by autocannon.
 */
const byLeanest: Load = ({ target, written }, connections, seconds) =>
  written && hasWrk() ? wrkBurst(written, connections, seconds) : burst(target, connections, seconds)

/** Measures subjects in turn, round after round, so that whatever else the machine does hits all of them alike. */
export async function measure(
  subjects: readonly Subject[],
  rounds: Rounds,
  say: (line: string) => void,
  load: Load = byLeanest,
): Promise<Measured[]> {
  const { connections, seconds, warmUpSeconds } = rounds
  for (const subject of subjects) await load(subject, connections, warmUpSeconds)
  const bursts = subjects.map((): Round[] => [])
  for (let round = 1; round <= rounds.rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      const { id, server } = subject
      const before = server.cpuMs()
      const one = await load(subject, connections, seconds)
      bursts[index]?.push({ ...one, cpuUs: ((server.cpuMs() - before) * 1000) / one.requests })
      say(`round ${round}/${rounds.rounds} ${id}: ${one.perSecond.toFixed(0)}/s`)
    }
  }
  return subjects.map((subject, index) => ({ subject, bursts: bursts[index] ?? [] }))
}

/** The middle value; of an even count the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** Median over rounds of `subject` against `base` in the same round: a slow round slows both. */
export function ratio(subject: Measured, base: Measured): number {
  return median(subject.bursts.map(({ perSecond }, round) => perSecond / (base.bursts[round]?.perSecond ?? Number.NaN)))
}
