import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { reconcileReports } from '../../../src/operator/billing/reconcile-reports.ts'
import { showInvoice } from '../../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { deliveryReport } from '../../../src/operator/reports/delivery-report.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { signedIn } from '../../support/console-client.ts'
import { formFields } from '../../support/console-form.ts'
import { countEvents } from '../../support/count-events.ts'
import { enterDirectOrder, previewDirectOrder, showDirectOrder } from '../../support/direct-orders.ts'
import { performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
})
afterAll(() => publisher?.stop())

const IMAGE = { image: { url: 'https://cdn.example/a.png' }, click_url: 'https://shop.example/' }
const VIDEO = { url: 'https://cdn.example/v.mp4', duration_seconds: 15 }
const SPOT = { creatives: [{ creative_id: 'spot', width: 1280, height: 720, video: VIDEO }] }
const line = (line_id: string, more: object) => ({
  ...{ line_id, product_id: 'news_homepage_display', priority: 'standard' },
  ...{ starts_at: '2026-03-12T00:00:00Z', ends_at: '2026-03-22T00:00:00Z' },
  creatives: [{ creative_id: line_id, width: 970, height: 250, ...IMAGE }],
  ...more,
})
const file = (...lines: readonly object[]) => {
  const order = { order_id: 'mixed', name: 'Mixed', advertiser: 'Nordic Coffee', currency: 'SEK', lines }
  return { name: 'o', text: JSON.stringify(order) }
}
const enter = (...lines: readonly object[]) => enterDirectOrder(operator, publisher.tenant, file(...lines))

const count = (line: string, kind: string, events: number, { order = 'mixed', happenedAt = '2026-03-16T11:30:00.000Z' } = {}) =>
  countEvents(publisher, { order, line }, kind, events, happenedAt)

const LINES = [
  line('click', { price_model: 'cpc', rate: 3.333333, budget: 20 }),
  line('day', { price_model: 'per_day', rate: 99.99 }),
  line('flat', { price_model: 'flat_rate', rate: 1000 }),
  line('half', { price_model: 'cpv', rate: 0.7, ...SPOT }),
  line('seen', { price_model: 'vcpm', rate: 123.456789 }),
  line('whole', { price_model: 'cpcv', rate: 1.25, ...SPOT }),
]

it('a price that says two things, or half of one, is refused', async () => {
  for (const [more, message] of [
    [{ price_model: 'cpc', rate: 1, cpm: 2 }, 'a line has one price'],
    [{ price_model: 'cpc' }, 'price_model cpc needs the rate'],
    [{ rate: 1 }, 'rate needs price_model, one of vcpm, cpc, cpv, cpcv, flat_rate, per_day'],
    [{ price_model: 'flat_rate', rate: 1, budget: 5 }, 'leave budget out'],
    [{ price_model: 'per_day', rate: 1, budget: 5 }, 'leave budget out'],
    [{ price_model: 'time', rate: 1 }, 'price_model'],
    [{ price_model: 'cpp', rate: 1 }, 'a rating point (cpp) is counted by a measured audience plan'],
    [{ price_model: 'sov', rate: 1 }, 'a share of voice cannot be kept'],
  ] as const)
    await expect(enter(line('a', more))).rejects.toThrow(message)
})

it('quantity × rate is what is charged, reported and invoiced, to the micro; a flat price by the time that has passed', async () => {
  const preview = await previewDirectOrder(operator, publisher.tenant, file(LINES[0] ?? {}, LINES[1] ?? {}))
  expect(preview.budget_after).toBe(1019.9)
  const { document } = await enter(...LINES)
  expect(document).toMatchObject({
    lines: LINES.map(({ line_id, creatives: _, starts_at, ends_at, ...price }) => ({ line_id, ...price })),
  })
  publisher.setClock('2026-03-17T00:00:00Z')
  for (const { line_id: id } of LINES) await count(id, 'impression', 10)
  await count('click', 'click', 3)
  await count('half', 'midpoint', 7)
  await count('seen', 'viewable', 9)
  await count('whole', 'complete', 5)
  const shown = await showDirectOrder(operator, publisher.tenant, 'mixed')
  const charged = { click: 9.999999, day: 499.95, flat: 500, half: 4.9, seen: 1.111111, whole: 6.25 }
  expect(Object.fromEntries(shown.lines.map((each) => [each.line_id, each.charged]))).toEqual(charged)
  publisher.setClock('2026-03-22T12:00:00Z')
  const { totals } = await performAs(operator, publisher.tenant, deliveryReport, {
    ...{ by: ['order'], first: '2026-03-01', last: '2026-03-31' },
  })
  expect(totals.filter(({ currency }) => currency === 'SEK')).toMatchObject([
    { spent: 9.999999 + 999.9 + 1000 + 4.9 + 1.111111 + 6.25 },
  ])
  publisher.setClock('2026-04-03T12:00:00Z')
  const { invoices } = await performAs(operator, publisher.tenant, closeMonth, { month: '2026-03' })
  const own = invoices.find(({ currency }) => currency === 'SEK')
  const { lines } = await performAs(operator, publisher.tenant, showInvoice, { invoice: own?.invoice_id ?? '' })
  const party = { account: 'direct:Nordic Coffee', month: '2026-03' }
  const reconciled = await performAs(operator, publisher.tenant, reconcileReports, party)
  expect(reconciled).toMatchObject({ is_reported: false, entries: { length: 6 } })
  expect(reconciled.totals).toEqual([
    {
      currency: 'SEK',
      reported: null,
      settled: null,
      corrected: null,
      billed: 2022.16111,
      fees: 0,
      invoiced: 2022.16111,
      difference: null,
    },
  ])
  expect(lines.map(({ package_id: id, unit, quantity, rate, gross }) => [id, unit, quantity, rate, gross])).toEqual([
    ['click', 'clicks', 3, 3.333333, 9.999999],
    ['day', 'days', 10, 99.99, 999.9],
    ['flat', 'fee', 1, 1000, 1000],
    ['half', 'views', 7, 0.7, 4.9],
    ['seen', 'viewable_impressions', 9, 123.456789, 1.111111],
    ['whole', 'completed_views', 5, 1.25, 6.25],
  ])
})

