import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileRoutes, findRoute } from '../../src/console/find-route.ts'
import { setCredit } from '../../src/operator/accounts/account-money.ts'
import { listAccounts } from '../../src/operator/accounts/list-accounts.ts'
import { setAccountStatus } from '../../src/operator/accounts/set-account-status.ts'
import type { Runnable } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { changeAdServer, setUpAdServer } from '../../src/operator/ad-servers/setting-acts.ts'
import { setApprovalPolicy, showApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { guardedStore } from '../../src/operator/audited-store.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { setInvoicing, showInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { setCreativeRule, showCreativeRules } from '../../src/operator/creatives/creative-rules.ts'
import { text } from '../../src/operator/fields.ts'
import { setMakeGoodPolicy, showMakeGoodPolicy } from '../../src/operator/make-goods/make-good-policy.ts'
import { listPersonChannels, removePersonChannel, setPersonChannel } from '../../src/operator/notifications/channel-acts.ts'
import { setOrderTerms, showOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { listPeople, setRole } from '../../src/operator/people/manage-people.ts'
import { savePlacement, showPlacement } from '../../src/operator/placements/manage-placements.ts'
import { setProduct } from '../../src/operator/products/change-product.ts'
import { showProduct } from '../../src/operator/products/list-products.ts'
import { saveReport } from '../../src/operator/reports/saved-reports.ts'
import { listReportSchedules, scheduleReport } from '../../src/operator/reports/schedule-reports.ts'
import { setSettings, showSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let order = ''
let account = ''
let base = ''

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] }), productDocument('sport')])
  ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  base = `/console/t/${agent.tenant}`
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
  order = String((await agent.create(flight)).data.media_buy_id)
  const { items } = await performAs(operatorBeside(agent, agent.server.clock), agent.tenant, listAccounts, {})
  account = items[0]?.account_id ?? ''
  await act(setUpAdServer, { name: 'sheets', type: 'manual', products: ['news'], options: sheetOf('Home page') })
  for (const username of ['ada', 'eva']) {
    if (username === 'eva') await signedIn(agent, 'eva', 'finance', agent.tenant)
    await act(setPersonChannel, { username, channel: 'mail', address: `${username}@publisher.example`, kinds: ['waiting'] })
  }
  await act(saveReport, { report: 'week', by: ['day'], last_days: 7 })
})
afterAll(() => agent.stop())

const act = (which: Runnable, members: object) =>
  performAs(operatorBeside(agent, agent.server.clock), agent.tenant, which, { ...members })

const sheetOf = (unit: string) => ({ products: { news: { units: [unit] } } })

/** A form that a person has open while a colleague changes something. */
interface Case {
  readonly page: () => string
  readonly action: () => string
  /** What the form holds, where others of the page have the same address. */
  readonly holds?: string
  /** Where the form is sent to, when that is not its page. */
  readonly target?: () => string
  /** Stores a first state, and what the colleague makes of it. */
  readonly store: readonly [Runnable, () => object, () => object]
  readonly read: readonly [Runnable, () => object]
  /** What the person changes, which is something else. */
  readonly own: Readonly<Record<string, string>>
  readonly kept: object
  /** What the person writes into the input that the colleague changed. */
  readonly same: Readonly<Record<string, string>>
  readonly told: string
}

