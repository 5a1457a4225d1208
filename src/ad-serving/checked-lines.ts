import { SERVING_STATES } from '../domain/ad-serving/desired-order.ts'
import type {
  ExistingDelivery,
  ExistingLine,
  ExistingOrder,
  ExistingPage,
  LineCounts,
} from '../domain/ad-serving/existing-line.ts'
import type { UnitDay, UnitReport } from '../domain/ad-serving/unit-day.ts'
import { isObject } from '../protocol/is-object.ts'
import type { LineForecast } from './backend.ts'

/** A page of lines that a module lists: those that have what suggestions read, with everything else as it is; undefined: it is none. */
export function readExistingPage(value: unknown): ExistingPage | undefined {
  if (!isObject(value) || !Array.isArray(value.lines)) return undefined
  const lines = value.lines.flatMap((line: unknown) => readLine(line) ?? [])
  return { lines, ...(typeof value.next === 'string' && { next: value.next }) }
}

/**
 * An order that people booked in the ad server, as its module reads it, with all lines; undefined when there is no such order. Values are not checked here: the
 * adoption of the order checks them and says what is wrong.
 */
export function readExistingOrder(value: unknown): ExistingOrder | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || !Array.isArray(value.lines)) return undefined
  const { id, name, advertiser } = value
  const lines = value.lines.map(readOrderLine)
  return { id, name: typeof name === 'string' ? name : id, advertiser: typeof advertiser === 'string' ? advertiser : '', lines }
}

/** A part of a report of orders of others, rows without a line or a period left out; undefined: it is none. */
export function readExistingDelivery(value: unknown): ExistingDelivery | undefined {
  if (!isObject(value) || !Array.isArray(value.rows)) return undefined
  const rows = value.rows.flatMap((row: unknown) => readLineCounts(row) ?? [])
  return { rows, ...(typeof value.next === 'string' && { next: value.next }) }
}

function readLineCounts(value: unknown): LineCounts | undefined {
  if (!isObject(value) || typeof value.lineId !== 'string' || typeof value.period !== 'string') return undefined
  const { lineId, period, impressions, clicks, views, completedViews, viewableImpressions } = value
  return {
    ...{ lineId, period, impressions: reportedCount(impressions), clicks: reportedCount(clicks), views: reportedCount(views) },
    ...{ completedViews: reportedCount(completedViews), viewableImpressions: reportedCount(viewableImpressions) },
  }
}

/** A count of a report, which is billed: 0 where it is left out, and NaN for what is no number, so that its row does not count (`faultOfReported`). */
export function reportedCount(value: unknown): number {
  if (value === undefined || value === null) return 0
  return typeof value === 'number' ? value : Number.NaN
}

/** Forecasts that a module gives, those of a wrong shape left out; undefined: it is no list. */
export function readForecasts(value: unknown): readonly LineForecast[] | undefined {
  return Array.isArray(value) ? value.flatMap((each: unknown) => readForecast(each) ?? []) : undefined
}

/** A part of a report of ad units that a module gives, rows without a unit or a day left out; undefined: it is none. */
export function readUnitReport(value: unknown): UnitReport | undefined {
  if (!isObject(value) || !Array.isArray(value.rows)) return undefined
  const rows = value.rows.flatMap((row: unknown) => readUnitDay(row) ?? [])
  const timeZone = typeof value.timeZone === 'string' ? value.timeZone : 'UTC'
  return { rows, timeZone, ...(typeof value.next === 'string' && { next: value.next }) }
}

function readUnitDay(value: unknown): UnitDay | undefined {
  if (!isObject(value) || typeof value.unitId !== 'string' || typeof value.day !== 'string') return undefined
  const { unitId, unitName, day } = value
  return {
    ...{ unitId, unitName: typeof unitName === 'string' ? unitName : unitId, day },
    ...{ requests: countIn(value.requests), unfilled: countIn(value.unfilled), impressions: countIn(value.impressions) },
    ...{ viewableImpressions: countIn(value.viewableImpressions), clicks: countIn(value.clicks) },
    completedViews: countIn(value.completedViews),
  }
}

