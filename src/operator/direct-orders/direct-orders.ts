import { setDirectOrderState } from '../../ad-serving/house/direct-orders.ts'
import { directRecordOf } from '../../ad-serving/house/direct-record.ts'
import { reportHours } from '../../ad-serving/house/house-report.ts'
import { DIRECT, getDirectOrder, readDirectOrder, settingsOfStored } from '../../ad-serving/house/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/house/stored-documents.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { flightDaysText } from '../../domain/calendar/flight-days.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type HouseOrderRow, listHouseLines, listHouseOrders } from '../../store/house/house-orders.ts'
import { type ActContext, defineAct } from '../act.ts'
import { oneOf, required, text } from '../fields.ts'
import { flightShape, presentFlight, publisherCalendar } from '../flight.ts'
import { READERS, SELLERS } from '../roles.ts'
import {
  about,
  documentOf,
  integer,
  list,
  listOf,
  moment,
  named,
  number,
  type Of,
  object,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { table } from '../text-table.ts'

/** Orders of one answer. */
const MOST_ORDERS = 200

const state = word('active', 'paused', 'ended')
const orderMembers = { order_id: string, name: string, advertiser: string, currency: about('ISO 4217', string), state }

export type ShownDirectOrder = Of<typeof directOrderShape>
export const directOrderShape = named(
  'DirectOrder',
  object({
    ...orderMembers,
    revision: about('counts the changes of the order, from 1', integer),
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
          summary: listOf(string),
        }),
      ),
    ),
    lines: listOf(
      object({
        line_id: string,
        state,
        product_id: string,
        priority: word('guaranteed', 'standard', 'house'),
        starts_at: moment,
        ends_at: about('the flight ends before this moment', moment),
        flight: flightShape,
        goal: orNull(number),
        impressions: integer,
        clicks: integer,
        charged: number,
      }),
    ),
  }),
)

const ORDER = { order: required(text('id of the order')) }

/** How the command line shows a direct order. */
export function directOrderLines(order: ShownDirectOrder): readonly string[] {
  const cells = order.lines.map((line) => [
    line.line_id,
    line.state,
    line.priority,
    flightDaysText(line.flight),
    `${line.impressions}${line.goal === null ? '' : ` of ${line.goal}`}`,
    String(line.charged),
  ])
  const head = `${order.order_id} (${order.state}): ${order.name}, ${order.advertiser}, ${order.currency}, revision ${order.revision}`
  return [head, ...table(['LINE', 'STATE', 'PRIORITY', 'FLIGHT', 'IMPRESSIONS', 'CHARGED'], cells)]
}

export const listDirectOrders = defineAct({
  name: 'direct-orders.list',
  route: 'GET /direct-orders',
  id: 'listDirectOrders',
  roles: READERS,
  summary: 'Orders that the publisher’s people sold, and house ads, by id.',
  fields: { cursor: text('next_cursor of the page before') },
  answer: pageOf(object(orderMembers)),
  command: {
    help: 'list direct orders',
    flags: { cursor: 'after' },
    columns: [
      ['ID', (order) => order.order_id],
      ['STATE', (order) => order.state],
      ['ADVERTISER', ({ advertiser }) => advertiser],
      ['NAME', ({ name }) => name],
    ],
  },
  async run({ store, tenantId }, { cursor }) {
    const page = { prefix: DIRECT, limit: MOST_ORDERS, ...(cursor !== undefined && { after: `${DIRECT}${cursor}` }) }
    const orders = (await listHouseOrders(store.read, tenantId, page)).map(presentOrder)
    return list(orders, orders.length === MOST_ORDERS ? (orders.at(-1)?.order_id ?? null) : null)
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const showDirectOrder = defineAct({
  name: 'direct-orders.show',
  route: 'GET /direct-orders/{order}',
  id: 'showDirectOrder',
  roles: READERS,
  summary: 'One direct order with its lines and what they delivered.',
  fields: ORDER,
  answer: directOrderShape,
  command: { document: ({ document }) => document, text: directOrderLines },
  run: (context, { order }) => readShownOrder(context, order),
})

const VERBS = { paused: 'pause', active: 'resume', ended: 'end' } as const

/** What ended cannot be resumed and holds nothing. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export const changeDirectOrder = defineAct({
  name: 'direct-orders.state',
  route: 'PUT /direct-orders/{order}/state',
  id: 'changeDirectOrder',
  roles: SELLERS,
  summary: 'Pauses, resumes or ends a direct order.',
  fields: { ...ORDER, state: required(oneOf(['active', 'paused', 'ended'], 'ended: for good')) },
  answer: directOrderShape,
  command: {
    words: 'direct-orders pause',
    help: 'stop serving it until it is resumed',
    fixed: { state: 'paused' },
    text: directOrderLines,
    more: [
      { words: 'direct-orders resume', help: 'serve it again', fixed: { state: 'active' } },
      {
        words: 'direct-orders end',
        help: 'end it for good, and free what it holds of the inventory',
        fixed: { state: 'ended' },
      },
    ],
  },
  async run(context, { order, state: wanted }) {
    const { store, tenantId, clock, actor } = context
    context.noteName(`direct-orders.${VERBS[wanted]}`)
    await store.transaction((tx) => setDirectOrderState(tx, tenantId, order, wanted, { now: clock(), person: actor.credential }))
    return readShownOrder(context, order)
  },
})

/**
 * A direct order with its lines, what they delivered, and its history, newest first; `document` is what entering it again takes (schemas/direct-order.json). Throws
 * REFERENCE_NOT_FOUND.
 */
export async function readShownOrder(context: ActContext, orderId: string): Promise<ShownDirectOrder> {
  const { store, clock, config, tenantId } = context
  const zone = await publisherCalendar(context, tenantId)
  const row = await getDirectOrder(store.read, tenantId, orderId)
  const rows = await reportHours(store.read, tenantId, [row.anchor], clock().getTime())
  const lines = await listHouseLines(store.read, tenantId, row.orderId)
  const { revision, history } = directRecordOf(row)
  const filesOrigin = adsOrigin(config.ads, publicOrigin(config))
  return {
    ...presentOrder(row),
    revision,
    document: await readDirectOrder(store.read, tenantId, row, filesOrigin),
    history: history.toReversed(),
    lines: lines.map(({ anchor, state, document }) => {
      const { settings, terms }: LineDocument = JSON.parse(document)
      const own = rows.filter(({ lineExternalId }) => lineExternalId === anchor)
      const sum = (of: 'impressions' | 'clicks' | 'spendMicros') => own.reduce((all, each) => all + each[of], 0)
      return {
        line_id: anchor.slice(row.anchor.length + 1),
        state,
        product_id: settings.productId,
        priority: terms.priority,
        starts_at: settings.startsAt,
        ends_at: settings.endsAt,
        flight: presentFlight(settings, zone),
        goal: settings.goalImpressions,
        impressions: sum('impressions'),
        clicks: sum('clicks'),
        charged: microsToAmount(sum('spendMicros')),
      }
    }),
  }
}

function presentOrder(row: HouseOrderRow) {
  const { anchor, state } = row
  const { name, advertiserId: advertiser, currency } = settingsOfStored(row)
  return { order_id: anchor.slice(DIRECT.length), name, advertiser, currency, state }
}
