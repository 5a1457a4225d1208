import { SERVING_STATES } from '../../domain/ad-serving/desired-order.ts'
import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { PACINGS } from '../../domain/media-buy/order-request.ts'
import { DELIVERY_TYPES } from '../../domain/product/offer.ts'
import { PRICING_MODELS } from '../../domain/product/pricing-option.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { fileText, flag } from '../fields.ts'
import { flightShape } from '../flight.ts'
import { chosenFile, importFile } from '../imports/import-fields.ts'
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
  object,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { adServerName } from '../text-form.ts'
import { ONLY_ORDER } from './ad-server-shapes.ts'
import { importAdServerSheet } from './import-ad-server-sheet.ts'
import { type OrderSheetRow, orderSheet, orderSheetCsv } from './order-sheet.ts'
import { sheetCsv, TRAFFIC_STATUSES, traffickingSheet } from './trafficking-sheet.ts'

// Several acts in one file: they list, change and remove the same thing.

const mediaBuyId = about('the id of the order', string)

const orderRow = object({
  media_buy_id: mediaBuyId,
  package_id: string,
  to_do: word('change', 'create', 'archive', 'nothing'),
  state: word(...SERVING_STATES),
  order: string,
  advertiser: string,
  product_id: string,
  units: listOf(string),
  sizes: listOf(string),
  starts_at: moment,
  ends_at: moment,
  flight: flightShape,
  pricing_model: word(...PRICING_MODELS),
  rate: number,
  currency: about('ISO 4217', string),
  budget: number,
  goal_impressions: orNull(number),
  priority: word(...DELIVERY_TYPES),
  pacing: word(...PACINGS),
  targeting: orNull(documentOf<NonNullable<OrderSheetRow['targeting']>>('as AdCP’s schema core/targeting has it')),
  version: about('names this state of the line: it is confirmed with it', string),
})

export const showOrderSheet = defineAct({
  name: 'adservers.order-sheet',
  route: 'GET /ad-servers/order-sheet',
  id: 'showOrderSheet',
  roles: READERS,
  summary: 'Lines that a person has to enter at an ad server without an API, and how.',
  fields: {
    order: ONLY_ORDER,
    ad_server: adServerName('only this one; default: the only reconciled one'),
    all: flag('lines that are entered, too'),
  },
  answer: pageOf(orderRow),
  command: {
    args: ['order'],
    columns: [
      ['MEDIA BUY', (row) => row.media_buy_id],
      ['PACKAGE', (row) => row.package_id],
      ['TO DO', (row) => row.to_do],
      ['WHERE', (row) => row.units.join('; ')],
      ['FROM', (row) => flightDayText(row.flight.first)],
      ['TO', (row) => flightDayText(row.flight.last)],
      ['BUDGET', (row) => `${row.budget} ${row.currency}`],
    ],
    csv: ({ items }) => orderSheetCsv(items),
  },
  run: async (context, { order, ad_server: adServer, all = false }) =>
    list(await orderSheet(context, context.tenantId, { mediaBuyId: order, all, ...(adServer !== undefined && { adServer }) })),
})

const creativeRow = named(
  'SheetRow',
  about(
    'What is to be put on a line by hand.',
    object({
      media_buy_id: mediaBuyId,
      order: string,
      package_id: string,
      product_id: string,
      creative_id: string,
      name: about('how it has to be named there, so that it is found', string),
      format: string,
      size: string,
      files: listOf(string),
      click_urls: listOf(string),
      trackers: listOf(string),
      code: about('third-party tags and HTML as they came', string),
      weight: orNull(number),
      placements: listOf(string),
      starts_at: moment,
      ends_at: moment,
      flight: flightShape,
      status: word(...TRAFFIC_STATUSES),
    }),
  ),
)

export const showTraffickingSheet = defineAct({
  name: 'adservers.sheet',
  route: 'GET /ad-servers/sheet',
  id: 'showTraffickingSheet',
  roles: READERS,
  summary: 'Creatives to traffic by hand where the ad server takes none, and which are live.',
  fields: { order: ONLY_ORDER },
  answer: pageOf(creativeRow),
  command: {
    help: 'list the creatives to traffic by hand where the ad server takes none, and which are live',
    args: ['order'],
    instead: {
      flag: 'orders',
      about: 'the lines to enter at an ad server without an API instead',
      act: showOrderSheet,
      takes: ['ad_server', 'all'],
      values: ({ order }) => (order === undefined ? {} : { order }),
    },
    columns: [
      ['MEDIA BUY', (row) => row.media_buy_id],
      ['PACKAGE', (row) => row.package_id],
      ['NAME IT THERE', (row) => row.name],
      ['SIZE', (row) => row.size],
      ['FILES', (row) => row.files.join(' ')],
      ['STATUS', (row) => row.status],
    ],
    csv: ({ items }) => sheetCsv(items),
  },
  run: async (context, { order: mediaBuyId }) => list(await traffickingSheet(context, context.tenantId, { mediaBuyId })),
})

export const importSheet = defineAct({
  name: 'adservers.import',
  route: 'POST /ad-servers/order-sheet',
  id: 'importAdServerSheet',
  roles: SELLERS,
  summary: 'Takes over what people did at an ad server without an API: lines, creatives, delivery.',
  fields: {
    file: chosenFile('the filled-in sheet'),
    csv: fileText('the sheet, as CSV'),
    ad_server: adServerName('its name; default: the only reconciled one'),
  },
  answer: named(
    'ImportedSheet',
    object({
      ad_server: string,
      kind: word('creatives', 'orders', 'delivery'),
      rows: about('rows that say something', integer),
      ledger_rows: about('new or corrected rows in the ledger, for a sheet of delivery', integer),
      ledger_corrected: about('of them: corrections of rows that were there', integer),
    }),
  ),
  command: {
    help: 'take over what people did at an ad server without an API: a filled-in sheet, or delivery',
    args: ['file'],
    without: ['csv'],
    text: ({ ad_server: adServer, kind, rows, ledger_rows: ledger, ledger_corrected: corrected }) => [
      `${adServer}: ${rows} rows of ${kind}${kind === 'delivery' ? `; in the ledger ${ledger - corrected} new, ${corrected} corrected` : ''}`,
    ],
  },
  run(context, { ad_server: adServer, ...sheet }) {
    if (!sheet.file && sheet.csv === undefined) throw new AdcpError('INVALID_REQUEST', 'csv is required', { field: 'csv' })
    return importAdServerSheet(context, context.tenantId, { adServer, file: importFile('sheet', sheet) })
  },
})
