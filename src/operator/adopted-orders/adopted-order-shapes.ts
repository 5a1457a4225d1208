import { flightDaysText } from '../../domain/calendar/flight-days.ts'
import { ORDER_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { PRICING_MODELS } from '../../domain/product/pricing-option.ts'
import { amountText, exactText } from '../amount.ts'
import { flightShape } from '../flight.ts'
import { progress } from '../orders/order-shapes.ts'
import { about, boolean, integer, listOf, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'
import { table } from '../text-table.ts'

const status = about('by flight, clock and the state at the ad server', word(...ORDER_STATUSES))
const COUNTS = ['impressions', 'viewable_impressions', 'clicks', 'completed_views', 'views'] as const

const adoptedLine = object({
  line_id: about('of the ad server', string),
  name: string,
  status,
  guaranteed: boolean,
  pricing_model: word(...PRICING_MODELS),
  rate: about('as it was adopted: what is charged for a unit, of a flat price for the whole flight', number),
  day_rate: about('of a line that is sold by the day', orNull(number)),
  starts_at: moment,
  ends_at: about('the flight ends before this moment', moment),
  flight: flightShape,
  goal: orNull(object({ counts: word(...COUNTS), units: integer })),
  impressions: integer,
  clicks: integer,
  charged: number,
  pacing: progress,
  fault: about('what cannot be read of the line as it was stored; null: nothing', orNull(string)),
})

/** An order that was taken over from an ad server. */
export const adoptedOrderShape = named(
  'AdoptedOrder',
  about(
    'An order that people booked in an ad server, in the book since somebody adopted it. Money in units of `currency`.',
    object({
      order_id: string,
      ad_server: string,
      ad_server_order_id: string,
      name: string,
      advertiser: string,
      currency: about('ISO 4217', string),
      billing_party: about('whom it is billed to; empty: nobody', string),
      billed_from: about('the first month that is billed here, YYYY-MM', string),
      status,
      flight: flightShape,
      impressions: integer,
      charged: number,
      pacing: progress,
      adoptions: about(
        'who read it from the ad server, the newest first',
        listOf(object({ at: moment, person: about('how the audit log names the credential of the person', string) })),
      ),
      lines: listOf(adoptedLine),
    }),
  ),
)
export type ShownAdoptedOrder = Of<typeof adoptedOrderShape>

/** What adopting an order comes to. */
export const adoptionShape = named(
  'Adoption',
  object({
    is_new: about('false: the order was adopted before, and is read again', boolean),
    order: adoptedOrderShape,
    left_out: about(
      'lines of the order that are not adopted, and why',
      listOf(object({ line_id: string, name: string, reason: string })),
    ),
    price_there: about(
      'lines whose price at the ad server is not the one that was adopted: what was adopted is charged',
      listOf(object({ line_id: string, adopted: string, there: string })),
    ),
    delivery: about(
      'rows of delivery that were new; a reason where the ad server did not report: it is asked again every hour',
      object({ rows: integer, reason: orNull(string) }),
    ),
  }),
)
export type ShownAdoption = Of<typeof adoptionShape>

/** How the command line shows an adopted order. */
export function adoptedOrderLines(order: ShownAdoptedOrder): readonly string[] {
  const { currency } = order
  const cells = order.lines.map((line) => [
    line.line_id,
    line.name,
    line.status,
    flightDaysText(line.flight),
    `${exactText(line.day_rate ?? line.rate, currency)} ${line.day_rate === null ? line.pricing_model : 'per day'}`,
    `${line.impressions}${line.goal === null ? '' : `; goal ${line.goal.units} ${line.goal.counts.replace('_', ' ')}`}`,
    amountText(line.charged, currency),
  ])
  return [
    `${order.order_id} (${order.status}): ${order.name}, ${order.advertiser}, ${currency}; order ${order.ad_server_order_id} of ${order.ad_server}, billed from ${order.billed_from} on`,
    ...table(['LINE', 'NAME', 'STATUS', 'FLIGHT', 'PRICE', 'IMPRESSIONS', 'CHARGED'], cells),
    ...order.lines.flatMap(({ line_id: id, fault }) => (fault === null ? [] : [`${id}: ${fault}`])),
  ]
}

/** How the command line shows an adoption. */
export function adoptionLines({ order, left_out: leftOut, price_there: prices, delivery }: ShownAdoption): readonly string[] {
  return [
    ...adoptedOrderLines(order),
    ...leftOut.map(({ line_id: id, name, reason }) => `left out: ${id} (${name}): ${reason}`),
    ...prices.map(
      ({ line_id: id, adopted, there }) => `${id} costs ${there} at the ad server; what was adopted is charged: ${adopted}`,
    ),
    ...(delivery.reason === null ? [] : [`its delivery could not be read: ${delivery.reason}`]),
  ]
}
