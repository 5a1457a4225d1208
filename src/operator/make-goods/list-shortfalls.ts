import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { DEFAULT_MAKE_GOODS, isWorthOffering } from '../../domain/identity/make-good-policy.ts'
import { proposedMakeGoods } from '../../domain/media-buy/make-good.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { chargedOfLines } from '../billing/charged-lines.ts'
import { between, count } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { findShortLines, MOST_SHORTFALLS, SHORT_LINE, SHORTFALL_DAYS } from '../orders/find-shortfalls.ts'
import { makeGoodTermsShape, presentTerms } from '../orders/make-good-shape.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, named, type Of, object, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { percent } from '../text-table.ts'

/** A line whose flight is over and that delivered less than what was ordered. */
const shortfallShape = named(
  'Shortfall',
  about(
    'A line whose flight is over and that delivered less than what was ordered, by a hundredth or more.',
    object({
      ...SHORT_LINE,
      proposed: about(
        'what can be offered for it; nothing where the policy of make-goods leaves it alone',
        listOf(makeGoodTermsShape),
      ),
    }),
  ),
)
export type Shortfall = Of<typeof shortfallShape>

/** The longest look back, in days. */
export const MOST_DAYS = 366

/** Lines that fell short with what can be offered for them, as {@link findShortLines} finds them. Throws as it does. */
export async function findShortfalls(
  context: OperatorContext,
  tenantId: string,
  days: number,
  order?: string,
): Promise<readonly Shortfall[]> {
  const found = await findShortLines(context, tenantId, days, order)
  const policy = (await findTenant(context.store.read, tenantId))?.settings.makeGoods ?? DEFAULT_MAKE_GOODS
  const flat = found.filter(({ line }) => line.flatMicros !== undefined)
  const charged = await chargedOfLines(
    context,
    tenantId,
    flat.map(({ delivered }) => delivered),
  )
  const now = context.clock()
  return found.map(({ shown, line, delivered: { lineId } }) => {
    const proposed = isWorthOffering(policy, shown.missing) ? proposedMakeGoods(line, charged.get(lineId), now) : []
    // More impressions are booked at the ad server, which this program does not write adopted orders to.
    const possible = shown.origin === 'adopted' ? proposed.filter(({ remedy }) => remedy === 'credit') : proposed
    return { ...shown, proposed: possible.map(presentTerms) }
  })
}

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
