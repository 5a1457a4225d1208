import { expect, it } from 'vitest'
import { type FlatPrice, flatPart } from '../../../src/domain/billing/flat-part.ts'
import { invoiceView } from '../../../src/domain/billing/invoice-view.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { mulDiv } from '../../../src/domain/money.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { sampleInvoice, sampleLine } from '../../support/invoice-samples.ts'

// 20 October to 10 November, with both days, at midnight in Stockholm, over the day on which clocks go back.
const TAKEOVER: FlatPrice = {
  priceMicros: 31_000_370_000,
  startsAt: '2026-10-19T22:00:00.000Z',
  endsAt: '2026-11-10T23:00:00.000Z',
}
const WEEK: FlatPrice = {
  ...{ priceMicros: 8_641_969_000, startsAt: '2026-10-28T23:00:00.000Z', endsAt: '2026-11-04T23:00:00.000Z' },
  time: { unit: 'day', rateMicros: 1_234_567_000 },
}

const STOCKHOLM = localCalendar('Europe/Stockholm')
const partOf = (amountMicros: number, price: FlatPrice) => flatPart(amountMicros, price, STOCKHOLM)

it('an amount of a flat price is days of its flight, whatever their hours, and all of them together are the price', () => {
  const october = mulDiv(TAKEOVER.priceMicros, 12, 22)
  const rate = { per: 22, rateMicros: TAKEOVER.priceMicros }
  expect(partOf(october, TAKEOVER)).toEqual({ unit: 'days', quantity: 12, ...rate })
  expect(partOf(TAKEOVER.priceMicros - october, TAKEOVER)).toEqual({ unit: 'days', quantity: 10, ...rate })
  expect(partOf(-october, TAKEOVER)).toEqual({ unit: 'days', quantity: -12, ...rate })
  for (const sign of [1, -1])
    expect(partOf(sign * TAKEOVER.priceMicros, TAKEOVER)).toEqual({ ...rate, unit: 'fee', quantity: sign, per: 1 })
})

it('an amount of no whole days is hours of the flight, where all of its days have as many', () => {
  const noons = { ...TAKEOVER, startsAt: '2026-11-05T11:00:00.000Z', endsAt: '2026-11-08T11:00:00.000Z' }
  const rate = { per: 72, rateMicros: TAKEOVER.priceMicros }
  expect(partOf(mulDiv(TAKEOVER.priceMicros, 37, 72), noons)).toEqual({ unit: 'hours', quantity: 37, ...rate })
  const overChange = { ...TAKEOVER, endsAt: '2026-11-10T11:00:00.000Z' }
  expect(partOf(mulDiv(TAKEOVER.priceMicros, 289, 516), overChange)).toEqual({
    ...{ unit: 'percent', quantity: 56.00775194, per: 100, rateMicros: TAKEOVER.priceMicros },
  })
})

it('of a price by the day, it is days at their rate', () => {
  const rate = { unit: 'days', per: 1, rateMicros: 1_234_567_000 }
  expect(partOf(WEEK.priceMicros, WEEK)).toEqual({ ...rate, quantity: 7 })
  expect(partOf(mulDiv(WEEK.priceMicros, 72, 168), WEEK)).toEqual({ ...rate, quantity: 3 })
})

it('what is no number of whole hours is a per cent of the price, and a price of nothing has no parts', () => {
  const odd = { ...TAKEOVER, endsAt: '2026-11-10T23:30:00.000Z' }
  expect(partOf(3_100_037_000, odd)).toEqual({ unit: 'percent', quantity: 10, per: 100, rateMicros: TAKEOVER.priceMicros })
  expect(partOf(3_100_037_000, TAKEOVER)?.unit).toBe('percent')
  expect(partOf(0, { ...TAKEOVER, priceMicros: 0 })).toBeUndefined()
})

it('an invoice says the share, the days and the rate; a charge is one of its amount, a credit no flat price', () => {
  const { rows } = atOnce(
    invoiceView(
      sampleInvoice({ language: 'sv' }, [
        sampleLine(16_935_934_083, { unit: 'hours', quantity: 289, per: 529, rateMicros: 31_000_370_000 }),
        sampleLine(16_909_292_727, { unit: 'days', quantity: 12, per: 22, rateMicros: 31_000_370_000 }),
        sampleLine(8_641_969_000, { unit: 'days', quantity: 7, per: 1, rateMicros: 1_234_567_000 }),
        sampleLine(31_000_370_000, { unit: 'fee', quantity: 1, per: 1, rateMicros: 31_000_370_000 }),
        sampleLine(298_460_000, { kind: 'charge', unit: 'fee', quantity: 1, per: 1, rateMicros: 298_460_000 }),
        sampleLine(1_240_000_000, { unit: 'percent', quantity: 12.4, per: 100, rateMicros: 10_000_000_000 }),
        creditOf(-50_000_000),
      ]),
    ),
  )
  expect(rows.map(([, , ...cells]) => cells.map((cell) => cell.replaceAll('\u00a0', ' ')))).toEqual([
    ['289 timmar', '31 000,37 EUR / 529 timmar', '16 935,93 EUR'],
    ['12 dagar', '31 000,37 EUR / 22 dagar', '16 909,30 EUR'],
    ['7 dagar', '1 234,567 EUR', '8 641,97 EUR'],
    ['fast pris', '31 000,37 EUR', '31 000,37 EUR'],
    ['1', '298,46 EUR', '298,46 EUR'],
    ['12,4 %', '10 000,00 EUR / 100 %', '1 240,00 EUR'],
    ['', '', '−50,00 EUR'],
  ])
})

it('a line of a direct order has the id that its order gives it', () => {
  const direct = sampleLine(1_000_000, { orderId: 'spring', lineId: 'direct:spring/top' })
  const { rows } = atOnce(invoiceView(sampleInvoice({ language: 'en' }, [direct, sampleLine(1_000_000)])))
  expect(rows.map(([what = '']) => what.split('\n')[1])).toEqual(['Order spring, top', 'Order mb_1, mb_1-1'])
})

function creditOf(micros: number) {
  const { quantity: _quantity, rateMicros: _rate, ...line } = sampleLine(micros, { kind: 'credit', unit: 'fee', per: 1 })
  return line
}
