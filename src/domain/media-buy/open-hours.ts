import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { HOUR_MS } from '../calendar/instant.ts'
import { type LocalHour, localHour } from '../calendar/local-hour.ts'
import { DAY_HOURS, hoursOfEachDay, openHoursOf, openWeekOf, partOfDay, WEEK, WEEK_HOURS } from '../calendar/open-week.ts'
import type { Product } from '../product/product.ts'
import type { DaypartTarget } from '../product/targeting-overlay.ts'
import { dayCountOf } from './flight.ts'
import { MOST_OPEN_DAYS } from './inventory.ts'
import type { Package } from './media-buy.ts'
import { bookedBudget, lowerBudget } from './shortage.ts'
import { shownRoom } from './shown-room.ts'

/** The clock that dayparts of a publisher go by. */
export interface PublisherClock {
  /** IANA. */
  readonly timeZone: string
  hourAt(now: number): LocalHour
}

/** It is made once for many packages: making it takes longer than asking it. */
export function publisherClock(timeZone: string): PublisherClock {
  return { timeZone, hourAt: localHour(timeZone) }
}

/** The package with the hours of a week in which it holds inventory. */
export function withOpenWeek(pkg: Package, { hourAt }: PublisherClock): Package {
  const { openWeek: _old, ...always } = pkg
  const openWeek = openWeekOf(pkg.targetingOverlay?.daypart_targets, hourAt, pkg.terms.startsAt)
  return openWeek === undefined ? always : { ...always, openWeek }
}

/**
 * Throws for a package whose `daypart_targets` leave too little of its flight: VALIDATION_ERROR where not one hour is left, so that nothing could ever be shown, and where a guaranteed one is on some days of
 * the week for longer than is held day by day; PRODUCT_UNAVAILABLE where it is guaranteed and its hours have less than it books even if each of them showed all that an hour can.
 * `path`: of the package in the request.
 */
export function requireOpenHours(
  pkg: Package,
  product: Pick<Product, 'selling'> | undefined,
  { clock, path }: { readonly clock: PublisherClock; readonly path: string },
): void {
  const { targetingOverlay, terms, reservedImpressions: requested, productId } = pkg
  const dayparts = targetingOverlay?.daypart_targets ?? []
  if (dayparts.length === 0) return
  const days = daysOpen(dayparts, terms, clock)
  const field = `${path}.targeting_overlay.daypart_targets`
  const flight = `${terms.startsAt} to ${terms.endsAt} (hours of ${clock.timeZone})`
  if (days === 0)
    throw new AdcpError(
      'VALIDATION_ERROR',
      `${field} leaves no hour of the flight of the package, ${flight}: nothing could be shown`,
      {
        field,
        suggestion: 'name hours that the flight has, or move the flight',
      },
    )
  if (requested > 0 && dayCountOf(terms) > MOST_OPEN_DAYS && isUneven(dayparts, clock, terms))
    throw new AdcpError(
      'VALIDATION_ERROR',
      `${field} is open on some days of the week more than on others: a guaranteed package of this kind runs ${MOST_OPEN_DAYS} days at most, this one ${dayCountOf(terms)}`,
      { field, suggestion: 'split the package into shorter ones, or name the same hours for every day' },
    )
  const dailyCapacity = product?.selling.dailyCapacity
  if (dailyCapacity === undefined || requested <= dailyCapacity * days) return
  const fits = shownRoom(dailyCapacity * days)
  const budget = bookedBudget([pkg])
  const { words, payable } = lowerBudget({ requested, fits }, budget)
  throw new AdcpError(
    'PRODUCT_UNAVAILABLE',
    `${productId} does not have enough inventory in the hours of ${field}: at most ${fits} of the ${requested} impressions fit there in the flight, ${flight}`,
    {
      field,
      suggestion: `${words}add hours, or move the flight`,
      details: {
        product_id: productId,
        requested_impressions: requested,
        fitting_impressions: fits,
        ...(payable !== undefined && { fitting_budget: payable, currency: budget?.currency }),
      },
    },
  )
}

function isUneven(dayparts: readonly DaypartTarget[], { hourAt }: PublisherClock, { startsAt }: Flight): boolean {
  const week = openWeekOf(dayparts, hourAt, startsAt)
  return week !== undefined && hoursOfEachDay(week) === undefined
}

/** How many days' worth of inventory the hours of a flight have at most: 0 where none is open. The hours of a week follow from those of its start: a change of the clock moves one of them. */
function daysOpen(dayparts: readonly DaypartTarget[], { startsAt, endsAt }: Flight, { hourAt }: PublisherClock): number {
  const isOpen = openHoursOf(dayparts)
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  const { day, hour } = hourAt(start)
  const first = WEEK.indexOf(day) * DAY_HOURS + hour
  const hours = Math.ceil((end - start) / HOUR_MS)
  const worth = (from: number, count: number) => {
    const byDay = new Map<number, number>()
    for (let at = from; at < from + count; at++) {
      const of = Math.floor(at / DAY_HOURS)
      if (isOpen[at % WEEK_HOURS]) byDay.set(of, (byDay.get(of) ?? 0) + 1)
    }
    return [...byDay.values()].reduce((sum, open) => sum + partOfDay(open), 0)
  }
  return Math.floor(hours / WEEK_HOURS) * worth(0, WEEK_HOURS) + worth(first, hours % WEEK_HOURS)
}
