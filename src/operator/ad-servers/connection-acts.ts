import { DRAFT_FORMATS } from '../../domain/ad-serving/product-draft.ts'
import { defineAct } from '../act.ts'
import { CURSOR, count, ids, required, someOf, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { productShape } from '../products/product-shapes.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import {
  about,
  boolean,
  documentOf,
  integer,
  list,
  listOf,
  mapOf,
  moment,
  named,
  number,
  object,
  optional,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { snakeMembers } from '../snake-members.ts'
import { table } from '../text-table.ts'
import { testLive } from './live-test.ts'
import { presentAdServer } from './present-ad-server.ts'
import { getBackend, listAdServers, listInventory, testAdServers } from './show-ad-servers.ts'
import { existingLines, suggestProducts } from './suggest-products.ts'

const NAME = required(text('name of the ad server; on the command line by default the only reconciled one'))

/** The ad server of a command that names none: the only reconciled one. */
export const ONLY_ONE = {
  field: 'name' as const,
  value: async (context: OperatorContext, tenantId: string) => (await getBackend(context, tenantId, undefined)).name,
}
const NAMED = { args: [], flags: { name: 'ad-server' }, fill: ONLY_ONE }

type Capabilities = Extract<ReturnType<typeof presentAdServer>, { readonly capabilities?: unknown }>['capabilities']

export const listServers = defineAct({
  name: 'adservers.list',
  route: 'GET /ad-servers',
  id: 'listAdServers',
  roles: READERS,
  summary: 'The ad servers, whether orders are reconciled with them, and what they can keep.',
  fields: {},
  answer: pageOf(
    object({
      name: string,
      description: string,
      simulated: boolean,
      set_by: word('publisher', 'configuration'),
      credentials_stored_at: orNull(moment),
      products: optional(listOf(string)),
      reconciled: boolean,
      drift: optional(word('heal', 'adopt', 'leave')),
      suggests: about('products can be suggested from what was sold there', optional(boolean)),
      capabilities: optional(documentOf<NonNullable<Capabilities>>('what it can keep: docs/ad-servers.md')),
    }),
  ),
  command: {
    help: 'list the ad servers and whether orders are reconciled with them',
    columns: [
      ['NAME', (row) => row.name],
      ['RECONCILED', (row) => (row.reconciled ? `drift: ${row.drift}` : 'not reconciled')],
      ['WHAT IT IS', (row) => row.description],
    ],
  },
  run: async (context) => list((await listAdServers(context, context.tenantId)).map(presentAdServer)),
})

const liveTest = named(
  'LiveTest',
  object({
    ad_server: string,
    product: string,
    order: about('our id of the test order', string),
    ok: boolean,
    checks: listOf(
      object({ check: string, ok: boolean, ms: number, detail: about('what was found, or what went wrong', string) }),
    ),
  }),
)

export const testOrder = defineAct({
  name: 'adservers.test',
  route: 'POST /ad-servers/{name}/test',
  id: 'testAdServerLive',
  roles: ADMINISTRATORS,
  summary: 'Tries an ad server out with an order of one line, which is ended afterwards.',
  fields: { name: NAME, product: text('the product of the line; default: the first one that is given to the ad server') },
  answer: liveTest,
  command: {
    ...NAMED,
    words: 'adservers test-order',
    text: ({ checks }) =>
      table(
        ['CHECK', 'RESULT', 'TOOK', 'DETAIL'],
        checks.map(({ check, ok, ms, detail }) => [check, ok ? 'ok' : 'failed', `${ms} ms`, detail]),
      ),
    fails: ({ ok }) => !ok,
  },
  run: (context, { name, product }) => testLive(context, context.tenantId, { adServer: name, product }),
})

export const testConnections = defineAct({
  name: 'adservers.check',
  route: 'POST /ad-servers/test',
  id: 'testAdServers',
  roles: READERS,
  changes: false,
  summary: 'Asks the reconciled ad servers whether they answer and take our credentials.',
  fields: {},
  answer: pageOf(
    object({
      name: string,
      ok: boolean,
      reason: optional(string),
      warnings: optional(about('what a person has to do before something stops working', listOf(string))),
    }),
  ),
  command: {
    words: 'adservers test',
    help: 'check that the ad servers answer and accept their credentials',
    instead: {
      flag: 'live',
      about: 'book a small order a month from now, read it back, report and forecast it, and end it',
      act: testOrder,
      takes: ['name', 'product'],
      values: () => ({}),
    },
    columns: [
      ['NAME', (row) => row.name],
      ['RESULT', (row) => (row.ok ? 'ok' : 'failed')],
      ['REASON', (row) => [...(row.reason ? [row.reason] : []), ...(row.warnings ?? [])].join('; ')],
    ],
    fails: ({ items }) => items.some(({ ok }) => !ok),
  },
  run: async (context) => list(await testAdServers(context, context.tenantId)),
})

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
      kind: word('ad_unit', 'placement', 'key', 'value'),
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
      ['', (line) => (line.is_ours ? 'ours' : '')],
    ],
  },
  async run(context, { name, cursor: after }) {
    const page = await existingLines(context, context.tenantId, { adServer: name, after })
    return list(page.lines.map(snakeMembers), page.next ?? null)
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
    currency: text('of the prices; default: USD'),
    most: count('products at most; default: 50'),
    units: ids('ids of ad units: only these and what lies below them'),
    search: text('only ad units with this text in their name, or in that of a unit above them'),
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
  run: (context, { name, currency = 'USD', most = 50, units, search, formats }) =>
    suggestProducts(context, context.tenantId, { adServer: name, currency, most, units, search, formats }),
})
