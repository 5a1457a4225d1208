import type { Flight } from '../domain/calendar/flight.ts'
import { flightDaysOf } from '../domain/calendar/flight-days.ts'
import { type LocalCalendar, localCalendar } from '../domain/calendar/local-time.ts'
import { timeZoneOf } from '../domain/identity/publisher-settings.ts'
import { findTenant } from '../store/identity/tenants.ts'
import type { OperatorContext } from './operator-context.ts'
import { about, named, type Of, object, orNull, string } from './shape.ts'

const time = about('HH:MM; null: it has the whole day', orNull(string))
const flightDay = (what: string) => about(what, object({ day: about('YYYY-MM-DD', string), time }))

/** The days of a flight as the console, the admin API and the command line show them. */
export const flightShape = named(
  'FlightDays',
  about(
    'The days of a flight in the time zone of the publisher.',
    object({
      first: flightDay('the day on which it begins'),
      last: flightDay('the last day on which it runs'),
      time_zone: about('IANA name', string),
    }),
  ),
)
export type ShownFlight = Of<typeof flightShape>

/** The calendar of a publisher, and its time zone (IANA). */
export interface PublisherCalendar {
  readonly timeZone: string
  readonly calendar: LocalCalendar
}

/** The calendar that the days of a publisher's flights are told in. */
export async function publisherCalendar(
  { store, config }: Pick<OperatorContext, 'store' | 'config'>,
  tenantId: string,
): Promise<PublisherCalendar> {
  const timeZone = timeZoneOf((await findTenant(store.read, tenantId))?.settings ?? {}, config.ads.timeZone)
  return { timeZone, calendar: localCalendar(timeZone) }
}

/** A flight in days of a publisher. */
export function presentFlight(flight: Flight, { timeZone, calendar }: PublisherCalendar): ShownFlight {
  return { ...flightDaysOf(flight, calendar), time_zone: timeZone }
}