const ruleOf = (rule: string) => ({ buyer: 'buyer', advertiser: 'sneaker.example', rule })
const placed = () => ({ placement: 'rail', name: 'Rail', sizes: ['300x250'], targeting: { devices: ['desktop'] } })
const CASES: Readonly<Record<string, Case>> = {
  'billing details': {
    page: () => `${base}/billing/details`,
    action: () => 'billing/details',
    store: [
      setInvoicing,
      () => ({ legal_name: 'Acme Media AB', country: 'SE', iban: 'DE89370400440532013000' }),
      () => ({ iban: 'GB82WEST12345698765432' }),
    ],
    read: [showInvoicing, () => ({})],
    own: { phone: '+46 8 123 45 67' },
    kept: { iban: 'GB82WEST12345698765432', phone: '+46 8 123 45 67', legal_name: 'Acme Media AB' },
    same: { iban: 'DE75512108001245126199' },
    told: 'IBAN is &quot;GB82WEST12345698765432&quot; by now',
  },
  'terms of an order': {
    page: () => `${base}/orders/${order}/terms`,
    action: () => '/terms',
    store: [setOrderTerms, () => ({ order, labels: ['spring'] }), () => ({ order, purchase_order: 'PO-7' })],
    read: [showOrderTerms, () => ({ order })],
    own: { sales_person: 'Eva', discount: '2,5' },
    kept: { purchase_order: 'PO-7', sales_person: 'Eva', labels: ['spring'], discount_basis_points: 250 },
    same: { purchase_order: 'PO-8' },
    told: 'Purchase order is &quot;PO-7&quot; by now',
  },
  'settings of the publisher': {
    page: () => `${base}/settings`,
    action: () => 'settings/publisher',
    target: () => `${base}/settings/publisher`,
    store: [setSettings, () => ({ governance_agent: true }), () => ({ currency: 'EUR', verify_operators: true })],
    read: [showSettings, () => ({})],
    own: { name: 'Acme News' },
    kept: { name: 'Acme News', settings: { currency: 'EUR', verify_operators: true, governance_agent: true } },
    same: { currency: 'SEK' },
    told: 'Currency is &quot;EUR&quot; by now',
  },
  'a placement': {
    page: () => `${base}/placements/rail/edit`,
    action: () => 'rail/edit',
    store: [
      savePlacement,
      placed,
      () => ({ ...placed(), daily_capacity: 9_000, targeting: { devices: ['desktop', 'tablet'], countries: ['DE'] } }),
    ],
    read: [showPlacement, () => ({ placement: 'rail' })],
    own: { name: 'Side rail', 'targeting-keywords': 'football' },
    kept: {
      ...{ name: 'Side rail', sizes: ['300x250'], daily_capacity: 9_000 },
      targeting: { devices: ['desktop', 'tablet'], countries: ['DE'], keywords: ['football'] },
    },
    same: { daily_capacity: '8000' },
    told: 'Impressions a day is &quot;9000&quot; by now',
  },
  'the rule for new orders': {
    page: () => `${base}/settings`,
    action: () => 'settings/approvals',
    holds: 'name="task" value="create_media_buy"',
    target: () => `${base}/settings/approvals`,
    store: [
      setApprovalPolicy,
      () => ({ task: 'create_media_buy', when: 'rules', above: 5_000 }),
      () => ({ task: 'create_media_buy', above_in: ['SEK=60000'], products: ['news'] }),
    ],
    read: [showApprovalPolicy, () => ({})],
    own: { above: '7000' },
    kept: { tasks: { create_media_buy: { when: 'rules', above: 7_000, above_in: { SEK: 60_000 }, products: ['news'] } } },
    same: { products: 'news, other' },
    told: 'Products is &quot;news&quot; by now',
  },
  'an ad server': {
    page: () => `${base}/settings`,
    action: () => 'ad-servers/sheets',
    target: () => `${base}/settings/ad-servers/sheets`,
    store: [
      changeAdServer,
      () => ({ name: 'sheets', drift: 'leave' }),
      () => ({ name: 'sheets', options: sheetOf('Start page') }),
    ],
    read: [changeAdServer, () => ({ name: 'sheets' })],
    own: { drift: 'heal' },
    kept: { drift: 'heal', products: ['news'], options: sheetOf('Start page') },
    same: { options: JSON.stringify(sheetOf('Rail')) },
    told: 'Options, as JSON is &quot;{',
  },
  'the schedule of a report': {
    page: () => `${base}/reports/saved/week`,
    action: () => 'week/schedule',
    target: () => `${base}/reports/saved/week/schedule`,
    store: [
      scheduleReport,
      () => ({ report: 'week', every: 'weekly', weekday: 'friday', to: ['ada'] }),
      () => ({ report: 'week', every: 'weekly', weekday: 'friday', hour: 9, to: ['ada', 'eva'] }),
    ],
    read: [listReportSchedules, () => ({})],
    own: { weekday: 'tuesday' },
    kept: { items: [{ weekday: 'tuesday', hour: 9, to: [{ username: 'ada' }, { username: 'eva' }] }] },
    same: { hour: '10' },
    told: 'Hour is &quot;9&quot; by now',
  },
  'when requests expire': {
    page: () => `${base}/settings`,
    action: () => 'settings/expiry',
    target: () => `${base}/settings/expiry`,
    store: [setApprovalPolicy, () => ({ expires_hours: 24 }), () => ({ expires_hours: 36 })],
    read: [showApprovalPolicy, () => ({})],
    own: {},
    kept: { expires_hours: 36 },
    same: { hours: '48' },
    told: 'Hours until requests expire is &quot;36&quot; by now',
  },
  'the credit limit of an account': {
    page: () => `${base}/accounts/${account}`,
    action: () => '/credit',
    target: () => `${base}/accounts/${account}/credit`,
    store: [setCredit, () => ({ account, amount: '500', currency: 'EUR' }), () => ({ account, amount: '900', currency: 'EUR' })],
    read: [listAccounts, () => ({})],
    own: { currency: 'EUR' },
    kept: { items: [{ credit_limit: { amount: 900, currency: 'EUR' } }] },
    same: { amount: '700' },
    told: 'Credit limit is &quot;900&quot; by now',
  },
  'the status of an account': {
    page: () => `${base}/accounts/${account}`,
    action: () => '/status',
    target: () => `${base}/accounts/${account}/status`,
    store: [setAccountStatus, () => ({ account, status: 'payment_required' }), () => ({ account, status: 'suspended' })],
    read: [listAccounts, () => ({})],
    own: {},
    kept: { items: [{ status: 'suspended' }] },
    same: { status: 'active' },
    told: 'Status is &quot;suspended&quot; by now',
  },
  'the rule for creatives of a buyer': {
    page: () => `${base}/buyers/buyer`,
    action: () => '/creative-rules',
    target: () => `${base}/buyers/buyer/creative-rules`,
    store: [setCreativeRule, () => ({ buyer: 'buyer', rule: 'review' }), () => ({ buyer: 'buyer', rule: 'refuse' })],
    read: [showCreativeRules, () => ({ buyer: 'buyer' })],
    own: {},
    kept: { rule: 'refuse' },
    same: { rule: 'approve' },
    told: 'The rule for its creatives is &quot;refuse&quot; by now',
  },
  'the rule for creatives of an advertiser': {
    page: () => `${base}/buyers/buyer`,
    action: () => '/creative-rules',
    holds: 'name="advertiser" value="sneaker.example"',
    target: () => `${base}/buyers/buyer/creative-rules`,
    store: [setCreativeRule, () => ruleOf('review'), () => ruleOf('refuse')],
    read: [showCreativeRules, () => ({ buyer: 'buyer' })],
    own: {},
    kept: { advertisers: [{ domain: 'sneaker.example', rule: 'refuse' }] },
    same: { rule: 'approve' },
    told: 'The rule for its creatives is &quot;refuse&quot; by now',
  },
  'the role of a person': {
    page: () => `${base}/people`,
    action: () => 'people/eva/role',
    target: () => `${base}/people/eva/role`,
    store: [setRole, () => ({ username: 'eva', role: 'finance' }), () => ({ username: 'eva', role: 'viewer' })],
    read: [listPeople, () => ({})],
    own: {},
    kept: { items: expect.arrayContaining([expect.objectContaining({ username: 'eva', role: 'viewer' })]) },
    same: { role: 'administrator' },
    told: 'The role is &quot;viewer&quot; by now',
  },
  'what is done about shortfalls': {
    page: () => `${base}/reports/shortfalls`,
    action: () => 'shortfalls/policy',
    target: () => `${base}/reports/shortfalls/policy`,
    store: [
      setMakeGoodPolicy,
      () => ({ how: 'never', remedy: 'additional_delivery', missing_percent: 5 }),
      () => ({ how: 'never', remedy: 'additional_delivery', missing_percent: 20 }),
    ],
    read: [showMakeGoodPolicy, () => ({})],
    own: { how: 'propose' },
    kept: { how: 'propose', missing_percent: 20 },
    same: { missing_percent: '10' },
    told: 'Per cent that must be missing is &quot;20&quot; by now',
  },
  'a product': {
    page: () => `${base}/products/sport/edit`,
    action: () => 'sport/edit',
    store: [
      setProduct,
      () => ({ product: 'sport', cells: { name: 'News', daily_capacity: '1000' } }),
      () => ({ product: 'sport', cells: { daily_capacity: '2000', price: '9.5' } }),
    ],
    read: [showProduct, () => ({ product: 'sport' })],
    own: { name: 'News of the day' },
    kept: {
      ...{ name: 'News of the day', selling: { daily_capacity: 2000 } },
      pricing_options: [{ pricing_option_id: 'cpm', fixed_price: 9.5 }],
    },
    same: { 'price-0-price': '11' },
    told: 'The price list is &quot;cpm cpm USD 9.5&quot; by now',
  },
  'a price in place': {
    page: () => `${base}/products`,
    action: () => 'sport/price',
    target: () => `${base}/products/sport/price`,
    store: [
      setProduct,
      () => ({ product: 'sport', cells: { price: '12' } }),
      () => ({ product: 'sport', cells: { price: '13' } }),
    ],
    read: [showProduct, () => ({ product: 'sport' })],
    own: {},
    kept: { pricing_options: [{ pricing_option_id: 'cpm', fixed_price: 13 }] },
    same: { value: '14' },
    told: 'The price is &quot;13&quot; by now',
  },
  'a channel of a person': {
    page: () => `${base}/notifications`,
    action: () => 'notifications/mail',
    target: () => `${base}/notifications/mail`,
    store: [
      setPersonChannel,
      () => ({ username: 'ada', channel: 'mail', kinds: ['waiting'] }),
      () => ({ username: 'ada', channel: 'mail', kinds: ['waiting', 'drift'] }),
    ],
    read: [listPersonChannels, () => ({ username: 'ada' })],
    own: { timing: 'digest', hour: '6' },
    kept: { items: [{ kinds: ['waiting', 'drift'], timing: 'digest', digest_hour: 6 }] },
    same: { kinds: 'expiring' },
    told: 'Notify me of is &quot;drift, waiting&quot; by now',
  },
}

