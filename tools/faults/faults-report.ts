import type { Machine } from '../measure/machine.ts'
import type { KillReport } from './kills.ts'
import type { LimitReport } from './limits.ts'
import type { NonceReport } from './nonces.ts'
import type { OutageReport } from './outage.ts'
import type { RaceReport } from './races.ts'

/** What a run of faults came to; a part that was not asked for, or ended early, is missing. */
export interface FaultResults {
  /** Parts that ended early, with why. */
  readonly failed: readonly string[]
  readonly races: RaceReport | undefined
  readonly nonces: NonceReport | undefined
  readonly limits: LimitReport | undefined
  readonly outage: OutageReport | undefined
  readonly kills: KillReport | undefined
}

/** Everything that must not be; empty after a good run. */
export function faultsProblems({ failed, races, nonces, limits, outage, kills }: FaultResults): string[] {
  return [
    ...failed,
    ...(races?.broken ?? []).map((key) => `races: ${key} was not executed exactly once`),
    ...(races !== undefined && races.lost > 0 ? [`races: ${races.lost} calls were lost`] : []),
    ...(nonces?.broken ?? []).map((text) => `nonces: ${text}`),
    ...(limits?.problems ?? []).map((text) => `limits: ${text}`),
    ...(outage?.problems ?? []).map((text) => `outage: ${text}`),
    ...(kills?.problems ?? []).map((text) => `kills: ${text}`),
  ]
}

/** The results as a dated page. */
export function faultsMarkdown(results: FaultResults, machine: Machine, date: string): string {
  const problems = faultsProblems(results)
  const { races, nonces, limits, outage, kills } = results
  return [
    `# Faults on ${date}`,
    `Two processes on one PostgreSQL behind a round-robin load balancer; ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, all on one machine.`,
    problems.length === 0 ? 'Nothing lost, nothing twice, nothing broken.' : `**${problems.length} problems:**`,
    ...(problems.length === 0 ? [] : [problems.map((problem) => `- ${problem}`).join('\n')]),
    table([
      ['what', 'how much', 'came to', 'seconds'],
      ...(races ? [racesRow(races)] : []),
      ...(nonces ? [noncesRow(nonces)] : []),
      ...(limits?.rows ?? []).map(({ what, limit, sent, passed }) => [
        `rate limit, ${what}`,
        `${sent} calls, ${limit} allowed`,
        `${passed} passed`,
        '',
      ]),
      ...(outage ? [outageRow(outage)] : []),
      ...(kills ? killRows(kills) : []),
    ]),
    '',
  ].join('\n\n')
}

function racesRow({ keys, connections, executed, replayed, refused, lost, seconds }: RaceReport): string[] {
  const rest = `${countsOf(refused) || 'none'} refused, ${lost} lost`
  return [
    'idempotency keys raced',
    `${keys} keys × ${connections} connections`,
    `${executed} executed, ${replayed} replayed, ${rest}`,
    seconds.toFixed(0),
  ]
}

function noncesRow({ messages, copies, accepted, refused, others, seconds }: NonceReport): string[] {
  return [
    'nonces raced',
    `${messages} signed messages × ${copies} copies`,
    `${accepted} accepted, ${refused} refused as replays, ${countsOf(others) || 'no'} other answers`,
    seconds.toFixed(0),
  ]
}

function outageRow({ seconds, answers, slowestMs, readyAgainMs, boughtAgainMs, purchases }: OutageReport): string[] {
  return [
    'database away',
    `${seconds.toFixed(0)} s, ${purchases} purchases before, meanwhile and after`,
    `meanwhile ${countsOf(answers)}; ready again after ${(readyAgainMs / 1000).toFixed(1)} s, next purchase after ${(boughtAgainMs / 1000).toFixed(1)} s, slowest answer ${(slowestMs / 1000).toFixed(1)} s`,
    seconds.toFixed(0),
  ]
}

function killRows(kills: KillReport): string[][] {
  const { rounds, killed, acknowledged, unanswered, refused, retries, inFlight, doctor, mediaBuys, seconds } = kills
  return [
    [
      'kill -9 under load',
      `${rounds} rounds: ${countsOf(killed)}`,
      `${mediaBuys} media buys, each exactly once`,
      seconds.toFixed(0),
    ],
    [
      '',
      'calls of the bursts',
      `${acknowledged} acknowledged, ${unanswered} unanswered, ${countsOf(refused) || 'none'} refused`,
      '',
    ],
    ['', 'keys by calls until they stood', times(retries), ''],
    ['', 'keys by answers "still in flight"', times(inFlight), ''],
    [
      '',
      'longest until everything was settled',
      `${(kills.slowestSettledMs / 1000).toFixed(1)} s, ${kills.slowStarts} starts repeated`,
      '',
    ],
    [
      '',
      'doctor --store after each round',
      `${doctor.rules} rules on ${doctor.tables} tables, ${doctor.answers} acknowledged media buys`,
      '',
    ],
  ]
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}

function times(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}

function table([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head ?? []), line((head ?? []).map(() => '---')), ...rows.map(line)].join('\n')
}
