import { describe, expect, it } from 'vitest'
import { readTaxRule, taxOf, taxRuleText } from '../../../src/domain/billing/tax-rule.ts'

const party = (country: string | undefined, vatId?: string) => ({
  name: 'Somebody',
  ...(country !== undefined && { address: { street: '', postalCode: '', city: '', country } }),
  ...(vatId !== undefined && { vatId }),
})
const SWEDE = party('SE', 'SE556677889901')

describe('the tax that holds by default', () => {
  it.each([
    ['at home: the standard rate', SWEDE, party('SE', 'SE1'), { kind: 'rate', percent: 25 }],
    ['in the Union with a VAT number: the buyer owes it', SWEDE, party('DE', 'DE123456789'), { kind: 'reverse_charge' }],
    ['in the Union without one: the rate of the seller', SWEDE, party('DE'), { kind: 'rate', percent: 25 }],
    ['the country of a Greek VAT number', SWEDE, party(undefined, 'EL123456789'), { kind: 'reverse_charge' }],
    ['outside the Union: outside the scope', SWEDE, party('US'), { kind: 'outside_scope' }],
    ['a seller without a VAT number charges none', party('SE'), party('SE'), { kind: 'outside_scope' }],
    ['a seller outside the Union at home', party('GB', 'GB1'), party('GB'), { kind: 'rate', percent: 20 }],
    ['a seller outside the Union abroad', party('GB', 'GB1'), party('DE', 'DE1'), { kind: 'outside_scope' }],
    ['nobody knows where the buyer is: the standard rate', SWEDE, party(undefined), { kind: 'rate', percent: 25 }],
  ])('%s', (_case, seller, buyer, tax) => {
    expect(taxOf(seller, buyer, [], '2026-03-31')).toEqual(tax)
  })
})

it('rules of the publisher go before, in their order', () => {
  const rules = ['DE/other=7.5', 'EU/business=exempt: agreed with the tax office', '*=0'].map((rule) => readTaxRule(rule, 'r'))
  expect(rules.map(taxRuleText)).toEqual(['DE/other=7.5', 'EU/business=exempt:agreed with the tax office', '*=0'])
  expect(taxOf(SWEDE, party('DE'), rules, '2026-03-31')).toEqual({ kind: 'rate', percent: 7.5 })
  expect(taxOf(SWEDE, party('DE', 'DE1'), rules, '2026-03-31')).toEqual({ kind: 'exempt', reason: 'agreed with the tax office' })
  expect(taxOf(SWEDE, party('SE'), rules, '2026-03-31')).toEqual({ kind: 'rate', percent: 0 })
})

it('a rule with days holds on them alone, and before it what is without; it is written as it was read', () => {
  const texts = ['DE/other@2026-07-01..2026-12-31=16', 'DE@2027-01-01=20', 'DE@..2025-12-31=18', 'DE=19']
  const rules = texts.map((rule) => readTaxRule(rule, 'r'))
  expect(rules.map(taxRuleText)).toEqual(texts)
  const percents = ['2025-12-31', '2026-01-01', '2026-06-30', '2026-07-01', '2026-12-31', '2027-01-01', '2031-01-01'].map(
    (day) => {
      const tax = taxOf(SWEDE, party('DE'), rules, day)
      return tax.kind === 'rate' ? tax.percent : tax.kind
    },
  )
  expect(percents).toEqual([18, 19, 19, 16, 16, 20, 20])
  expect(taxOf(SWEDE, party('DE', 'DE1'), rules, '2026-08-31')).toEqual({ kind: 'rate', percent: 19 })
  // Where no rule holds any more, what holds by default does.
  expect(taxOf(SWEDE, party('SE'), [readTaxRule('SE@..2026-01-31=12', 'r')], '2026-02-28')).toEqual({ kind: 'rate', percent: 25 })
})

it.each([
  'DE@=19',
  'DE@2026-02-30=19',
  'DE@2026-02-01..2026-01-31=19',
  'DE@..=19',
  'DE@2026-01-01..2026-02-01..=19',
  'DE@2026=19',
])('"%s" has no days that there are', (text) => {
  expect(() => readTaxRule(text, 'tax_rules')).toThrow(/is no tax rule/)
})

it.each(['', 'DE', 'de=19', 'DE=101', 'DE=-1', 'DE=nothing', 'DE/private=1', 'exempt:x', 'DE=exempt:', `DE=${'9'.repeat(300)}`])(
  '"%s" is no rule, and the refusal says what one is',
  (text) => {
    expect(() => readTaxRule(text, 'tax_rules')).toThrow(/is no tax rule: write COUNTRY/)
  },
)
