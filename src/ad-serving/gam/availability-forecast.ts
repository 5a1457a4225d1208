import type { Flight } from '../../domain/calendar/flight.ts'
import type { Message } from './client.ts'
import { sizeIn } from './creative-fields.ts'
import type { GamProduct } from './gam-options.ts'
import { countOf } from './messages.ts'
import type { SoapClient } from './soap-client.ts'
import type { SoapParameters } from './soap-elements.ts'
import { soapTargeting } from './soap-targeting.ts'

/** A guaranteed line that is not booked. */
export interface ProspectiveLine {
  readonly product: GamProduct
  readonly flight: Flight
  /** As the REST API has it. */
  readonly targeting: Message
  readonly frequencyCaps: readonly Message[]
  /** Impressions wanted; at least one. */
  readonly impressions: number
  readonly now: Date
}

/**
 * Impressions that the network has left for a line with this flight and targeting (`ForecastService.getAvailabilityForecast`): what it expects, less what other lines hold.
 * Undefined where the network answers without a number. Throws {@link GamOutage}, and refusals, `ForecastError.NO_FORECAST_YET` among them.
 */
export async function askAvailability(soap: SoapClient, line: ProspectiveLine): Promise<number | undefined> {
  const parameters = {
    lineItem: { lineItem: prospective(line) },
    forecastOptions: { includeTargetingCriteriaBreakdown: false, includeContendingLineItems: false },
  }
  const [forecast] = await soap.call('ForecastService', 'getAvailabilityForecast', parameters, 'repeatable')
  return forecast?.availableUnits === undefined ? undefined : Math.max(0, countOf(forecast, 'availableUnits'))
}

/** A LineItem with the members that a forecast reads, in the order of its schema. Its price is none: guaranteed lines are forecast alike at every price. */
function prospective({ product, flight, targeting, frequencyCaps, impressions, now }: ProspectiveLine): SoapParameters {
  const hasBegun = Date.parse(flight.startsAt) <= now.getTime()
  return {
    ...(!hasBegun && { startDateTime: dateTime(flight.startsAt) }),
    startDateTimeType: hasBegun ? 'IMMEDIATELY' : 'USE_START_DATE_TIME',
    endDateTime: dateTime(flight.endsAt),
    creativeRotationType: 'EVEN',
    deliveryRateType: 'EVENLY',
    roadblockingType: product.roadblocking ?? 'ONE_OR_MORE',
    frequencyCaps: frequencyCaps.map((cap) => ({
      maxImpressions: String(cap.maxImpressions),
      numTimeUnits: String(cap.timeAmount),
      timeUnit: String(cap.timeUnit),
    })),
    lineItemType: 'STANDARD',
    costType: 'CPM',
    creativePlaceholders: product.sizes.map((size) => ({ size: { ...sizeIn(size), isAspectRatio: false } })),
    environmentType: product.video ? 'VIDEO_PLAYER' : 'BROWSER',
    primaryGoal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: String(impressions) },
    targeting: soapTargeting(targeting),
  }
}

/** A moment of the SOAP API, in UTC; fractions of seconds are dropped. */
function dateTime(text: string): SoapParameters {
  const [day = '', time = ''] = new Date(text).toISOString().split('T')
  const [year, month, dayOfMonth] = day.split('-').map(Number)
  const [hour, minute, second] = time.slice(0, 8).split(':').map(Number)
  return { date: { year, month, day: dayOfMonth }, hour, minute, second, timeZoneId: 'Etc/UTC' }
}
