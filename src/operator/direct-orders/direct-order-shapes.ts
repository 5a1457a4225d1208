import { DIRECT_PRICE_MODELS } from '../../ad-serving/embedded/direct-order.ts'
import { DIRECT_STATUSES } from '../../ad-serving/embedded/direct-status.ts'
import { PRIORITIES } from '../../ad-serving/embedded/line.ts'
import type { readDirectOrder } from '../../ad-serving/embedded/stored-direct-order.ts'
import { SERVING_STATES } from '../../domain/ad-serving/desired-order.ts'
import { flightDaysText } from '../../domain/calendar/flight-days.ts'
import { amountText } from '../amount.ts'
import { flightShape } from '../flight.ts'
import { progress } from '../orders/order-shapes.ts'
import { about, documentOf, integer, listOf, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'
import { table } from '../text-table.ts'

const state = about('what people decided; `status` says what it is', word(...SERVING_STATES))
const status = about('by decision, creatives, flight and clock, as of orders of buyers', word(...DIRECT_STATUSES))

/** What the publisher can do to a direct order. */
const DIRECT_ACTIONS = ['change', 'pause', 'resume', 'end', 'cancel'] as const
export type DirectAction = (typeof DIRECT_ACTIONS)[number]

const orderMembers = {
  order_id: string,
  name: string,
  advertiser: string,
  currency: about('ISO 4217', string),
  state,
  status,
  flight: flightShape,
  goal: about('of all lines that have one', integer),
  impressions: integer,
  pacing: progress,
}

/** A direct order of a list. */
export const directOrderRow = named('DirectOrderRow', object(orderMembers))
export type DirectOrderRow = Of<typeof directOrderRow>

export type ShownDirectOrder = Of<typeof directOrderShape>
export const directOrderShape = named(
  'DirectOrder',
  object({
    ...orderMembers,
    revision: about('counts the changes of the order, from 1', integer),
    discount_basis_points: about('of its terms', integer),
    commission_basis_points: about('of its terms, of what is left after the discount', integer),
    possible_actions: about('what the publisher may do now: what its state allows', listOf(word(...DIRECT_ACTIONS))),
    document: documentOf<Awaited<ReturnType<typeof readDirectOrder>>>(
      'What entering the order again takes (schemas/direct-order.json), to change it.',
    ),
    history: about(
      'changes, the newest first; at most 200',
      listOf(
        object({
          revision: integer,
          at: moment,
          person: about('how the audit log names the credential of the person', string),
          summary: about('what was changed; of many the first 50, and how many more there are', listOf(string)),
        }),
      ),
    ),
    cancellation: about(
      'what the advertiser owes for canceling now, by line, in units of `currency`; lines that owe nothing by the policy of their product are left out',
      listOf(
        object({
          line_id: string,
          owed: about('charged beside what was delivered', number),
          free_until: about('null: the notice has begun, or none can be given', orNull(moment)),
          rule: about('why that much', string),
        }),
      ),
    ),
    lines: listOf(
      object({
        line_id: string,
        state,
        status,
        product_id: string,
        priority: word(...PRIORITIES),
        starts_at: moment,
        ends_at: about('the flight ends before this moment', moment),
        flight: flightShape,
        goal: orNull(number),
        impressions: integer,
        clicks: integer,
        price: about(
          'null: it costs nothing',
          orNull(
            object({
              model: about('what one price is for', word('cpm', ...DIRECT_PRICE_MODELS)),
              list: about('as it was entered, before discount and commission', number),
              net: about('after discount and commission of the order', number),
            }),
          ),
        ),
        charged: about('for what was delivered, before discount and commission', number),
        charged_net: about('after discount and commission of the order, without tax', number),
        pacing: progress,
      }),
    ),
  }),
)

/** How the command line shows a direct order. */
export function directOrderLines(order: ShownDirectOrder): readonly string[] {
  const cells = order.lines.map((line) => [
    line.line_id,
    line.status,
    line.priority,
    flightDaysText(line.flight),
    `${line.impressions}${line.goal === null ? '' : ` of ${line.goal}`}`,
    line.pacing.state.replace('_', ' '),
    line.price === null ? '' : `${line.price.list} ${line.price.model.replace('_', ' ')}`,
    line.price === null ? '' : String(line.price.net),
    String(line.charged),
  ])
  const head = `${order.order_id} (${order.status}): ${order.name}, ${order.advertiser}, ${order.currency}, revision ${order.revision}`
  return [
    head,
    ...table(
      ['LINE', 'STATUS', 'PRIORITY', 'FLIGHT', 'IMPRESSIONS', 'PACING', 'LIST PRICE', 'NET PRICE', 'CHARGED BEFORE DISCOUNT'],
      cells,
    ),
    ...cancellationLines(order),
  ]
}

/** What canceling would cost. */
export function cancellationLines({ cancellation, currency }: ShownDirectOrder): readonly string[] {
  return cancellation.map(({ line_id: line, owed, free_until: until, rule }) => {
    const free = until === null ? '' : `, free until ${until}`
    return `canceling ${line} costs ${amountText(owed, currency)} ${currency}${free}: ${rule}`
  })
}