/** Marks of orders that a module gives, as texts; undefined: it is no map. */
export function readMarks(value: unknown): ReadonlyMap<string, string> | undefined {
  return value instanceof Map ? new Map([...value].map(([id, mark]) => [String(id), String(mark)])) : undefined
}

function readLine(value: unknown): ExistingLine | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.currency !== 'string') return undefined
  return lineIn(value)
}

/** Texts that are left out are empty, counts are 0. */
function lineIn(value: Readonly<Record<string, unknown>>): ExistingLine {
  const textOf = (member: unknown) => (typeof member === 'string' ? member : '')
  const textsOf = (member: unknown) => (Array.isArray(member) ? member.filter((one: unknown) => typeof one === 'string') : [])
  const [sizes, keyValues] = [textsOf(value.sizes), Array.isArray(value.keyValues) ? value.keyValues.filter(isKeyValues) : []]
  const goal = readGoal(value.goal)
  const state = SERVING_STATES.find((each) => each === value.state)
  return {
    id: textOf(value.id),
    orderId: textOf(value.orderId),
    orderName: textOf(value.orderName),
    name: textOf(value.name),
    status: textOf(value.status),
    isArchived: value.isArchived === true,
    isOurs: value.isOurs === true,
    type: textOf(value.type),
    ...(typeof value.startsAt === 'string' && { startsAt: value.startsAt }),
    ...(typeof value.endsAt === 'string' && { endsAt: value.endsAt }),
    costType: textOf(value.costType),
    rateMicros: countIn(value.rateMicros),
    currency: textOf(value.currency),
    impressionsDelivered: countIn(value.impressionsDelivered),
    unitIds: textsOf(value.unitIds),
    ...(goal && { goal }),
    ...(value.isGuaranteed === true && { isGuaranteed: true }),
    ...(state && { state }),
    ...(sizes.length > 0 && { sizes }),
    ...(keyValues.length > 0 && { keyValues }),
  }
}

/** A line of an order that is adopted: none is left out, and what is no number is NaN, so that nothing wrong is taken for 0. */
function readOrderLine(value: unknown): ExistingLine {
  const given = isObject(value) ? value : {}
  const { goal: _goal, ...line } = lineIn(given)
  const numberIn = (member: unknown) => (typeof member === 'number' ? member : Number.NaN)
  const { rateMicros, goal, startsAt, endsAt } = given
  const hasPrice = rateMicros !== undefined && rateMicros !== null
  const units = isObject(goal) && goal.units !== 0 ? numberIn(goal.units) : undefined
  const momentOf = (moment: unknown) => {
    if (moment === undefined || moment === null) return undefined
    return typeof moment === 'string' ? moment : `a ${typeof moment}`
  }
  const [start, end] = [momentOf(startsAt), momentOf(endsAt)]
  return {
    ...line,
    ...(hasPrice ? { rateMicros: numberIn(rateMicros) } : { rateMicros: 0, currency: '' }),
    ...(start !== undefined && { startsAt: start }),
    ...(end !== undefined && { endsAt: end }),
    ...(isObject(goal) && units !== undefined && { goal: { unit: typeof goal.unit === 'string' ? goal.unit : '', units } }),
  }
}

function readGoal(value: unknown): ExistingLine['goal'] {
  if (!isObject(value) || typeof value.unit !== 'string' || countIn(value.units) === 0) return undefined
  return { unit: value.unit, units: countIn(value.units) }
}

function isKeyValues(value: unknown): value is NonNullable<ExistingLine['keyValues']>[number] {
  return (
    isObject(value) &&
    typeof value.key === 'string' &&
    Array.isArray(value.values) &&
    value.values.every((one) => typeof one === 'string')
  )
}

function readForecast(value: unknown): LineForecast | undefined {
  if (!isObject(value) || typeof value.lineExternalId !== 'string') return undefined
  const { lineExternalId, unit, goal, delivered, predicted } = value
  return {
    lineExternalId,
    unit: typeof unit === 'string' ? unit : 'IMPRESSIONS',
    goal: countIn(goal),
    delivered: countIn(delivered),
    predicted: countIn(predicted),
  }
}

function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}
