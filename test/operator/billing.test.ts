import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { invoiceCsv } from '../../src/operator/billing/invoice-csv.ts'
import { listAdjustments } from '../../src/operator/billing/pending-adjustments.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { rebuildDelivery } from '../../src/operator/reports/rebuild-delivery.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { countInZone } from '../../src/tasks/media-buy/settle-delivery.ts'
import { correctingAdServer } from '../support/correcting-ad-server.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs, setTenant } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-20T12:00:00.000Z')
/** Micros that the ad server takes back of the first day of each line. */
let correctionMicros = 0

beforeAll(async () => {
  const adServer = correctingAdServer(() => correctionMicros)
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')], { clock: () => now, adServer })
  operator = operatorBeside(agent, () => now, adServer)
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', { creatives: [{ creative_id: 'c1', name: 'c1', format_id, assets: { image, click_url } }] })
  for (const [product_id, budget] of [
    ['news', 1000],
    ['sport', 333.33],
  ] as const) {
    const packages = [{ product_id, pricing_option_id: 'cpm', budget, creative_assignments: [{ creative_id: 'c1' }] }]
    const flight = { start_time: '2026-03-22T00:00:00Z', end_time: '2026-04-07T00:00:00Z' }
    const { isError, data } = await agent.create({ packages, ...flight })
    if (isError) throw new Error(JSON.stringify(data))
  }
})
afterAll(() => agent.stop())

/** What closing said that it was at. */
let steps: string[] = []
const close = (month: string, digest?: string) => {
  steps = []
  const watched = { ...operator, progress: (text: string) => steps.push(text) }
  return performAs(watched, agent.tenant, closeMonth, { month, ...(digest !== undefined && { digest }) })
}
const preview = (month: string) => performAs(operator, agent.tenant, previewMonth, { month })
/** Exact sum of what invoices say, in micros. */
const sum = (amounts: readonly number[]) => amounts.reduce((micros, amount) => micros + Math.round(amount * 1e6), 0)
const spent = async (first: string, last: string) => {
  const { totals } = await performAs(operator, agent.tenant, deliveryReport, { by: ['order'], first, last })
  return sum(totals.map((total) => total.spent))
}

it('a month is closed after it has ended, once, one after the other', async () => {
  await expect(close('2026-13')).rejects.toThrow('month must be a month, written as YYYY-MM')
  await expect(close('2026-03')).rejects.toThrow('2026-03 has not ended yet')
  await expect(preview('2026-03')).rejects.toThrow('2026-03 has not ended yet')
  now = new Date('2026-04-01T00:00:00.000Z')
  const [one, two] = await Promise.allSettled([close('2026-03'), close('2026-03')])
  expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected'])
  const [late] = [one, two].flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(late).toMatchObject({ code: 'INVALID_STATE', message: '2026-03 is closed already', field: 'month' })
  await expect(close('2026-03')).rejects.toThrow('2026-03 is closed already')
  now = new Date('2026-06-01T00:00:00.000Z')
  await expect(close('2026-05')).rejects.toThrow('close 2026-04 first')
})

it('its invoices are what was delivered, to the micro, and lines add up to them', async () => {
  const { months, items: invoices } = await performAs(operator, agent.tenant, listInvoices, {})
  expect(months.map(({ month }) => month)).toEqual(['2026-03'])
  expect(invoices).toHaveLength(1)
  const [{ invoice_id, total, payable, rounding }] = invoices as [(typeof invoices)[number]]
  expect(sum([total])).toBe(await spent('2026-03-01', '2026-03-31'))
  expect(sum([total, rounding])).toBe(sum([payable]))
  const invoice = await performAs(operator, agent.tenant, showInvoice, { invoice: invoice_id })
  expect(sum(invoice.lines.map(({ amount }) => amount))).toBe(sum([total]))
  expect(invoice.lines.map(({ kind }) => kind)).toEqual(['delivery', 'delivery'])
  const [heading, ...lines] = atOnce(invoiceCsv(invoice)).trim().split('\r\n')
  expect(heading).toMatch(/^invoice_id,kind,service_month,.*amount$/)
  expect(sum(lines.map((line) => Number(line.split(',').at(-1))))).toBe(sum([total]))
})

