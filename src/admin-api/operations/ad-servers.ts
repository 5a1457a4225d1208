import { removeStoredCredentials, setCredentials } from '../../operator/ad-servers/ad-server-credentials.ts'
import { confirmGone } from '../../operator/ad-servers/confirm-gone.ts'
import { forecastOrder } from '../../operator/ad-servers/forecast-order.ts'
import { importAdServerSheet } from '../../operator/ad-servers/import-ad-server-sheet.ts'
import { testLive } from '../../operator/ad-servers/live-test.ts'
import { type AdServerChange, addAdServer, removeAdServer, setAdServer } from '../../operator/ad-servers/manage-ad-servers.ts'
import { orderSheet } from '../../operator/ad-servers/order-sheet.ts'
import { presentAdServer } from '../../operator/ad-servers/present-ad-server.ts'
import { listAdServers, listInventory, showDrift, showOrders, testAdServers } from '../../operator/ad-servers/show-ad-servers.ts'
import { existingLines, suggestProducts } from '../../operator/ad-servers/suggest-products.ts'
import { adoptDrift, importReports, syncOrders } from '../../operator/ad-servers/sync-orders.ts'
import { traffickingSheet } from '../../operator/ad-servers/trafficking-sheet.ts'
import { count, fileText, flag, object, oneOf, required, text, texts, type Values } from '../../operator/fields.ts'
import { importFile } from '../../operator/imports/import-fields.ts'
import { ADMINISTRATORS, READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { type AdminOperation, operation } from '../operation.ts'

const SETTINGS = {
  options: object('settings that are not secret, as its type has them'),
  drift: oneOf(['heal', 'adopt', 'leave'], 'what happens when the ad server differs from what was written there; default: leave'),
  products: texts('products that it serves'),
  all_products: flag('it serves every product that no other ad server is set for; the default of a new one'),
}

export const adServerOperations: readonly AdminOperation[] = [
  operation('GET /ad-servers', 'listAdServers', {
    roles: READERS,
    summary: 'The ad servers, whether orders are reconciled with them, and what they can keep.',
    fields: {},
    run: async (context, { tenantId }) => list((await listAdServers(context, tenantId)).map(presentAdServer)),
  }),
  operation('POST /ad-servers', 'addAdServer', {
    roles: ADMINISTRATORS,
    summary: 'Sets an ad server up.',
    fields: { name: required(text('1 to 32 of a-z, 0-9, _ and -')), type: required(text('a built-in type')), ...SETTINGS },
    run: (context, { tenantId, values: { name, type, ...change } }) =>
      addAdServer(context, tenantId, { name, type, ...changeOf(change) }),
  }),
  operation('POST /ad-servers/test', 'testAdServers', {
    roles: READERS,
    summary: 'Asks the reconciled ad servers whether they answer and take our credentials.',
    fields: {},
    run: async (context, { tenantId }) => list(await testAdServers(context, tenantId)),
  }),
  operation('GET /ad-servers/orders', 'listAdServerOrders', {
    roles: READERS,
    summary: 'Where orders are with their ad servers.',
    fields: { order: text('one order'), waiting: flag('only those that are not as they should be') },
    run: async (context, { tenantId, values: { order: mediaBuyId, waiting } }) =>
      list(await showOrders(context, tenantId, { mediaBuyId, waiting })),
  }),
  operation('GET /ad-servers/drift', 'listDrift', {
    roles: READERS,
    summary: 'Changes that were made at the ad servers and not here, the newest first.',
    fields: { all: flag('what is settled too') },
    run: async (context, { tenantId, values: { all = false } }) => list(await showDrift(context, tenantId, { all })),
  }),
  operation('POST /ad-servers/drift/{drift}/adopt', 'adoptDrift', {
    roles: SELLERS,
    summary: 'Takes over what somebody changed at the ad server.',
    fields: {},
    run: (context, { tenantId, params }) => adoptDrift(context, tenantId, params.drift),
  }),
  operation('POST /ad-servers/drift/{drift}/gone', 'confirmGone', {
    roles: SELLERS,
    summary: 'Says that what is missing at the ad server is not there any more: what is still wanted of it is booked anew.',
    fields: {},
    run: (context, { tenantId, params }) => confirmGone(context, tenantId, params.drift),
  }),
  operation('POST /ad-servers/sync', 'syncOrders', {
    roles: SELLERS,
    summary: 'Brings orders to their ad servers now, and looks for drift.',
    fields: { ad_server: text('only this one'), order: text('only this order') },
    async run(context, { tenantId, values: { ad_server: adServer, order: mediaBuyId } }) {
      const { orders, ...rest } = await syncOrders(context, { tenantId, adServer, mediaBuyId })
      return { ...list(orders), ...rest }
    },
  }),
  operation('POST /ad-servers/reports', 'importReports', {
    roles: SELLERS,
    summary: 'Imports delivery now; an ad server that does not answer has its reason.',
    fields: { order: text('only of this order'), since: text('first UTC day, YYYY-MM-DD; default: all') },
    run: async (context, { tenantId, values: { order: mediaBuyId, since = '2000-01-01' } }) =>
      list(await importReports(context, { tenantId, mediaBuyId, since })),
  }),
  operation('GET /ad-servers/sheet', 'showTraffickingSheet', {
    roles: READERS,
    summary: 'Creatives to traffic by hand where the ad server takes none, and which are live.',
    fields: { order: text('only of this order') },
    run: async (context, { tenantId, values: { order: mediaBuyId } }) =>
      list(await traffickingSheet(context, tenantId, { mediaBuyId })),
  }),
  operation('GET /ad-servers/order-sheet', 'showOrderSheet', {
    roles: READERS,
    summary: 'Lines that a person has to enter at an ad server without an API, and how.',
    fields: { ad_server: text('only this one'), order: text('only this order'), all: flag('what is entered too') },
    run: async (context, { tenantId, values: { ad_server: adServer, order: mediaBuyId, all = false } }) =>
      list(await orderSheet(context, tenantId, { mediaBuyId, all, ...(adServer !== undefined && { adServer }) })),
  }),
  operation('POST /ad-servers/order-sheet', 'importAdServerSheet', {
    roles: SELLERS,
    summary: 'Takes over what people did at an ad server without an API: lines, creatives, delivery.',
    fields: { ad_server: text('its name'), csv: required(fileText('the sheet, as CSV')) },
    run: (context, { tenantId, values: { ad_server: adServer, csv } }) =>
      importAdServerSheet(context, tenantId, { adServer, file: importFile('sheet', { csv }) }),
  }),
  operation('GET /ad-servers/forecasts/{order}', 'forecastOrder', {
    roles: READERS,
    summary: 'What the ad servers of an order expect its lines to deliver until their end.',
    fields: {},
    run: async (context, { tenantId, params }) => ({ forecast: await forecastOrder(context, tenantId, params.order) }),
  }),
  operation('POST /ad-servers/{name}/test', 'testAdServerLive', {
    roles: ADMINISTRATORS,
    summary: 'Tries an ad server out with an order of one line, which is ended afterwards.',
    fields: { product: text('the product of the line') },
    run: (context, { tenantId, params, values: { product } }) => testLive(context, tenantId, { adServer: params.name, product }),
  }),
  operation('GET /ad-servers/{name}/inventory', 'listInventory', {
    roles: READERS,
    summary: 'A page of what can be sold at an ad server.',
    fields: { cursor: text('next_cursor of the page before') },
    async run(context, { tenantId, params, values: { cursor: after } }) {
      const page = await listInventory(context, tenantId, { adServer: params.name, after })
      return list(page.units.map(snakeMembers), page.next ?? null)
    },
  }),
  operation('GET /ad-servers/{name}/existing-lines', 'listExistingLines', {
    roles: READERS,
    summary: 'A page of all lines at an ad server, those that others booked included.',
    fields: { cursor: text('next_cursor of the page before') },
    async run(context, { tenantId, params, values: { cursor: after } }) {
      const page = await existingLines(context, tenantId, { adServer: params.name, after })
      return list(page.lines.map(snakeMembers), page.next ?? null)
    },
  }),
  operation('GET /ad-servers/{name}/suggested-products', 'suggestProducts', {
    roles: READERS,
    summary: 'Products suggested from the ad units of an ad server and what was sold on them. Nothing is stored.',
    fields: { currency: text('of the prices; default: USD'), most: count('products at most; default: 50') },
    run: (context, { tenantId, params, values: { currency = 'USD', most = 50 } }) =>
      suggestProducts(context, tenantId, { adServer: params.name, currency, most }),
  }),
  operation('PATCH /ad-servers/{name}', 'setAdServer', {
    roles: ADMINISTRATORS,
    summary: 'Changes an ad server that was added.',
    fields: SETTINGS,
    run: (context, { tenantId, params, values }) => setAdServer(context, tenantId, { name: params.name, ...changeOf(values) }),
  }),
  operation('DELETE /ad-servers/{name}', 'removeAdServer', {
    roles: ADMINISTRATORS,
    summary: 'Removes an ad server that was added; refused while it has orders that are not over.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeAdServer(context, tenantId, params.name)
      return { name: params.name, removed: true }
    },
  }),
  operation('PUT /ad-servers/{name}/credentials', 'setCredentials', {
    roles: ADMINISTRATORS,
    summary: 'Stores the credentials of an ad server, encrypted; they are tried first, and never shown again.',
    fields: { credentials: required(object('as its type has them')), check: flag('false: store them untried') },
    run: (context, { tenantId, params, values }) => setCredentials(context, tenantId, { name: params.name, ...values }),
  }),
  operation('DELETE /ad-servers/{name}/credentials', 'removeCredentials', {
    roles: ADMINISTRATORS,
    summary: 'Deletes the stored credentials of an ad server.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeStoredCredentials(context, tenantId, params.name)
      return { name: params.name, removed: true }
    },
  }),
]

function changeOf({ all_products: isAll, products, ...change }: Values<typeof SETTINGS>): AdServerChange {
  const served = isAll ? ('all' as const) : products
  return { ...change, ...(served && { products: served }) }
}