it.each(Object.entries(CASES))(
  '%s: what a colleague stored meanwhile stays, unless both changed the same',
  async (_name, one) => {
    const [store, first, then] = one.store
    await act(store, first())
    const { text } = await ada.get(one.page())
    const own = one.holds === undefined ? text : text.slice(text.lastIndexOf('<form', text.indexOf(one.holds)))
    const open = formFields(own, one.action())
    await act(store, then())
    const target = (one.target ?? one.page)()

    const clash = await ada.postAll(target, filledIn(open, one.same))
    expect([clash.status, clash.text]).toEqual([409, expect.stringContaining(one.told)])
    const blind = open.filter(([name]) => name !== 'shown')
    expect((await ada.postAll(target, filledIn(blind, one.own))).status).toBe(400)

    expect((await ada.postAll(target, filledIn(open, one.own))).status).toBe(303)
    expect(await act(one.read[0], one.read[1]())).toMatchObject(one.kept)
  },
)

/** Routes of forms that show nothing that is stored, or that name a version of their own, by the end of their paths. */
const OTHERS: Readonly<Record<string, string>> = {
  '/orders/{id}/notes': 'adds a note',
  '/direct-orders/{order}/edit': 'sends the revision that the order had, which its act compares',
  '/settings/ad-servers': 'adds an ad server',
  '/settings/approvals/try': 'saves nothing',
  '/settings/erasure': 'counts, and saves nothing',
  '/settings/connect-network': 'adds an ad server',
  '/buyers': 'adds a buyer',
  '/buyers/{id}/keys': 'adds a key',
  '/accounts/{id}/payments': 'adds a payment',
  '/people/invite': 'adds an invitation',
  '/products/new': 'adds a product, and is refused where there is one',
  '/products/{id}/seasons': 'adds a season, or replaces the one of its name, as it says',
  '/products/import': 'a file says all of what it changes',
  '/placements/new': 'adds a placement, and is refused where there is one',
  '/reports/saved': 'adds a report, or replaces one where the person says so',
  '/billing/charges': 'adds a charge',
  '/billing/close': 'sends the digest of what was shown, which its act compares',
  '/orders/{id}/make-goods/deliveries': 'adds an offer',
  '/orders/{id}/make-goods/credits': 'adds an offer',
  '/direct-orders': 'adds an order, and is refused where there is one',
  '/creatives/files': 'adds a file',
}