it('a begun day is charged whole, and seven days with a clock change are seven', async () => {
  const budgetOf = async (starts_at: string, ends_at: string) => {
    const own = line('day', { price_model: 'per_day', rate: 10, starts_at, ends_at })
    const text = JSON.stringify({ order_id: 'days', name: 'Days', currency: 'SEK', lines: [own] })
    return (await previewDirectOrder(operator, publisher.tenant, { name: 'o', text })).budget_after
  }
  expect(await budgetOf('2026-10-19T00:00:00+02:00', '2026-10-26T00:00:00+01:00')).toBe(70)
  expect(await budgetOf('2026-03-23T00:00:00+01:00', '2026-03-30T00:00:00+02:00')).toBe(70)
  expect(await budgetOf('2026-10-19T00:00:00Z', '2026-10-20T12:00:00Z')).toBe(20)
  expect(await budgetOf('2026-10-19T08:00:00Z', '2026-10-19T09:00:00Z')).toBe(10)
})

it('what a line is sold by stays; the form of the console has it', async () => {
  publisher.setClock('2026-03-17T00:00:00Z')
  const changed = LINES.map((each) => (each.line_id === 'half' ? line('half', { price_model: 'cpc', rate: 1 }) : each))
  await expect(enter(...changed)).rejects.toThrow('line half is sold by cpv')
  const seller = await signedIn(publisher, 'seller', 'ad_operations', publisher.tenant)
  const path = `/console/t/${publisher.tenant}/direct-orders/mixed/edit`
  const { text } = await seller.get(path)
  const fields = formFields(text, path)
  expect(fields).toEqual(
    expect.arrayContaining([
      ['line-0-price_model', 'cpc'],
      ['line-0-cpm', '3.333333'],
      ['line-0-budget', '20'],
      ['line-1-price_model', 'per_day'],
      ['line-1-cpm', '99.99'],
      ['line-2-price_model', 'flat_rate'],
    ]),
  )
})

it('a flight over a month end is billed in its parts, which invoices state and which add up to its price', async () => {
  publisher.setClock('2026-04-20T12:00:00Z')
  const flight = { starts_at: '2026-04-28T00:00:00Z', ends_at: '2026-05-03T00:00:00Z' }
  const lines = [
    line('flat', { ...flight, price_model: 'flat_rate', rate: 1000.01 }),
    line('week', { ...flight, price_model: 'per_day', rate: 1234.567 }),
  ]
  const order = { order_id: 'over', name: 'Over', advertiser: 'Nordic Tea', currency: 'SEK', lines }
  await enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(order) })
  publisher.setClock('2026-05-03T12:00:00Z')
  for (const id of ['flat', 'week'])
    for (const happenedAt of ['2026-04-29T11:30:00.000Z', '2026-05-02T23:30:00.000Z'])
      await count(id, 'impression', 5, { order: 'over', happenedAt })
  const billed = async (month: string) => {
    const { invoices } = await performAs(operator, publisher.tenant, closeMonth, { month })
    const own = invoices.find(({ account }) => account === 'direct:Nordic Tea')
    const { lines: said } = await performAs(operator, publisher.tenant, showInvoice, { invoice: own?.invoice_id ?? '' })
    return said.map(({ unit, quantity, rate, rate_units: per, gross }) => [unit, quantity, rate, per, gross])
  }
  expect(await billed('2026-04')).toEqual([
    ['days', 3, 1000.01, 5, 600.006],
    ['days', 3, 1234.567, 1, 3703.701],
  ])
  publisher.setClock('2026-06-02T12:00:00Z')
  expect(await billed('2026-05')).toEqual([
    ['days', 2, 1000.01, 5, 400.004],
    ['days', 2, 1234.567, 1, 2469.134],
  ])
})
