import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { between, count } from '../fields.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { percent } from '../text-table.ts'
import { findShortfalls, MOST_SHORTFALLS, type Shortfall, shortfallShape } from './find-shortfalls.ts'

/** Days. What fell short in flights that ended longer ago is settled, or no longer acted on. */
export const SHORTFALL_DAYS = 30
/** The longest look back. */
export const MOST_DAYS = 366

/** Lines of any origin that ended below what was ordered. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
export const listShortfalls = defineAct({
  name: 'orders.shortfalls',
  route: 'GET /reports/shortfalls',
  id: 'listShortfalls',
  roles: READERS,
  summary: `Lines of buyers’ and direct orders that ended below what was ordered, the latest end first; at most ${MOST_SHORTFALLS}.`,
  fields: {
    order: idText('lines of one order'),
    days: between(1, MOST_DAYS, count(`that ended within so many days, 1 to ${MOST_DAYS}; default ${SHORTFALL_DAYS}`)),
  },
  answer: pageOf(shortfallShape),
  command: {
    columns: [
      ['ORDER', ({ order_id }) => order_id],
      ['LINE', ({ line_id }) => line_id],
      ['ADVERTISER', ({ advertiser }) => advertiser ?? ''],
      ['ORDERED', (each) => amountOf(each, each.ordered)],
      ['DELIVERED', (each) => amountOf(each, each.delivered)],
      ['MISSING', ({ missing }) => percent(missing)],
      ['LAST DAY', ({ flight }) => flightDayText(flight.last)],
    ],
  },
  async run(context, { order, days = SHORTFALL_DAYS }) {
    return list(await findShortfalls(context, context.tenantId, days, order))
  },
})

function amountOf({ unit, currency }: Shortfall, value: number): string {
  return unit === 'money' ? `${amountText(value, currency)} ${currency}` : String(value)
}
