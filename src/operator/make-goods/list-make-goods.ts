import { flightDaysText } from '../../domain/calendar/flight-days.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { publisherCalendar } from '../flight.ts'
import { makeGoodShape, presentMakeGood, type ShownMakeGood } from '../orders/make-good-shape.ts'
import { ORDER } from '../orders/show-order.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { makeGoodsOf } from './short-line.ts'

/** Make-goods of an order of any origin, the oldest first. Throws REFERENCE_NOT_FOUND. */
export const listMakeGoods = defineAct({
  name: 'make-goods.show',
  route: 'GET /orders/{order}/make-goods',
  id: 'listMakeGoods',
  roles: READERS,
  summary: 'What was offered for lines of an order that fell short, the oldest first.',
  fields: { order: ORDER },
  answer: pageOf(makeGoodShape),
  command: {
    columns: [
      ['MAKE-GOOD', (each) => each.make_good_id],
      ['LINE', (each) => each.line_id],
      ['WHAT', whatText],
      ['STATE', ({ state }) => state],
      ['REASON', ({ reason }) => reason],
    ],
  },
  async run(context, { order }) {
    const { makeGoods, currency } = await makeGoodsOf(context, order)
    const shown = { currency, now: context.clock(), zone: await publisherCalendar(context, context.tenantId) }
    return list(makeGoods.map((each) => presentMakeGood(each, shown)))
  },
})

/** What a make-good gives, in a few words. */
export function whatText({ amount, currency, impressions, flight }: ShownMakeGood): string {
  if (amount !== null) return `credit of ${amountText(amount, currency)} ${currency} net`
  return `${impressions === null ? 'the rest of the budget' : `${impressions} impressions`}${flight ? `, ${flightDaysText(flight)}` : ''}`
}

/** A make-good in a line, for the command line. */
export function makeGoodLines(each: ShownMakeGood): readonly string[] {
  return [`${each.make_good_id}: ${whatText(each)} for line ${each.line_id}, ${each.state} (${each.reason})`]
}
