import type { Flight } from '../calendar/flight.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { daysNamedIn, type NamedDays } from './brief-dates.ts'
import { durationFault, type Product, runsOn } from './product.ts'
import type { ProductFilters } from './product-filters.ts'

/** The days that a question is about. */
export interface AskedDays extends NamedDays {
  /** Filters exclude products; days of a brief exclude them from plans alone. */
  readonly source: 'filters' | 'brief'
  /** No order can run in them any more. */
  readonly isOver: boolean
}

/** The days of a question: its filters before the words of its brief. Undefined when it names none. */
export function askedDays(
  { start_date: start, end_date: end }: ProductFilters = {},
  brief: string | undefined,
  now: Date,
): AskedDays | undefined {
  const isFiltered = start !== undefined || end !== undefined
  const named = isFiltered
    ? { ...(start !== undefined && { first: start }), ...(end !== undefined && { last: end }) }
    : daysNamedIn(brief ?? '', now)
  const latest = named?.last ?? (isFiltered ? named?.first : undefined)
  if (!named) return undefined
  return {
    ...named,
    source: isFiltered ? 'filters' : 'brief',
    isOver: latest !== undefined && latest < now.toISOString().slice(0, 10),
  }
}

/** The longest flight that is planned and forecast, in days. */
const MOST_DAYS = 3_660

/** The flight of days from the first on, the last one included; undefined where either is not named or none can be ordered so. */
export function flightOfDays({ first, last }: { [Day in keyof NamedDays]?: string | undefined } = {}): Flight | undefined {
  const [startsAt, endsAt] = [Date.parse(first ?? ''), Date.parse(last ?? '') + DAY_MS]
  const days = Math.round((endsAt - startsAt) / DAY_MS)
  if (!(days >= 1 && days <= MOST_DAYS)) return undefined
  return { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() }
}

/** Filters with the days that a brief names, where they name none. */
export function withAskedDays<F extends ProductFilters>(
  filters: F | undefined,
  days: AskedDays | undefined,
): F | ProductFilters | undefined {
  if (days?.source !== 'brief' || days.isOver) return filters
  return {
    ...filters,
    ...(days.first !== undefined && { start_date: days.first }),
    ...(days.last !== undefined && { end_date: days.last }),
  }
}

/** Filters that name no days. */
export function withoutDays<F extends ProductFilters>({ start_date: _start, end_date: _end, ...others }: F | Partial<F> = {}) {
  return others
}

/** The sentences of an answer about the days of its question: how they were read, and what of the answer (`shown`) does not run then. */
export function daysNotes(days: AskedDays | undefined, shown: readonly Product[]): string[] {
  if (!days) return []
  const { first, last, source, isOver } = days
  const named = [...(first === undefined ? [] : [`from ${first}`]), ...(last === undefined ? [] : [`to ${last}`])].join(' ')
  if (isOver)
    return [
      `The days of ${source === 'filters' ? 'filters' : 'the brief'} (${named}) are over: no order can run then, and no plan is made.`,
    ]
  const flight = flightOfDays(days)
  const timed = shown.flatMap((product) => {
    const fault = durationFault(product, flight)
    return fault === undefined ? [] : [`${product.id} ${fault}: its package has start_time and end_time of its own.`]
  })
  if (source === 'filters') return timed
  const others = shown.filter((product) => !runsOn(product, days)).map(({ id }) => id)
  return [
    `Read from the brief: ${named}. A plan or forecast is for these days; filters.start_date and end_date search by others, start_time and end_time order.`,
    ...(others.length > 0 ? [`Not on sale on all of these days: ${others.join(', ')}.`] : []),
    ...timed,
  ]
}