it('a correction of a closed month leaves it as it is and is an adjustment of the next', async () => {
  const before = await performAs(operator, agent.tenant, listInvoices, { month: '2026-03' })
  correctionMicros = 1_234_567
  expect(await spent('2026-03-01', '2026-03-31')).toBe(sum([before.items[0]?.total ?? 0]) - 2 * correctionMicros)
  const seen = await preview('2026-04')
  expect(seen.adjustments.map(({ service_month, amount }) => [service_month, amount])).toEqual([
    ['2026-03', -1.234567],
    ['2026-03', -1.234567],
  ])
  expect(seen.invoices).toMatchObject([{ lines: 4, adjustments: -2.469134, before: before.items[0]?.total }])
  expect(seen.totals).toEqual([{ currency: 'USD', total: seen.invoices[0]?.total, before: before.items[0]?.total }])
  expect(seen.findings.map(({ kind }) => kind)).toContain('no_billing_entity')
  // What changed since it was seen is not closed, and a preview stores nothing.
  correctionMicros += 1
  await expect(close('2026-04', seen.digest)).rejects.toMatchObject({ code: 'CONFLICT', field: 'digest' })
  correctionMicros -= 1
  expect(await preview('2026-04')).toEqual({ ...seen, invoices: [expect.objectContaining({ total: seen.invoices[0]?.total })] })
  const { invoices } = await close('2026-04', seen.digest)
  expect(steps).toEqual([
    'comparing 2026-03 with what was billed, up to 2026-04',
    'comparing 2026-04 with what was billed, up to 2026-04',
    'making invoice 1 of 1',
    'writing invoice 1 of 1',
  ])
  expect(invoices.map(({ invoice_id, total }) => [invoice_id, total])).toEqual(
    seen.invoices.map(({ invoice_id, total }) => [invoice_id, total]),
  )
  const april = await performAs(operator, agent.tenant, showInvoice, { invoice: invoices[0]?.invoice_id ?? '' })
  const adjustments = april.lines.filter(({ kind }) => kind === 'adjustment')
  expect(adjustments.map(({ service_month, amount }) => [service_month, amount])).toEqual([
    ['2026-03', -1.234567],
    ['2026-03', -1.234567],
  ])
  expect(await performAs(operator, agent.tenant, listInvoices, { month: '2026-03' })).toMatchObject({ items: before.items })
  const all = await performAs(operator, agent.tenant, listInvoices, {})
  expect(sum(all.items.map(({ total }) => total))).toBe(await spent('2026-03-01', '2026-04-30'))
  const first = await performAs(operator, agent.tenant, listInvoices, { limit: 1 })
  const rest = await performAs(operator, agent.tenant, listInvoices, { limit: 1, cursor: first.next_cursor ?? '' })
  expect([[...first.items, ...rest.items], rest.next_cursor]).toEqual([all.items, null])
  expect(rest.open).toEqual(all.open)
  const may = await close('2026-05')
  expect(may.invoices).toEqual([])
})

it('the time zone stays once a month is closed, also where the deployment has another default now', async () => {
  const pending = async () => (await performAs(operator, agent.tenant, listAdjustments, {})).items
  const before = await pending()
  for (const timeZone of ['Europe/Stockholm', 'America/New_York'])
    await expect(setTenant(operator, agent.tenant, { timeZone })).rejects.toMatchObject({
      ...{ code: 'INVALID_STATE', field: 'time_zone' },
      message: expect.stringMatching(/^the time zone stays UTC: months up to 2026-05 are closed by its days, and in /),
    })
  await setTenant(operator, agent.tenant, { timeZone: 'UTC', holdShare: 50 })
  const moved = { ...operator, config: { ...operator.config, ads: { ...operator.config.ads, timeZone: 'Asia/Tokyo' } } }
  await setTenant(moved, agent.tenant, { timeZone: 'UTC' })
  await expect(setTenant(moved, agent.tenant, { timeZone: 'default' })).rejects.toMatchObject({ field: 'time_zone' })
  await setTenant(operator, agent.tenant, { timeZone: 'default' })
  await setTenant(moved, agent.tenant, { name: 'Acme' })
  expect(await performAs(moved, agent.tenant, rebuildDelivery, {})).toMatchObject({ time_zone: 'UTC' })
  expect(await countInZone(agent.server, agent.tenant, 'Asia/Tokyo')).toBe(false)
  expect(await pending()).toEqual(before)
})
