import { expect, it } from 'vitest'
import { type InvoiceFacts, invoiceDocument } from '../../../src/domain/billing/invoice-document.ts'
import { invoiceView } from '../../../src/domain/billing/invoice-view.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { sampleLine } from '../../support/invoice-samples.ts'

const FACTS: Omit<InvoiceFacts, 'language'> = {
  kind: 'invoice',
  number: '2026-03-0001',
  issuedOn: '2026-04-02',
  currency: 'SEK',
  buyerReference: 'acc_1',
  period: { first: '2026-03-01', last: '2026-03-31' },
  tax: { kind: 'outside_scope' },
  seller: { name: 'Acme Media AB' },
  buyer: { name: 'Kaffe AB' },
}

it.each([
  ['en', 'Discount 5 %: −154.64 SEK', 'Discount 5 %: +154.64 SEK', 'Agency commission 10 %: +293.82 SEK'],
  ['sv', 'Rabatt 5 %: −154,64 SEK', 'Rabatt 5 %: +154,64 SEK', 'Byråprovision 10 %: +293,82 SEK'],
] as const)(
  'in %s a discount is taken away with the decimals of amounts, and given up where a correction gives back',
  (language, ...texts) => {
    const more = { discountPercent: 5, commissionPercent: 10 }
    const lines = [sampleLine(3_092_860_260, more), sampleLine(-3_092_860_260, { ...more, kind: 'adjustment' })]
    const document = invoiceDocument({ ...FACTS, language }, lines)
    const [first = '', second = ''] = atOnce(invoiceView(document)).rows.map(([what = '']) => what.replaceAll('\u00a0', ' '))
    expect([first.split('\n'), second.split('\n'), second.split('\n')]).toEqual(
      texts.map((text) => expect.arrayContaining([text])),
    )
    expect(document.lines[0]?.discount?.micros).toBe(154_643_013)
  },
)

it('a line of a whole order names the order alone', () => {
  const charge = sampleLine(50_000_000, { kind: 'charge', lineId: '', orderName: 'kaffe' })
  const [[what = ''] = []] = atOnce(invoiceView(invoiceDocument({ ...FACTS, language: 'en' }, [charge]))).rows
  expect(what.split('\n')).toContain('Order kaffe mb_1')
})
