import { DRIFT_POLICIES } from '../../domain/ad-serving/drift.ts'
import { defineAct } from '../act.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import {
  about,
  boolean,
  documentOf,
  list,
  listOf,
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
import { idText } from '../text-form.ts'
import { table } from '../text-table.ts'
import { testLive } from './live-test.ts'
import { NAME, NAMED } from './named-ad-server.ts'
import { presentAdServer } from './present-ad-server.ts'
import { listAdServers, testAdServers } from './show-ad-servers.ts'

// Several acts in one file: they ask the same system.

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
      drift: optional(word(...DRIFT_POLICIES)),
      suggests: about('products can be suggested from what was sold there', optional(boolean)),
      counts_requests: about('placements.report has the requests of its ad units', optional(boolean)),
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
  fields: { name: NAME, product: idText('the product of the line; default: the first one that is given to the ad server') },
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
