import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { count, text } from '../fields.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { percent } from '../text-table.ts'
import { findShortfalls, type Shortfall, shortfallShape } from './find-shortfalls.ts'

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
  summary: 'Lines of buyers’ and direct orders that ended below what was ordered, the latest end first; at most 500.',
  fields: {
    order: text('lines of one order'),
    days: count(`that ended within so many days, 1 to ${MOST_DAYS}; default ${SHORTFALL_DAYS}`),
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
    if (!(days >= 1 && days <= MOST_DAYS))
      throw new AdcpError('INVALID_REQUEST', `days must be a whole number from 1 to ${MOST_DAYS}`, { field: 'days' })
    return list(await findShortfalls(context, context.tenantId, days, order))
  },
})

function amountOf({ unit, currency }: Shortfall, value: number): string {
  return unit === 'money' ? `${amountText(value, currency)} ${currency}` : String(value)
}
