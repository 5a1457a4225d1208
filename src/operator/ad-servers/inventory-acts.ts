import { UNIT_KINDS } from '../../ad-serving/backend.ts'
import { SERVING_STATES } from '../../domain/ad-serving/desired-order.ts'
import { DRAFT_FORMATS } from '../../domain/ad-serving/product-draft.ts'
import { adoptedIds } from '../../store/order/adopted-orders.ts'
import { defineAct } from '../act.ts'
import { CURSOR, count, currency, ids, someOf } from '../fields.ts'
import { productShape } from '../products/product-shapes.ts'
import { READERS } from '../roles.ts'
import { searchText } from '../search-words.ts'
import {
  about,
  boolean,
  documentOf,
  integer,
  list,
  listOf,
  mapOf,
  moment,
  number,
  object,
  optional,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { snakeMembers } from '../snake-members.ts'
import { table } from '../text-table.ts'
import { NAME, NAMED } from './named-ad-server.ts'
import { listInventory } from './show-ad-servers.ts'
import { existingLines, suggestProducts } from './suggest-products.ts'

// Several acts in one file: they ask the same system.

export const listUnits = defineAct({
  name: 'adservers.inventory',
  route: 'GET /ad-servers/{name}/inventory',
  id: 'listInventory',
  roles: READERS,
  summary: 'A page of what can be sold at an ad server.',
  fields: { name: NAME, ...CURSOR },
  answer: pageOf(
    object({
      id: string,
      name: string,
      kind: word(...UNIT_KINDS),
      parent_id: optional(string),
      sizes: optional(listOf(string)),
    }),
  ),
  command: {
    ...NAMED,
    help: 'list what an ad server has to sell',
    aliases: { cursor: 'after' },
    columns: [
      ['ID', (row) => row.id],
      ['KIND', (row) => row.kind],
      ['NAME', (row) => row.name],
      ['SIZES', (row) => (row.sizes ?? []).join(' ')],
    ],
  },
  async run(context, { name, cursor: after }) {
    const page = await listInventory(context, context.tenantId, { adServer: name, after })
    return list(page.units.map(snakeMembers), page.next ?? null)
  },
})

const keyValuesShape = object({ key: string, values: listOf(string) })

export const listExistingLines = defineAct({
  name: 'adservers.existing',
  route: 'GET /ad-servers/{name}/existing-lines',
  id: 'listExistingLines',
  roles: READERS,
  summary: 'A page of all lines at an ad server, those that others booked included.',
  fields: { name: NAME, ...CURSOR },
  answer: pageOf(
    object({
      id: string,
      order_id: about('of the ad server, like the other ids of the line', string),
      order_name: string,
      name: string,
      status: string,
      is_archived: boolean,
      is_ours: boolean,
      adopted_as: about('id of the order here, when it was adopted', optional(string)),
      state: optional(word(...SERVING_STATES)),
      is_guaranteed: optional(boolean),
      goal: about('by the end of its flight, in units of the ad server', optional(object({ unit: string, units: integer }))),
      type: string,
      starts_at: optional(moment),
      ends_at: optional(moment),
      cost_type: string,
      rate_micros: number,
      currency: about('ISO 4217', string),
      impressions_delivered: number,
      unit_ids: listOf(string),
      sizes: about('of its creatives, width x height', optional(listOf(string))),
      key_values: about('keys that all have to match, with any of their values', optional(listOf(keyValuesShape))),
    }),
  ),
  command: {
    ...NAMED,
    help: 'list the lines of an ad server, booked by this agent or not; changes nothing',
    aliases: { cursor: 'after' },
    columns: [
      ['ID', (line) => line.id],
      ['ORDER', (line) => line.order_name],
      ['LINE', (line) => line.name],
      ['TYPE', (line) => line.type],
      ['STATE', (line) => (line.is_archived ? 'ARCHIVED' : line.status)],
      ['RATE', (line) => `${line.rate_micros / 1_000_000} ${line.currency} ${line.cost_type}`],
      ['', (line) => (line.is_ours ? 'ours' : (line.adopted_as ?? ''))],
    ],
  },
  async run(context, { name, cursor: after }) {
    const page = await existingLines(context, context.tenantId, { adServer: name, after })
    const ids = page.lines.map(({ orderId }) => orderId)
    const adopted = await adoptedIds(context.store.read, context.tenantId, name, [...new Set(ids)])
    const rows = page.lines.map((line) => {
      const known = adopted.get(line.orderId)
      return { ...snakeMembers(line), ...(known !== undefined && { adopted_as: known }) }
    })
    return list(rows, page.next ?? null)
  },
})

export const suggestFromAdServer = defineAct({
  name: 'adservers.suggest',
  route: 'GET /ad-servers/{name}/suggested-products',
  id: 'suggestProducts',
  roles: READERS,
  summary: 'Products suggested from the ad units of an ad server and what was sold on them. Nothing is stored.',
  fields: {
    name: NAME,
    currency: currency('of the prices; default: that of the publisher'),
    most: count('products at most; default: 50'),
    units: ids('ids of ad units: only these and what lies below them'),
    search: searchText('only ad units with this text in their name, or in that of a unit above them'),
    formats: someOf(DRAFT_FORMATS, 'formats in each size; default: image and html5'),
  },
  answer: object({
    ad_server: string,
    read: object({ units: integer, lines: integer }),
    explanations: mapOf(string),
    options: object({
      products: about('places by product, for the options of the ad server', mapOf(documentOf<object>('as its type has it'))),
    }),
    document: object({ version: integer, products: listOf(productShape) }),
  }),
  command: {
    ...NAMED,
    help: 'suggest products from the ad units of an ad server and what was sold on them; stores nothing',
    text: ({ explanations }) => table(['PRODUCT', 'PRICE'], Object.entries(explanations)),
  },
  run: (context, { name, currency, most = 50, units, search, formats }) =>
    suggestProducts(context, context.tenantId, { adServer: name, currency, most, units, search, formats }),
})
