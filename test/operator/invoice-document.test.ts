import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setInvoicing, showInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

const BILLING_ENTITY = {
  legal_name: 'Käufer GmbH',
  vat_id: 'DE123456789',
  address: { street: 'Weg 2', city: 'Berlin', postal_code: '10115', country: 'DE' },
}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  await payerIs(BILLING_ENTITY)
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', { creatives: [{ creative_id: 'a', name: 'A', format_id, assets: { image, click_url } }] })
  const packages = [
    { product_id: 'news', pricing_option_id: 'cpm', budget: 333.33, creative_assignments: [{ creative_id: 'a' }] },
  ]
  const { isError, data } = await agent.create({ packages, po_number: 'PO 7' })
  if (isError) throw new Error(JSON.stringify(data))
  now = new Date('2026-04-02T08:00:00.000Z')
})
afterAll(() => agent.stop())

const payerIs = (billing_entity: object) =>
  agent.run('sync_accounts', {
    account: undefined,
    accounts: [{ ...ACCOUNT, billing: 'operator', billing_entity, payment_terms: 'net_15' }],
  })

const set = (members: object) => performAs(operator, agent.tenant, setInvoicing, { ...members })

it('what invoices say of the publisher is changed member by member; what would be lost is refused', async () => {
  await expect(set({ vat_id: 'SE556677889901' })).rejects.toMatchObject({ field: 'legal_name' })
  await expect(set({ legal_name: 'Acme Media AB', city: 'Stockholm' })).rejects.toMatchObject({ field: 'country' })
  await expect(set({ legal_name: 'Acme Media AB', iban: '12' })).rejects.toMatchObject({ field: 'iban' })
  await expect(set({ legal_name: 'Acme Media AB', iban: 'SE4550000000058398257467' })).rejects.toMatchObject({ field: 'iban' })
  for (const tax_rules of [['DE'], ['DE=19', 'XX=19']])
    await expect(set({ tax_rules })).rejects.toMatchObject({ field: 'tax_rules' })
  for (const wrong of [{ country: 'XX' }, { email: 'nomail' }])
    await expect(set({ legal_name: 'Acme Media AB', ...wrong })).rejects.toMatchObject({ field: Object.keys(wrong)[0] })
  await set({ legal_name: 'Acme Media AB', street: 'Storgatan 1', city: 'Stockholm', postal_code: '111 22', country: 'se' })
  await set({ vat_id: 'SE556677889901', iban: 'SE45 5000 0000 0583 9825 7466', email: 'money@acme.example' })
  const shown = await performAs(operator, agent.tenant, showInvoicing, {})
  expect(shown).toMatchObject({ country: 'SE', iban: 'SE4550000000058398257466', payment_days: 30, language: 'receiver' })
  const noted: unknown[] = []
  const noteAllChanges = (changes: object) => void noted.push(changes)
  await setInvoicing.run({ ...acting(operator, agent.tenant), noteAllChanges }, { bic: 'ESSESESS', email: 'sums@acme.example' })
  expect(noted).toEqual([{ bic: [null, 'ESSESESS'], email: ['not shown', 'not shown, changed'] }])
})

it('a payer of whom nothing says a country is found before the close, with the tax that is charged', async () => {
  const findings = async () => (await performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })).findings
  await payerIs({ legal_name: BILLING_ENTITY.legal_name })
  expect(await findings()).toMatchObject([
    {
      kind: 'no_country',
      text: expect.stringMatching(/^nothing says in which country Käufer GmbH is: invoice 2026-03-0001 is taxed with 25 %;/),
    },
  ])
  await payerIs(BILLING_ENTITY)
  expect(await findings()).toEqual([])
})

it('closing writes what the invoice says, and later changes leave it as it is', async () => {
  const { digest } = await performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })
  // A day later the invoices are the same.
  now = new Date('2026-04-03T08:00:00.000Z')
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03', digest })
  expect(invoices).toMatchObject([{ total: 333.33, tax: 0, payable: 333.33, due_on: '2026-04-18' }])
  const invoice = invoices[0]?.invoice_id ?? ''
  const written = await performAs(operator, agent.tenant, showInvoice, { invoice })
  expect(written).toMatchObject({
    ...{ kind: 'invoice', language: 'de', issued_on: '2026-04-03', tax_percent: null },
    publisher: { name: 'Acme Media AB', vat_id: 'SE556677889901' },
    payer: { name: 'Käufer GmbH', address: { city: 'Berlin' } },
    lines: [{ name: 'news', po_number: 'PO 7', unit: 'impressions', rate: 10, rate_units: 1000, amount: 333.33 }],
  })
  expect(written.tax_text).toContain('Steuerschuldnerschaft')
  const [{ quantity = 0, rate = 0 } = {}] = written.lines
  expect(Math.round(((quantity ?? 0) * (rate ?? 0)) / 10) / 100).toBe(333.33)
  await set({ legal_name: 'Acme Publishing AB', language: 'en' })
  expect(await performAs(operator, agent.tenant, showInvoice, { invoice })).toEqual(written)
})