const routes = consoleRouteTable().filter(({ path }) => path.startsWith('/t/{tenant}/'))
const compiled = compileRoutes(routes)
const routeOf = (target: string) => {
  const found = findRoute(compiled, 'POST', target.slice('/console'.length))
  return found.kind === 'route' ? found.route : undefined
}

/** The limit of texts that have none of their own. */
const EVERY_TEXT = Number(text('').schema.maxLength)

/** Where forms of a page are sent to in which something stands that a person can change: a text, a choice or a tick. */
function filledForms(text: string): readonly string[] {
  return [...text.matchAll(/<form [^>]*?method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].flatMap(
    ([, action = '', inside = '']) =>
      /<select|<textarea[^>]*>[^<]|<input (?![^>]*type="(?:hidden|radio)")[^>]*(?: value="[^"]| checked)/.test(inside)
        ? [action]
        : [],
  )
}

it('every form that shows what is stored is among these, no other form shows it, and inputs are as long as fields of their acts may be', async () => {
  const shown = routes.filter(({ showsStored }) => showsStored === true).map(({ path }) => path)
  const played = new Set(Object.values(CASES).map((one) => routeOf((one.target ?? one.page)())?.path))
  expect([...played].toSorted()).toEqual(shown.toSorted())
  const pages = routes
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('/live') && !/\.\w+$|preview/.test(path))
    .map(({ path }) =>
      path.replace('/t/{tenant}', base).replace(/\{\w+\}/g, (name, at: number, whole: string) => idAt(name, whole.slice(0, at))),
    )
    .filter((path) => !path.includes('{'))
  expect(pages.length).toBeGreaterThan(40)
  const unguarded = new Set<string>()
  const unlimited = new Set<string>()
  for (const page of pages) {
    const { status, text } = await ada.get(page)
    if (status !== 200) continue
    for (const [, action = '', inside = ''] of text.matchAll(
      /<form [^>]*?method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
    )) {
      const fields = ACTS.find(({ name }) => name === routeOf(action)?.act)?.fields ?? {}
      for (const [input, name = ''] of inside.matchAll(/<input (?![^>]*type="hidden")[^>]*name="(\w+)"[^>]*>/g)) {
        const most = fields[name]?.schema.maxLength
        if (Number(most) < EVERY_TEXT && !input.includes(`maxlength="${most}"`)) unlimited.add(`${name} of ${action}`)
      }
    }
    for (const action of filledForms(text)) {
      const route = routeOf(action)
      const path = route?.path.replace('/t/{tenant}', '') ?? action
      if (route?.showsStored !== true && OTHERS[path] === undefined) unguarded.add(`${path} on ${page}`)
    }
  }
  expect([...unguarded]).toEqual([])
  expect([...unlimited]).toEqual([])
})

