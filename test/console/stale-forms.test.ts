import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Runnable } from '../../src/operator/act.ts'
import { changeAdServer, setUpAdServer } from '../../src/operator/ad-servers/setting-acts.ts'
import { setApprovalPolicy, showApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { guardedStore } from '../../src/operator/audited-store.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { setInvoicing, showInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { listPersonChannels, setPersonChannel } from '../../src/operator/notifications/channel-acts.ts'
import { setOrderTerms, showOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { savePlacement, showPlacement } from '../../src/operator/placements/manage-placements.ts'
import { saveReport } from '../../src/operator/reports/saved-reports.ts'
import { listReportSchedules, scheduleReport } from '../../src/operator/reports/schedule-reports.ts'
import { setSettings, showSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let order = ''
let base = ''

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  base = `/console/t/${agent.tenant}`
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
  order = String((await agent.create(flight)).data.media_buy_id)
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
