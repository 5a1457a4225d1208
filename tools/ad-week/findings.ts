import type { DeliveryRow } from '../../src/domain/ad-serving/delivery-row.ts'
import type { Oracle } from './oracle.ts'
import type { SoldLine } from './sold-lines.ts'
import { DAY_MS, WEEK_START } from './traffic.ts'
import type { Visits } from './visits.ts'

/** What became of one line. */
export interface LineFinding {
  readonly id: string
  readonly goal: number | null
  readonly impressions: number
  /** Against the goal at the end; absent where there is none, or the traffic is not enough for it. */
  readonly errorAtEnd?: number
  /** The largest of any day. */
  readonly errorOfDay?: number
  readonly chargedMicros: number
}

export interface WeekFindings {
  readonly requests: number
  readonly events: number
  readonly lines: readonly LineFinding[]
  readonly problems: readonly string[]
}

export interface WeekResult {
  readonly lines: readonly SoldLine[]
  readonly oracle: Oracle
  readonly rows: readonly DeliveryRow[]
  readonly visits: Visits
  readonly failures: readonly unknown[]
}

const MOST_AT_END = 0.01
const MOST_ON_A_DAY = 0.05
const MOST_OVER = 0.01
/** A day of few impressions is judged by whole ones: what is on its way at midnight counts on the next day. */
const FEW = 3

/** Holds what was reported against what the oracle counted, and pacing against the goals. */
export function findingsOf({ lines, oracle, rows, visits, failures }: WeekResult): WeekFindings {
  const problems = [...oracle.problems, ...failures.map(String)]
  for (const [what, count] of visits.answers) {
    const [expected, answer] = what.split(' → ')
    if (expected !== answer) problems.push(`${count} events were ${what}`)
  }
  const found = lines.map(({ id, canDeliver }): LineFinding => {
    const own = rows.filter(({ lineExternalId }) => lineExternalId === id)
    problems.push(...reportProblems(id, own, oracle))
    const { price } = oracle.settingsOf(id)
    const tally = oracle.tallyOf(id)
    const units = price.model === 'cpc' ? tally.clicks : price.model === 'vcpm' ? tally.viewable : tally.impressions
    const bought = goalUnits(oracle, id)
    const pacing = canDeliver && bought !== null ? paceOf(id, { units, bought }, oracle) : {}
    problems.push(...pacingProblems(id, { ...pacing, units, bought }))
    return { id, goal: bought, impressions: tally.impressions, ...pacing, chargedMicros: oracle.chargeMicros(id) }
  })
  return { requests: oracle.decisions, events: visits.events, lines: found, problems }
}

function reportProblems(id: string, rows: readonly DeliveryRow[], oracle: Oracle): string[] {
  const { hours, impressions, clicks, viewable } = oracle.tallyOf(id)
  const reported = new Map<string, number>()
  for (const row of rows) reported.set(row.period, (reported.get(row.period) ?? 0) + row.impressions)
  const sum = (of: (row: DeliveryRow) => number) => rows.reduce((all, row) => all + of(row), 0)
  const compared: [string, number, number][] = [
    ['impressions', sum((row) => row.impressions), impressions],
    ['clicks', sum((row) => row.clicks), clicks],
    ['viewable impressions', sum((row) => row.viewableImpressions), viewable],
    ['charge in micros', sum((row) => row.spendMicros), oracle.chargeMicros(id)],
    ...[...new Set([...hours.keys(), ...reported.keys()])].map((hour): [string, number, number] => [
      `impressions of ${hour}`,
      reported.get(hour) ?? 0,
      hours.get(hour) ?? 0,
    ]),
  ]
  return compared
    .filter(([, given, counted]) => given !== counted)
    .slice(0, 5)
    .map(([what, given, counted]) => `${id}: ${what} reported ${given}, counted ${counted}`)
}

/** Units that were bought; null for a price that buys none. */
function goalUnits(oracle: Oracle, id: string): number | null {
  const { goalImpressions, price, budgetMicros } = oracle.settingsOf(id)
  if (price.model === 'flat_rate') return null
  if (price.model !== 'cpm') return Math.floor((budgetMicros * (price.model === 'vcpm' ? 1000 : 1)) / price.rateMicros)
  return goalImpressions
}

interface Pace {
  readonly errorAtEnd?: number
  readonly errorOfDay?: number
}

function paceOf(id: string, { units, bought }: { readonly units: number; readonly bought: number }, oracle: Oracle): Pace {
  const errorAtEnd = Math.max(0, Math.abs(units - bought) - FEW) / bought
  const { pacing, price } = oracle.settingsOf(id)
  if (pacing === 'asap' || price.model !== 'cpm') return { errorAtEnd }
  const first = Math.floor(WEEK_START / DAY_MS)
  const errors = [0, 1, 2, 3, 4, 5, 6].map((day) => {
    const due = oracle.dueOnDay(id, day)
    const shown = oracle.tallyOf(id).days.get(first + day) ?? 0
    return due === 0 ? 0 : Math.max(0, Math.abs(shown - due) - FEW) / due
  })
  return { errorAtEnd, errorOfDay: Math.max(...errors) }
}

function pacingProblems(
  id: string,
  { errorAtEnd = 0, errorOfDay = 0, units, bought }: Pace & { readonly units: number; readonly bought: number | null },
): string[] {
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  const over = bought === null ? 0 : (units - bought - FEW) / bought
  return [
    ...(errorAtEnd > MOST_AT_END ? [`${id}: ${units} of ${bought} at the end, ${percent(errorAtEnd)} off`] : []),
    ...(errorOfDay > MOST_ON_A_DAY ? [`${id}: a day is ${percent(errorOfDay)} off its pace`] : []),
    ...(over > MOST_OVER ? [`${id}: ${units} of ${bought}, ${percent(over)} too many`] : []),
  ]
}
