import { expect, it } from 'vitest'
import { type InvoiceFacts, invoiceDocument, type LineFacts } from '../../../src/domain/billing/invoice-document.ts'
import { partyOfEntity } from '../../../src/domain/billing/invoice-party.ts'
import { payableParts, percentOf, taxMicros } from '../../../src/domain/billing/invoice-rounding.ts'
import { invoiceView } from '../../../src/domain/billing/invoice-view.ts'
import { INVOICE_LANGUAGES, type InvoiceLanguage } from '../../../src/domain/billing/invoice-words.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'

const seller = {
  name: 'Acme Media AB',
  address: { street: 'Storgatan 1', postalCode: '111 22', city: 'Stockholm', country: 'SE' },
  vatId: 'SE556677889901',
  bank: { iban: 'SE4550000000058398257466', bic: 'ESSESESS' },
}
const FACTS: InvoiceFacts = {
  ...{ kind: 'invoice', number: '2026-03-0001', issuedOn: '2026-04-02', dueOn: '2026-05-02', currency: 'EUR', language: 'de' },
  ...{ period: { first: '2026-03-01', last: '2026-03-31' }, seller, buyerReference: 'acc_1', tax: { kind: 'reverse_charge' } },
  buyer: {
    name: 'Käufer GmbH',
    vatId: 'DE123456789',
    address: { street: 'Weg 2', postalCode: '10115', city: 'Berlin', country: 'DE' },
  },
}
const line = (grossMicros: number, more: Partial<LineFacts> = {}): LineFacts => ({
  ...{ kind: 'delivery', serviceMonth: '2026-03', orderId: 'mb_1', lineId: 'pkg_1', productId: 'news', name: 'News' },
  ...{ unit: 'impressions', per: 1000, grossMicros },
  ...more,
})

it('lines are exact and rounded so that they add up to the rounded sum, in every currency', () => {
  for (const [currency, unit] of [
    ['EUR', 10_000],
    ['JPY', 1_000_000],
    ['KWD', 1_000],
  ] as const) {
    const exact = Array.from({ length: 997 }, (_, index) => 3_333_333 + index * 7_919)
    const { lines, netMicros, exactMicros } = invoiceDocument(
      { ...FACTS, currency },
      exact.map((micros) => line(micros)),
    )
    expect(exactMicros).toBe(exact.reduce((sum, micros) => sum + micros, 0))
    expect(lines.reduce((sum, { netMicros: micros }) => sum + micros, 0)).toBe(netMicros)
    expect(Math.abs(netMicros - exactMicros)).toBeLessThanOrEqual(unit / 2)
    for (const { netMicros: shown, exactMicros: own } of lines) {
      expect(shown % unit).toBe(0)
      expect(Math.abs(shown - own)).toBeLessThanOrEqual(unit)
    }
  }
  expect(payableParts([-4_000, -4_000, -4_000], 'EUR')).toEqual([0, -10_000, 0].map((micros) => micros || expect.closeTo(0)))
})

it('discount is taken from the gross amount, commission from the rest, and tax from the rounded net sum', () => {
  const tax = { kind: 'rate', percent: 25.5 } as const
  const made = invoiceDocument({ ...FACTS, tax }, [line(1_000_000_001, { discountPercent: 10, commissionPercent: 15 })])
  const [first] = made.lines
  expect(first?.discount).toEqual({ percent: 10, micros: 100_000_000 })
  expect(first?.commission).toEqual({ percent: 15, micros: 135_000_000 })
  expect(made).toMatchObject({
    exactMicros: 765_000_001,
    netMicros: 765_000_000,
    taxMicros: 195_080_000,
    payableMicros: 960_080_000,
  })
  expect(percentOf(-1_000_000_001, 10)).toBe(-100_000_000)
  expect(taxMicros(20_000, 25, 'EUR')).toBe(10_000)
  expect(taxMicros(10_000, 25, 'EUR')).toBe(0)
})

it('reads in the language and with the numbers and days of its receiver', () => {
  const lines = [line(1_234_567_891, { quantity: 1_234_567, rateMicros: 1_000_000, orderName: 'Frühling', poNumber: 'PO 7' })]
  const read = (language: InvoiceLanguage, country: string) => {
    const address = { ...FACTS.seller.address, street: 'Weg 2', postalCode: '1', city: 'X', country }
    return atOnce(invoiceView(invoiceDocument({ ...FACTS, language, buyer: { ...FACTS.buyer, address } }, lines)))
  }
  const german = read('de', 'DE')
  expect(german.title).toBe('Rechnung 2026-03-0001')
  expect([german.from.at(4), german.to.at(4)]).toEqual(['Schweden', 'Deutschland'])
  expect(german.rows).toEqual([
    [
      'News\nAuftrag Frühling mb_1, pkg_1\nBestellnummer PO 7',
      '2026-03',
      '1.234.567 Einblendungen',
      '1,00 EUR / 1.000',
      '1.234,57 EUR',
    ],
  ])
  expect(german.totals).toContainEqual(['Zu zahlen', '1.234,57 EUR'])
  expect(german.facts).toContainEqual(['Zahlbar bis', '02.05.2026'])
  expect(german.notes[0]).toContain('Steuerschuldnerschaft des Leistungsempfängers')
  expect(german.bank).toContainEqual(['IBAN', 'SE45 5000 0000 0583 9825 7466'])
  const swedish = read('sv', 'SE')
  expect([swedish.from.at(4), swedish.to.at(4)]).toEqual(['Sverige', 'Sverige'])
  expect(swedish.totals).toContainEqual(['Att betala', '1\u00a0234,57 EUR'])
  expect(swedish.notes[0]).toContain('Omvänd betalningsskyldighet')
  expect(read('en', 'GB').totals).toContainEqual(['Payable', '1,234.57 EUR'])
  // Every language says everything.
  const views = INVOICE_LANGUAGES.map((language) => JSON.stringify(read(language, 'FR').columns))
  expect(new Set(views).size).toBe(INVOICE_LANGUAGES.length)
})

it('the billing entity of an account is who pays; one without a legal name is none', () => {
  const contacts = [
    { role: 'legal', email: 'l@buyer.example' },
    { role: 'billing', email: 'b@buyer.example' },
  ]
  const address = { street: 'Weg 2', city: 'Berlin', postal_code: '10115', country: 'DE' }
  expect(partyOfEntity({ legal_name: 'Käufer GmbH', vat_id: 'DE1', address, contacts })).toEqual({
    ...{ name: 'Käufer GmbH', vatId: 'DE1', email: 'b@buyer.example' },
    address: { street: 'Weg 2', city: 'Berlin', postalCode: '10115', country: 'DE' },
  })
  for (const wrong of [undefined, {}, { legal_name: 7 }, 'x']) expect(partyOfEntity(wrong)).toBeUndefined()
})

it('an invoice says which days of its reports are billed in part with the month beside, in each language', () => {
  const report = { revisionId: 'r_1', digest: 'd', corrections: [] }
  for (const language of INVOICE_LANGUAGES) {
    const made = invoiceDocument({ ...FACTS, language }, [line(1_000_000)])
    const shared = { ...report, day: '2026-02-28', sharedWith: '2026-02' }
    const { notes } = atOnce(invoiceView({ ...made, reports: [shared, { ...report, day: '2026-03-01' }] }))
    expect(notes.at(-1)).toMatch(/UTC.*: 2026-02-28 \(2026-02\)\.$/)
    expect(atOnce(invoiceView({ ...made, reports: [{ ...report, day: '2026-03-01' }] })).notes.at(-1)).toContain('2026-03-01 r_1')
  }
})
