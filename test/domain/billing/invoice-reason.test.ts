import { expect, it } from 'vitest'
import { type InvoiceReason, PEOPLE, reasonText } from '../../../src/domain/billing/invoice-reason.ts'

const GERMAN = { language: 'de', locale: 'de-DE' } as const
const SWEDISH = { language: 'sv', locale: 'sv-SE' } as const
const read = (reason: InvoiceReason) =>
  [PEOPLE, GERMAN, SWEDISH].map((reader) => reasonText(reason, reader).replaceAll('\u00a0', ' '))

it('what this program says on invoices reads in the language of the receiver', () => {
  expect(read({ kind: 'billed_anew', invoice: '2026-10-0004' })).toEqual([
    'billed anew: invoice 2026-10-0004 was credited',
    'neu berechnet: Rechnung 2026-10-0004 wurde gutgeschrieben',
    'faktureras på nytt: faktura 2026-10-0004 krediterades',
  ])
  expect(read({ kind: 'reported', adServer: 'hand', day: '2026-11-05' })).toEqual([
    'reported by hand on 2026-11-05',
    'gemeldet von hand am 2026-11-05',
    'rapporterat av hand den 2026-11-05',
  ])
  expect(read({ kind: 'reported', day: '2026-11-05' })).toEqual([
    'reported by our ad server on 2026-11-05',
    'gemeldet von unserem Adserver am 2026-11-05',
    'rapporterat av vår annonsserver den 2026-11-05',
  ])
  expect(read({ kind: 'make_good', text: 'halva visningarna' })).toEqual([
    'make-good: halva visningarna',
    'Ausgleich für Minderleistung: halva visningarna',
    'kompensation för utebliven leverans: halva visningarna',
  ])
})

it('the rule of a cancellation has its numbers and its time in the form of the receiver', () => {
  const rule = { type: 'percent_remaining', percent: 12.5, budgetMicros: 1_500_000_000, spentMicros: 200_500_000 } as const
  const reason = { kind: 'cancellation', currency: 'SEK' } as const
  expect(read({ ...reason, rule: { ...rule, notice: { interval: 14, unit: 'days' } } })).toEqual([
    'cancellation: 12.5 % of a budget of 1,500.00 SEK less 200.50 SEK spent; since the notice of 14 days began',
    'Stornierung: 12,5 % von einem Budget von 1.500,00 SEK abzüglich geleisteter 200,50 SEK; innerhalb der Frist: 14 Tage',
    'avbokning: 12,5 % av en budget på 1 500,00 SEK minus levererat för 200,50 SEK; inom avbokningsfristen: 14 dygn',
  ])
  const { percent: _percent, ...whole } = rule
  const campaign = { ...whole, notice: { interval: 1, unit: 'campaign' } }
  expect(read({ ...reason, rule: { ...campaign, type: 'fixed_fee' } })[1]).toBe(
    'Stornierung: eine feste Gebühr; innerhalb der Frist: die ganze Kampagne',
  )
  expect(read({ ...reason, rule: { ...campaign, type: 'full_commitment' } })[2]).toBe(
    'avbokning: en budget på 1 500,00 SEK minus levererat för 200,50 SEK; inom avbokningsfristen: hela kampanjen',
  )
})