/** Something that there is, for a parameter of a path after what stands before it. */
function idAt(name: string, before: string): string {
  const ids: Readonly<Record<string, string>> = {
    ...{ buyers: 'buyer', accounts: account, orders: order, products: 'news', placements: 'rail' },
    ...{ saved: 'week', 'ad-servers': 'sheets' },
  }
  return ids[before.split('/').at(-2) ?? ''] ?? name
}

it('what a colleague took away meanwhile is not stored again', async () => {
  await act(setPersonChannel, { username: 'ada', channel: 'mail', address: 'ada@publisher.example', kinds: ['waiting'] })
  const open = formFields((await ada.get(`${base}/notifications`)).text, 'notifications/mail')
  await act(removePersonChannel, { username: 'ada', channel: 'mail' })
  const late = await ada.postAll(`${base}/notifications/mail`, filledIn(open, { timing: 'digest', hour: '6' }))
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('What the form shows is not there any more')])
  expect(await act(listPersonChannels, { username: 'ada' })).toMatchObject({ items: [] })
})

it('a rule for an advertiser that has one is not made anew', async () => {
  await act(setCreativeRule, ruleOf('refuse'))
  const sent = { advertiser: 'Sneaker.example', rule: 'approve', new: 'yes', shown: 'rule=x' }
  const again = await ada.post(`${base}/buyers/buyer/creative-rules`, sent)
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('there is a rule for sneaker.example, refuse')])
})

