import { defineAct } from '../act.ts'
import { day, flag, required } from '../fields.ts'
import { READERS, SELLERS } from '../roles.ts'
import { about, integer, list, listOf, number, type Of, object, orNull, pageMembers, pageOf, string } from '../shape.ts'
import { adServerName, idText } from '../text-form.ts'
import { table } from '../text-table.ts'
import { adServerOrder, drift, ONLY_ORDER } from './ad-server-shapes.ts'
import { driftWords } from './drift-words.ts'
import { forecastOrder } from './forecast-order.ts'
import { showDrift, showOrders } from './show-ad-servers.ts'
import { importReports, syncOrders } from './sync-orders.ts'

// Several acts in one file: they ask the same system.

type Order = Of<typeof adServerOrder>
const shownDrift = (row: Of<typeof drift>) => driftWords(row)

const ORDER_COLUMNS = [
  ['MEDIA BUY', (row: Order) => row.media_buy_id],
  ['AD SERVER', (row: Order) => row.ad_server],
  ['STATE', (row: Order) => (row.in_step ? 'in step' : 'waiting')],
  ['REASON', (row: Order) => row.reason ?? ''],
] as const

export const listOrdersThere = defineAct({
  name: 'adservers.orders',
  route: 'GET /ad-servers/orders',
  id: 'listAdServerOrders',
  roles: READERS,
  summary: 'The state of orders at their ad servers.',
  fields: { order: idText('one order'), waiting: flag('only those that are not as they should be') },
  answer: pageOf(adServerOrder),
  command: { help: 'show what is booked of orders at their ad servers', columns: ORDER_COLUMNS },
  run: async (context, { order: mediaBuyId, waiting }) =>
    list(await showOrders(context, context.tenantId, { mediaBuyId, waiting })),
})

export const listChangesThere = defineAct({
  name: 'adservers.drift',
  route: 'GET /ad-servers/drift',
  id: 'listDrift',
  roles: READERS,
  summary: 'Changes that were made at the ad servers and not here, the newest first.',
  fields: { all: flag('what is settled too') },
  answer: pageOf(drift),
  command: {
    help: 'show changes that were made at the ad servers and not here',
    columns: [
      ['ID', (row) => row.drift_id],
      ['MEDIA BUY', (row) => row.media_buy_id],
      ['WHAT', (row) => row.subject],
      ['FIELD', (row) => shownDrift(row).field],
      ['OURS', (row) => shownDrift(row).expected],
      ['THERE', (row) => shownDrift(row).observed],
      ['STATE', (row) => row.state],
    ],
  },
  run: async (context, { all = false }) => list(await showDrift(context, context.tenantId, { all })),
})

export const bringOrders = defineAct({
  name: 'adservers.sync',
  route: 'POST /ad-servers/sync',
  id: 'syncOrders',
  roles: SELLERS,
  summary: 'Brings orders to their ad servers now, and looks for drift.',
  fields: { order: ONLY_ORDER, ad_server: adServerName('only orders at this one; default: every one') },
  answer: object({ looked_at: integer, ...pageMembers(adServerOrder) }),
  subject: 'order',
  command: { args: ['order'], columns: ORDER_COLUMNS },
  async run(context, { ad_server: adServer, order: mediaBuyId }) {
    const { orders, ...rest } = await syncOrders(context, { tenantId: context.tenantId, adServer, mediaBuyId })
    return { ...list(orders), ...rest }
  },
})

export const importDelivery = defineAct({
  name: 'adservers.report',
  route: 'POST /ad-servers/reports',
  id: 'importReports',
  roles: SELLERS,
  summary: 'Imports delivery now; an ad server that does not answer has its reason.',
  fields: { order: ONLY_ORDER, since: day('first UTC day; default: all') },
  answer: pageOf(
    object({
      ad_server: string,
      orders: integer,
      rows: integer,
      reason: about('why not everything was imported; null: it was', orNull(string)),
    }),
  ),
  subject: 'order',
  command: {
    help: 'import delivery into the ledger now; an ad server that does not answer holds up no other',
    args: ['order'],
    columns: [
      ['AD SERVER', (row) => row.ad_server],
      ['ORDERS', (row) => String(row.orders)],
      ['NEW OR CORRECTED ROWS', (row) => String(row.rows)],
    ],
    notes: async (_context, _tenantId, _values, { items }) =>
      items.flatMap((row) => (row.reason === null ? [] : `${row.ad_server} was not imported: ${row.reason}`)),
    fails: ({ items }) => items.some(({ reason }) => reason !== null),
  },
  run: async (context, { order: mediaBuyId, since = '2000-01-01' }) =>
    list(await importReports(context, { tenantId: context.tenantId, mediaBuyId, since })),
})

export const forecastDelivery = defineAct({
  name: 'adservers.forecast',
  route: 'GET /ad-servers/forecasts/{order}',
  id: 'forecastOrder',
  roles: READERS,
  summary: 'What the ad servers of an order expect its lines to deliver until their end.',
  fields: { order: required(idText('the order')) },
  answer: object({
    forecast: listOf(
      object({ ad_server: string, package_id: string, unit: string, goal: number, delivered: number, predicted: number }),
    ),
  }),
  command: {
    help: 'ask the ad server what the lines of an order will deliver until their end',
    text: ({ forecast }) =>
      table(
        ['PACKAGE', 'UNIT', 'GOAL', 'DELIVERED', 'PREDICTED'],
        forecast.map((row) => [row.package_id, row.unit, ...[row.goal, row.delivered, row.predicted].map(String)]),
      ),
    json: ({ forecast }) => list(forecast),
  },
  run: async (context, { order }) => ({ forecast: await forecastOrder(context, context.tenantId, order) }),
})
