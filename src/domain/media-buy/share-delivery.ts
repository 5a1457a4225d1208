import { DAY_MS } from '../calendar/instant.ts'
import { type DayMetrics, type DeliverySum, type Metrics, NOTHING } from './delivery.ts'
import type { CreativeFact, Package, Window } from './media-buy.ts'

/**
 * What each creative of a package had of its delivery, by creative id: every day is divided by weight and by how long each could serve on it, in whole
 * units that add up to the day. What creatives served that are no longer assigned is given to none. A day on which none could serve (figures that
 * were recorded from elsewhere) is divided by weight among the approved ones.
 */
export function shareDelivery(
  pkg: Pick<Package, 'pastServing'>,
  sum: DeliverySum,
  facts: readonly CreativeFact[],
): ReadonlyMap<string, readonly DayMetrics[]> {
  const weights = weightsOf(facts)
  const days = new Map<string, DayMetrics[]>(facts.map(({ creativeId }) => [creativeId, []]))
  for (const { day, ...metrics } of sum.days) {
    const times = facts.map((fact, index) => (weights[index] ?? 0) * timeOn(day, windowsOf(fact)))
    const serves = times.some((time) => time > 0)
    const gone = timeOn(day, serves ? ended(pkg.pastServing) : pkg.pastServing) * mean(weights)
    const served = serves || gone > 0
    const shares = served
      ? [...times, gone]
      : facts.map(({ approval }, index) => (approval === 'approved' ? (weights[index] ?? 0) : 0))
    for (const [index, part] of divide(metrics, shares).entries()) {
      const creativeId = facts[index]?.creativeId
      if (creativeId !== undefined && Object.values(part).some((value) => value > 0)) days.get(creativeId)?.push({ ...part, day })
    }
  }
  return days
}

/**
 * Weights of rotation (sync_creatives `assignments[].weight`, 0 to 100). Without any, all are equal; a creative without one beside others that have
 * one counts as their mean; all zero is no wish at all.
 */
function weightsOf(facts: readonly CreativeFact[]): number[] {
  const stated = facts.flatMap(({ weight }) => (weight === undefined ? [] : [weight]))
  const usual = stated.some((weight) => weight > 0) ? mean(stated) : 1
  return facts.map(({ weight }) => (stated.every((each) => each === 0) ? 1 : (weight ?? usual)))
}

function windowsOf({ served = [], servesFrom }: CreativeFact): readonly Window[] {
  return [...served, ...(servesFrom === undefined ? [] : [{ from: servesFrom }])]
}

/** Windows of creatives that are no longer assigned. One without an end represents ads that the seller supplies where the buyer has sent none. */
function ended(windows: readonly Window[]): readonly Window[] {
  return windows.filter(({ until }) => until !== undefined)
}

/** Milliseconds of a UTC day that windows cover. */
function timeOn(day: string, windows: readonly Window[]): number {
  const start = Date.parse(day)
  return windows.reduce((time, { from, until }) => {
    const end = until === undefined ? start + DAY_MS : Math.min(Date.parse(until), start + DAY_MS)
    return time + Math.max(0, end - Math.max(Date.parse(from), start))
  }, 0)
}

/** Divides counts by shares, each by the largest remainder, so that the parts add up to the whole. Without shares there are no parts. */
export function divide(metrics: Metrics, shares: readonly number[]): Metrics[] {
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (total <= 0) return shares.map(() => NOTHING)
  const names = Object.keys(NOTHING) as (keyof Metrics)[]
  const columns = names.map((name) => divideWhole(metrics[name], shares, total))
  return shares.map((_share, index) => {
    const part = Object.fromEntries(names.map((name, column) => [name, columns[column]?.[index] ?? 0]))
    return { ...NOTHING, ...part }
  })
}

function divideWhole(whole: number, shares: readonly number[], total: number): number[] {
  const exact = shares.map((share) => whole * (share / total))
  const parts = exact.map(Math.floor)
  const order = exact.map((value, index) => [value - Math.floor(value), index] as const).sort(([a, i], [b, j]) => b - a || i - j)
  let rest = whole - parts.reduce((sum, part) => sum + part, 0)
  for (const [, index] of order) {
    if (rest <= 0) break
    parts[index] = (parts[index] ?? 0) + 1
    rest -= 1
  }
  return parts
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