it('a refused form keeps what the person wrote, shows what is stored now, and may be sent again', async () => {
  const path = `${base}/billing/details`
  const open = formFields((await ada.get(path)).text, 'billing/details')
  await act(setInvoicing, { iban: 'GB82WEST12345698765432', bic: 'DEUTDEFF', city: 'Malmö' })
  const { text } = await ada.postAll(path, filledIn(open, { bic: 'ABNANL2A', city: 'Lund' }))
  for (const shown of ['value="ABNANL2A"', 'value="Lund"', 'value="GB82WEST12345698765432"']) expect(text).toContain(shown)
  expect((await ada.postAll(path, formFields(text, 'billing/details'))).status).toBe(303)
  expect(await act(showInvoicing, {})).toMatchObject({ bic: 'ABNANL2A', city: 'Lund', iban: 'GB82WEST12345698765432' })
})

it('a discount below what is credited is refused with the amounts, and one that is no number as such', async () => {
  agent.setClock('2026-03-20T12:00:00Z')
  ada = await signedIn(agent, 'ada-later', 'administrator', agent.tenant)
  await act(setOrderTerms, { order, discount_basis_points: 0 })
  await act(addCharge, { order, amount: '500', reason: 'a test', credit: true })
  const page = `${base}/orders/${order}/terms`
  const refused = await ada.fillIn(page, '/terms', { discount: '60' })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('500.00 USD of it is credited already')])
  for (const discount of ['much', '101']) {
    const wrong = await ada.fillIn(page, '/terms', { discount })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Discount must be per cent from 0 to 100')])
  }
})

it('what changes between the reading of a page and the writing of its act is refused in the transaction of the act', async () => {
  const { store } = agent.server
  const seen: number[] = []
  const operator = operatorBeside(agent, agent.server.clock)
  const legal = async () => (await performAs(operator, agent.tenant, showInvoicing, {})).legal_name
  const before = await legal()
  const guarded = guardedStore(store, async (inside) => {
    const now = await performAs({ ...operator, store: inside }, agent.tenant, showInvoicing, {})
    seen.push(now.payment_days)
    throw new AdcpError('CONFLICT', 'somebody was faster')
  })
  const late = performAs({ ...operator, store: guarded }, agent.tenant, setInvoicing, { legal_name: 'Other AB' })
  await expect(late).rejects.toThrow('somebody was faster')
  expect([seen.length > 0, await legal()]).toEqual([true, before])
})
