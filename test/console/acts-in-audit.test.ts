import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTS as ALL_ACTS } from '../../src/operator/acts.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { recordDrift } from '../../src/store/ad-serving/ad-server-drift.ts'
import { requestOrders } from '../../src/store/ad-serving/ad-server-orders.ts'
import { insertInvoice } from '../../src/store/billing/invoices.ts'
import { type ConsoleClient, type ConsoleReply, PASSWORD, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { banner } from '../support/creative-agent.ts'
import { pngOf } from '../support/creative-files.ts'
import { sampleInvoice } from '../support/invoice-samples.ts'
import { FORMS_OF_NETWORKS, LOOKING_FORMS } from '../support/looking-forms.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let base: string
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  const products = [productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })]
  agent = await startMediaBuyAgent(products, { clock: () => now })
  await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, setCreativeReview, { mode: 'manual' })
  ada = await signedIn(agent, 'ada', 'administrator')
  base = `/console/t/${agent.tenant}`
})
afterAll(() => agent.stop())

async function held(): Promise<string> {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  return String((await agent.create({ packages })).data.task_id)
}
async function creative(id: string): Promise<string> {
  await agent.run('sync_creatives', { creatives: [banner(agent.url, id)] })
  const { text } = await ada.get(`${base}/creatives`)
  return new RegExp(`name="id" value="([^"]+:${id})"`).exec(text)?.[1] ?? ''
}
async function orderAct(action: string, more: Record<string, string> = {}): Promise<ConsoleReply> {
  const { data } = await agent.create()
  return ada.post(`${base}/orders/${data.media_buy_id}/${action}`, { reason: 'a test', ...more })
}
async function keyOf(): Promise<string> {
  const { text } = await ada.post(`${base}/buyers/buyer/keys`)
  return /keys\/(\w+)\/rotate/.exec(text)?.[1] ?? ''
}
async function accountPath(): Promise<string> {
  const [, id = ''] = /accounts\/([^/"]+)"/.exec((await ada.get(`${base}/buyers/buyer`)).text) ?? []
  return `${base}/accounts/${id}`
}
async function colleague(name: string): Promise<void> {
  await signedIn(agent, name, 'viewer', agent.tenant)
}
const creativePath = (id: string) => `${base}/creatives/${id.replace('creative:', '').replace('::', ':-:').replaceAll(':', '/')}`

const DIRECT_ORDER = {
  order_id: 'spring',
  name: 'Spring sale',
  currency: 'USD',
  'line-0-product_id': 'news',
  'line-0-priority': 'standard',
  'line-0-first': '2026-03-02',
  'line-0-last': '2026-03-09',
  'line-0-cpm': '4,5',
  'line-0-creative-0-kind': 'picture',
  'line-0-creative-0-url': 'https://cdn.brand.example/spring.png',
  'line-0-creative-0-click_url': 'https://brand.example/',
  'line-0-creative-0-width': '300',
  'line-0-creative-0-height': '250',
}

const INVOICE = {
  ...{ invoiceId: '2026-03-0001', month: '2026-03', accountId: 'a', currency: 'EUR', totalMicros: 5_000_000, account: {} },
  ...{ createdAt: '2026-04-01T00:00:00.000Z', payableMicros: 5_000_000 },
}

/** One act of each route that succeeds. */
const ACTS: Readonly<Record<string, () => Promise<ConsoleReply>>> = {
  '/publishers': () => ada.post('/console/publishers', { name: 'Two', domain: 'two.example', id: 'two' }),
  '/t/{tenant}/inbox/chosen': async () => ada.post(`${base}/inbox/chosen`, { id: await creative('a-1'), decision: 'approve' }),
  '/t/{tenant}/inbox/{id}/approve': async () => ada.post(`${base}/inbox/${await held()}/approve`),
  '/t/{tenant}/inbox/{id}/reject': async () => ada.post(`${base}/inbox/${await held()}/reject`, { reason: 'no' }),
  '/t/{tenant}/inbox/{id}/ask': async () => ada.post(`${base}/inbox/${await held()}/ask`, { reason: 'which brand?' }),
  '/t/{tenant}/direct-orders': () => ada.post(`${base}/direct-orders`, DIRECT_ORDER),
  '/t/{tenant}/direct-orders/{order}/edit': () =>
    ada.post(`${base}/direct-orders/spring/edit`, { ...DIRECT_ORDER, name: 'Spring sales', do: 'save', revision: '1' }),
  '/t/{tenant}/direct-orders/{order}/{state}': () => ada.post(`${base}/direct-orders/spring/paused`, { revision: '2' }),
  '/t/{tenant}/directory/crawl': () => ada.post(`${base}/directory/crawl`),
  '/t/{tenant}/orders/{id}/try-again': async () => {
    const id = String((await agent.create()).data.media_buy_id)
    const owner = { tenantId: agent.tenant, principalId: 'buyer' }
    await agent.server.store.transaction((tx) => requestOrders(tx, owner, id, ['gam'], now))
    return ada.post(`${base}/orders/${id}/try-again`)
  },
  '/t/{tenant}/orders/{id}/drift/{drift}/adopt': async () => {
    const id = String((await agent.create()).data.media_buy_id)
    const order = { tenantId: agent.tenant, mediaBuyId: id, adServer: 'gam' }
    const change = { subject: 'order', field: 'budgetMicros', expected: 1, observed: 2 }
    const [drift] = await agent.server.store.transaction((tx) => recordDrift(tx, order, [change], now))
    return ada.post(`${base}/orders/${id}/drift/${drift?.driftId}/adopt`)
  },
  '/t/{tenant}/orders/{id}/notes': () => orderAct('notes', { note: 'call the agency' }),
  '/t/{tenant}/billing/charges': async () => {
    const { data } = await agent.create()
    return ada.post(`${base}/billing/charges`, { order: data.media_buy_id, amount: '5', reason: 'a test' })
  },
  '/t/{tenant}/billing/charges/{charge}/take-back': async () => {
    const [charge] = /charge_[\w-]+/.exec((await ada.get(`${base}/billing/charges`)).text) ?? []
    return ada.post(`${base}/billing/charges/${charge}/take-back`, { reason: 'waived' })
  },
  '/t/{tenant}/orders/{id}/pause': () => orderAct('pause', { revision: '1' }),
  '/t/{tenant}/orders/{id}/terms': async () => {
    const { data } = await agent.create()
    return ada.fillIn(`${base}/orders/${data.media_buy_id}/terms`, '/terms', { discount: '2,5', purchase_order: 'PO-1' })
  },
  '/t/{tenant}/orders/chosen': async () => {
    const { data } = await agent.create()
    return ada.post(`${base}/orders/chosen`, { id: data.media_buy_id, state: 'paused' })
  },
  '/t/{tenant}/orders/{id}/resume': async () => {
    const { data } = await agent.create()
    await ada.post(`${base}/orders/${data.media_buy_id}/pause`, { revision: '1' })
    return ada.post(`${base}/orders/${data.media_buy_id}/resume`, { revision: '2' })
  },
  '/t/{tenant}/orders/{id}/extend': () => orderAct('extend', { until: '2026-03-20', revision: '1' }),
  '/t/{tenant}/orders/{id}/cancel': () => orderAct('cancel', { revision: '1' }),
  '/t/{tenant}/creatives/decide': async () =>
    ada.post(`${base}/creatives/decide`, { id: await creative('a-2'), decision: 'approve' }),
  '/t/{tenant}/creatives/{buyer}/{account}/{creative}/approve': async () =>
    ada.post(`${creativePath(await creative('a-3'))}/approve`),
  '/t/{tenant}/creatives/{buyer}/{account}/{creative}/reject': async () =>
    ada.post(`${creativePath(await creative('a-4'))}/reject`, { reason: 'no' }),
  '/t/{tenant}/creatives/files': () =>
    ada.upload(`${base}/creatives/files`, { name: 'a.png', text: new Uint8Array(pngOf(2, 2)) }),
  '/t/{tenant}/placements/new': () =>
    ada.post(`${base}/placements/new`, { placement: 'rail', name: 'Rail', kind: 'display', status: 'active' }),
  '/t/{tenant}/placements/{id}/edit': () =>
    ada.fillIn(`${base}/placements/rail/edit`, 'rail/edit', { name: 'Side rail', status: 'paused' }),
  '/t/{tenant}/placements/{id}/remove': () => ada.post(`${base}/placements/rail/remove`),
  '/t/{tenant}/products/import': async () => {
    const file = {
      name: 'p.json',
      text: (await ada.get(`${base}/products/export.json`)).text.replaceAll('"fixed_price": 10', '"fixed_price": 11'),
    }
    return ada.upload(`${base}/products/import`, { name: '', text: '' }, { step: 'confirm', mode: 'merge', ...file })
  },
  '/t/{tenant}/products/new': () =>
    ada.post(`${base}/products/new`, {
      product_id: 'added',
      name: 'Added',
      description: 'By a form',
      channels: 'display',
      delivery_type: 'guaranteed',
      format_ids: 'display_300x250',
      publisher_domain: 'daily.example',
      daily_capacity: '1000',
      'price-0-pricing_model': 'cpm',
      'price-0-currency': 'USD',
      'price-0-price': '5',
    }),
  '/t/{tenant}/products/{id}/edit': async () => {
    const { text } = await ada.get(`${base}/products/news/edit`)
    return ada.postAll(`${base}/products/news/edit`, filledIn(formFields(text, 'news/edit'), { name: 'News, changed' }))
  },
  '/t/{tenant}/products/{id}/price': () => ada.fillIn(`${base}/products/news`, 'news/price', { value: '12' }),
  '/t/{tenant}/products/{id}/seasons': () =>
    ada.post(`${base}/products/news/seasons`, { season: 'winter', from: '2026-12-01', until: '2026-12-31', percent: '25' }),
  '/t/{tenant}/products/{id}/seasons/{season}/remove': () => ada.post(`${base}/products/news/seasons/winter/remove`),
  '/t/{tenant}/products/chosen': () => ada.post(`${base}/products/chosen`, { id: 'takeover', state: 'archived' }),
  '/t/{tenant}/products/{id}/archive': async () => {
    await ada.post(`${base}/products/takeover/restore`)
    return ada.post(`${base}/products/takeover/archive`)
  },
  '/t/{tenant}/products/{id}/restore': () => ada.post(`${base}/products/takeover/restore`),
  '/t/{tenant}/reports/saved': () =>
    ada.post(`${base}/reports/saved`, { report: 'week', by: 'day', span: 'moving', last_days: '7' }),
  '/t/{tenant}/reports/saved/{report}/schedule': async () => {
    await ada.post(`${base}/notifications/mail`, { address: 'ada@acme.example', kinds: 'waiting', timing: 'at_once' })
    const when = { every: 'weekly', weekday: 'friday', month_day: '1', hour: '7', days: 'saved' }
    return ada.post(`${base}/reports/saved/week/schedule`, { ...when, to: 'ada' })
  },
  '/t/{tenant}/reports/saved/{report}/unschedule': () => ada.post(`${base}/reports/saved/week/unschedule`),
  '/t/{tenant}/reports/statements/{issue}/settle': async () => {
    const owner = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_reported' }
    const issue = await contradicted(agent.server.store, owner, now)
    return ada.post(`${base}/reports/statements/${issue}/settle`, { settle_as: 'acknowledged' })
  },
  '/t/{tenant}/reports/saved/{report}/forget': () => ada.post(`${base}/reports/saved/week/forget`),
  '/t/{tenant}/buyers': () => ada.post(`${base}/buyers`, { id: 'other' }),
  '/t/{tenant}/buyers/{id}/creative-rules': () => ada.fillIn(`${base}/buyers/buyer`, '/creative-rules', { rule: 'review' }),
  '/t/{tenant}/buyers/{id}/suspend': () => ada.post(`${base}/buyers/other/suspend`),
  '/t/{tenant}/buyers/{id}/resume': () => ada.post(`${base}/buyers/other/resume`),
  '/t/{tenant}/buyers/{id}/keys': () => ada.post(`${base}/buyers/other/keys`),
  '/t/{tenant}/buyers/{id}/keys/{key}/rotate': async () => ada.post(`${base}/buyers/buyer/keys/${await keyOf()}/rotate`),
  '/t/{tenant}/buyers/{id}/keys/{key}/revoke': async () => ada.post(`${base}/buyers/buyer/keys/${await keyOf()}/revoke`),
  '/t/{tenant}/accounts/{id}/credit': async () => ada.fillIn(await accountPath(), '/credit', { amount: '500', currency: 'USD' }),
  '/t/{tenant}/accounts/{id}/payments': async () =>
    ada.post(`${await accountPath()}/payments`, { amount: '20.50', currency: 'USD', date: '2026-02-27' }),
  '/t/{tenant}/accounts/{id}/payments/{payment}/take-back': async () => {
    const path = await accountPath()
    const [, payment = ''] = /payments\/([^/"]+)\/take-back/.exec((await ada.get(path)).text) ?? []
    return ada.post(`${path}/payments/${payment}/take-back`, { reason: 'another account' })
  },
  '/t/{tenant}/accounts/{id}/status': async () => ada.fillIn(await accountPath(), '/status', { status: 'suspended' }),
  '/t/{tenant}/buyers/{id}/calls': () => ada.post(`${base}/buyers/buyer/calls`),
  '/t/{tenant}/people/invite': () => ada.post(`${base}/people/invite`, { role: 'viewer' }),
  '/t/{tenant}/people/invitations/{id}/remove': async () => {
    const [, id = ''] = /invitations\/([^/"]+)\/remove/.exec((await ada.get(`${base}/people`)).text) ?? []
    return ada.post(`${base}/people/invitations/${id}/remove`)
  },
  '/t/{tenant}/people/{username}/role': async () => {
    await colleague('ben')
    return ada.fillIn(`${base}/people`, 'people/ben/role', { role: 'finance' })
  },
  '/t/{tenant}/people/{username}/reset-factors': async () => {
    await colleague('eva')
    await ada.get(`${base}/people`)
    return ada.post(`${base}/people/eva/reset-factors`)
  },
  '/t/{tenant}/people/{username}/remove': () => ada.post(`${base}/people/ben/remove`),
  '/t/{tenant}/settings/ad-servers': () =>
    ada.post(`${base}/settings/ad-servers`, {
      name: 'sheets',
      type: 'manual',
      products: 'takeover',
      drift: 'leave',
      options: JSON.stringify({ products: { takeover: { units: ['Home page'] } } }),
    }),
  '/t/{tenant}/settings/ad-servers/{name}': () => ada.fillIn(`${base}/settings`, 'ad-servers/sheets', { drift: 'heal' }),
  '/t/{tenant}/settings/ad-servers/{name}/remove': () => ada.post(`${base}/settings/ad-servers/sheets/remove`),
  '/t/{tenant}/settings/erasure/confirm': () => ada.post(`${base}/settings/erasure/confirm`, { identifier: 'ab'.repeat(32) }),
  '/t/{tenant}/settings/expiry': () => ada.fillIn(`${base}/settings`, 'settings/expiry', { hours: '48' }),
  '/t/{tenant}/settings/approvals': () => ada.fillIn(`${base}/settings`, 'settings/approvals', { above: '9000' }),
  '/t/{tenant}/reports/shortfalls/policy': () =>
    ada.fillIn(`${base}/reports/shortfalls`, 'shortfalls/policy', { missing_percent: '5' }),
  '/t/{tenant}/settings/publisher': () =>
    ada.fillIn(`${base}/settings`, 'settings/publisher', {
      name: 'Acme',
      domain: 'acme.example',
      time_zone: 'default',
      currency: 'default',
    }),
  '/t/{tenant}/notifications/{channel}': () =>
    ada.post(`${base}/notifications/webhook`, { address: 'https://93.184.215.14/me', kinds: 'waiting', timing: 'at_once' }),
  '/t/{tenant}/notifications/{channel}/remove': () => ada.post(`${base}/notifications/webhook/remove`),
  '/t/{tenant}/billing/details': () =>
    ada.fillIn(`${base}/billing/details`, 'billing/details', { legal_name: 'Acme Media AB', country: 'SE', payment_days: '30' }),
  '/t/{tenant}/billing/close': async () => {
    now = new Date('2026-04-02T12:00:00.000Z')
    ada = await again()
    const { text } = await ada.get(`${base}/billing/close?month=2026-03`)
    const digest = /name="digest" value="(\w+)"/.exec(text)?.[1] ?? ''
    return ada.post(`${base}/billing/close`, { month: '2026-03', digest })
  },
  '/t/{tenant}/billing/{invoice}/payments': async () => {
    await agent.server.store.transaction((tx) =>
      insertInvoice(tx, agent.tenant, { invoice: INVOICE, lines: [], document: sampleInvoice() }),
    )
    return ada.post(`${base}/billing/2026-03-0001/payments`, { amount: '1' })
  },
  '/t/{tenant}/billing/{invoice}/credit': () =>
    ada.post(`${base}/billing/2026-03-0001/credit`, {
      what: 'amount',
      credited: '1',
      line: '1',
      reason: 'a test',
      confirmed: 'yes',
    }),
  '/t/{tenant}/billing/{invoice}/payments/{payment}/take-back': async () => {
    const { text } = await ada.get(`${base}/billing/2026-03-0001`)
    const [payment] = /ipay_[\w-]+/.exec(text) ?? []
    return ada.post(`${base}/billing/2026-03-0001/payments/${payment}/take-back`, { reason: 'another invoice' })
  },
  '/t/{tenant}/billing/refunds': async () => {
    const path = await accountPath()
    await ada.post(`${path}/payments`, { amount: '500000', currency: 'USD', date: '2026-04-02' })
    const account = decodeURIComponent(path.split('/').at(-1) ?? '')
    return ada.post(`${base}/billing/refunds`, { customer: `USD ${account}`, amount: '1' })
  },
  '/t/{tenant}/billing/refunds/{refund}/take-back': async () => {
    const [refund] = /refund_[\w-]+/.exec((await ada.get(`${base}/billing/refunds`)).text) ?? []
    return ada.post(`${base}/billing/refunds/${refund}/take-back`, { reason: 'not paid' })
  },
}

/** The session has ended meanwhile. */
async function again(): Promise<ConsoleClient> {
  await ada.get('/console/sign-in')
  await ada.post('/console/sign-in', { username: 'ada', password: PASSWORD })
  await ada.get('/console/account')
  return ada
}

/** Acts that change nothing of the publisher: they check, try or examine. */
const READ_ONLY = [
  'products/{id}/price/check',
  'settings/approvals/try',
  'settings/ad-servers/test',
  'settings/erasure',
  'directory/examine',
  'creatives/{buyer}/{account}/{creative}/examine',
]
/**
 * Acts on what this publisher has none of, or on a person's own sign-in. Those on assistants are in publisher.test.ts, on lines that fell short in make-goods.test.ts. Credentials of an ad server are tried
 * at the ad server before they are stored; a network and drafts of its products are in extended/gam/onboarding.test.ts, orders that are adopted in operator/adopted-orders.test.ts.
 */
const OTHERS =
  /make-goods\/|inbox\/(rights|governance)|connections\/|webhooks\/|notifications\/\{channel\}\/test|preview-link$|ad-servers\/\{name\}\/(?:credentials|drafts|orders)|connect-network|^\/(sign-in|sign-out|join|account)/

/** What the audit log calls what a page does, where its act is one of several, or another door to an act of another name. */
const NOTED: Readonly<Record<string, string>> = {
  '/t/{tenant}/creatives/decide': 'approvals.approve',
  '/t/{tenant}/inbox/chosen': 'approvals.approve',
  '/t/{tenant}/orders/chosen': 'orders.pause',
  '/t/{tenant}/products/chosen': 'products.archive',
  '/t/{tenant}/direct-orders/{order}/edit': 'direct-orders.change',
  '/t/{tenant}/direct-orders/{order}/{state}': 'direct-orders.pause',
  '/t/{tenant}/notifications/{channel}': 'notifications.set',
  '/t/{tenant}/notifications/{channel}/remove': 'notifications.remove',
}

const acts = consoleRouteTable()
  .filter(({ method, path }) => method === 'POST' && !OTHERS.test(path))
  .map(({ path }) => path)
  .filter((path) => !READ_ONLY.some((each) => path === `/t/{tenant}/${each}`))

it('every act of the route table is tried', () => {
  expect(Object.keys(ACTS).sort()).toEqual([...acts].sort())
})

/** The name of the act that a form is a door to. */
function actOf(path: string): string | undefined {
  return consoleRouteTable().find((route) => route.method === 'POST' && route.path === path)?.act
}

/** What an act says in place of what it does. */
const REFUSED = 'the act was reached, and refuses'

/** Forms of ad servers that are networks, of which there is none here; test/extended/gam/onboarding.test.ts sends them to one. */
const TO_NETWORKS: Readonly<Record<string, () => Promise<ConsoleReply>>> = {
  '/t/{tenant}/settings/connect-network': () =>
    ada.upload(
      `${base}/settings/connect-network`,
      { name: 'key.json', text: '{"client_email":"ads@acme.example"}' },
      { network: '1', name: 'gam', creatives: 'by_hand' },
    ),
  '/t/{tenant}/settings/ad-servers/{name}/drafts': () =>
    ada.post(`${base}/settings/ad-servers/gam/drafts`, {
      ...{ 'units-0': '1', 'take-0': 'on', 'id-0': 'top', 'name-0': 'Top', 'description-0': 'At the top', 'price-0': '5' },
      ...{ 'capacity-0': '1000', 'sizes-0': '300x250', 'offered-0': '300x250', currency: 'EUR', formats: 'image' },
    }),
}

it('every form that looks first is refused by its act in the words of the act', async () => {
  expect(Object.keys(TO_NETWORKS)).toEqual(FORMS_OF_NETWORKS)
  expect(Object.keys(ACTS)).toEqual(expect.arrayContaining([...LOOKING_FORMS]))
  const refused = await Promise.all(FORMS_OF_NETWORKS.map((path) => refusedBy(actOf(path) ?? '', TO_NETWORKS[path])))
  for (const { status, text } of refused) expect([status, text]).toEqual([409, expect.stringContaining(REFUSED)])
})

/** Sends the form of a route, whose act refuses whatever it gets. */
async function refusedBy(name: string, send: (() => Promise<ConsoleReply>) | undefined): Promise<ConsoleReply> {
  const act = ALL_ACTS.find((each) => each.name === name)
  if (act === undefined || send === undefined) throw new Error(`no form of ${name} is sent here`)
  const stopped = vi.spyOn(act, 'run').mockRejectedValue(new AdcpError('CONFLICT', REFUSED))
  try {
    return await send()
  } finally {
    stopped.mockRestore()
  }
}

it.each(Object.keys(ACTS))('%s is in the audit log with the name of the person', async (path) => {
  const operator = operatorOn(agent.server.store, agent.config)
  const tenant = path === '/publishers' ? 'two' : agent.tenant
  const act = actOf(path)
  if (LOOKING_FORMS.includes(path)) {
    const refused = await refusedBy(act ?? '', ACTS[path])
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(REFUSED)])
  }
  await agent.server.audit.settled()
  const [before] = await listAuditEntries(operator, tenant, { limit: 1 })
  const reply = await ACTS[path]?.()
  expect([reply?.status, reply?.text.slice(0, 2_000)]).toEqual([
    expect.toSatisfy((status) => status === 303 || status === 200),
    expect.anything(),
  ])
  await agent.server.audit.settled()
  const newer = (await listAuditEntries(operator, tenant, { limit: 20 })).filter(({ seq }) => seq > (before?.seq ?? 0))
  const own = newer.filter(
    ({ principal, transport, outcome }) => principal === 'person:ada' && transport === 'console' && outcome === 'ok',
  )
  expect([path, own.length > 0]).toEqual([path, true])
  if (act !== undefined) expect([path, own.map(({ task }) => task)]).toEqual([path, expect.arrayContaining([NOTED[path] ?? act])])
})
