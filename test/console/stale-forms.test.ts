import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Runnable } from '../../src/operator/act.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { setInvoicing, showInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { setOrderTerms, showOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { savePlacement, showPlacement } from '../../src/operator/placements/manage-placements.ts'
import { setSettings, showSettings } from '../../src/operator/tenants/tenant-acts.ts'
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
})
afterAll(() => agent.stop())

const act = (which: Runnable, members: object) =>
  performAs(operatorBeside(agent, agent.server.clock), agent.tenant, which, { ...members })

/** A form that a person has open while a colleague changes something. */
interface Case {
  readonly page: () => string
  readonly action: () => string
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
}

it.each(Object.entries(CASES))(
  '%s: what a colleague stored meanwhile stays, unless both changed the same',
  async (_name, one) => {
    const [store, first, then] = one.store
    await act(store, first())
    const open = formFields((await ada.get(one.page())).text, one.action())
    await act(store, then())
    const target = one.action() === 'settings/publisher' ? `${base}/settings/publisher` : one.page()

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
