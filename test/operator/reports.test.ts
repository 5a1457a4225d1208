import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { deliveryReport, type ReportQuery } from '../../src/operator/reports/delivery-report.ts'
import { reportCsv, reportWorkbook } from '../../src/operator/reports/report-csv.ts'
import { showRevenue } from '../../src/operator/reports/revenue.ts'
import { workbookRows } from '../../src/platform/decode/workbook-rows.ts'
import { addDays } from '../../src/store/ad-serving/delivery-sums.ts'
import type { AgentClient } from '../support/client.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
const ids: string[] = []

/** Sends a creative and gives its assignment. */
async function uploaded(creativeId: string, weight: number, client?: AgentClient): Promise<object> {
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: `https://cdn.brand.example/${creativeId}.png`, width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  const creatives = [{ creative_id: creativeId, name: creativeId, format_id, assets: { image, click_url } }]
  const { isError, data } = await agent.run('sync_creatives', { creatives }, client)
  if (isError) throw new Error(JSON.stringify(data))
  return { creative_id: creativeId, weight }
}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const creative_assignments = [await uploaded('one', 75), await uploaded('two', 25)]
  for (const [product_id, budget] of [
    ['news', 1000],
    ['sport', 333.33],
  ] as const) {
    const packages = [{ product_id, pricing_option_id: 'cpm', budget, creative_assignments }]
    const { data } = await agent.create({ packages })
    ids.push(data.media_buy_id)
  }
  now = new Date('2026-03-13T00:00:00.000Z')
})
afterAll(() => agent.stop())

const report = (by: readonly string[], query: Partial<ReportQuery> = {}) =>
  performAs(operator, agent.tenant, deliveryReport, { by, ...query })
const spentBy = async (dimension: string, query: Partial<ReportQuery> = {}) =>
  (await report([dimension], query)).rows.map(({ dimensions, spent }) => [dimensions[dimension], spent])

it('is the same to the cent, whatever it is split by', async () => {
  expect(await spentBy('order')).toEqual([
    [ids[0], 1000],
    [ids[1], 333.33],
  ])
  expect(await spentBy('product')).toEqual([
    ['news', 1000],
    ['sport', 333.33],
  ])
  expect(await spentBy('buyer')).toEqual([['buyer', 1333.33]])
  for (const by of ['order', 'product', 'buyer', 'advertiser', 'account', 'creative', 'day', 'month', 'package']) {
    const { rows, totals } = await report([by])
    expect(totals).toMatchObject([{ currency: 'USD', spent: 1333.33 }])
    expect(Math.round(rows.reduce((sum, { spent }) => sum + spent * 1e6, 0))).toBe(1_333_330_000)
  }
})

it('names what its ids stand for, in up to four dimensions, and says which orders are whose', async () => {
  const { rows } = await report(['order', 'package', 'product', 'buyer'])
  expect(rows.map(({ names }) => [names.product, names.buyer])).toEqual([
    [expect.any(String), expect.any(String)],
    [expect.any(String), expect.any(String)],
  ])
  expect(rows.map(({ names }) => names.package)).toEqual(rows.map(({ names }) => names.product))
  await expect(report(['order', 'package', 'product', 'buyer', 'day'])).rejects.toMatchObject({ field: 'by' })
  const months = await report(['month'])
  expect(months.rows.map(({ dimensions }) => dimensions.month)).toEqual(['2026-03'])
})

it('names creatives, but not by an id that stands for two, and says why it is not split by what is not kept', async () => {
  const names = async () => (await report(['creative'])).rows.flatMap((row) => [row.names.creative])
  expect(await names()).toEqual(expect.arrayContaining(['one', 'two']))
  const { store } = agent.server
  const one = await store.read.selectFrom('creatives').selectAll().where('creative_id', '=', 'one').executeTakeFirstOrThrow()
  const another = { ...one, principal_id: 'another', name: 'Another one' }
  await store.transaction((tx) => tx.insertInto('creatives').values(another).execute())
  expect(await names()).toEqual([undefined, 'two'])
  await store.transaction((tx) => tx.deleteFrom('creatives').where('principal_id', '=', 'another').execute())
  await expect(report(['country'])).rejects.toThrow(/country and device of an impression are not kept/)
  await expect(report(['placement'])).rejects.toThrow(/in the report of placements/)
})

it('is downloaded as a workbook that has the rows of the CSV, as numbers', async () => {
  const ada = await signedIn(agent, 'ada', 'viewer', agent.tenant)
  const path = `/console/t/${agent.tenant}/reports/delivery.xlsx?first=2026-03-01&last=2026-03-31&by=product`
  const { status, headers } = await ada.get(path)
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('spreadsheetml')])
  const found = await report(['product'], { first: '2026-03-01', last: '2026-03-31' })
  const lines: string[] = []
  for await (const { cells } of workbookRows({ bytes: await reportWorkbook(found) })) lines.push(cells.join(','))
  expect(lines).toEqual(reportCsv(found).trimEnd().split('\r\n'))
})

it('has the rates of the page in its rows, its totals and its CSV; none where nothing was shown', async () => {
  const found = await report(['package'])
  for (const row of [...found.rows, ...found.totals]) {
    expect(row.click_rate).toBe(row.clicks / row.impressions)
    expect(row.viewable_rate).toBe(row.viewable_impressions / row.impressions)
    expect(row.completion_rate).toBe(row.completed_views / row.impressions)
    expect(row.ecpm).toBeCloseTo((row.spent / row.impressions) * 1000, 5)
  }
  const [heading = '', line = ''] = reportCsv(found).split('\r\n')
  const cells = Object.fromEntries(heading.split(',').map((name, index) => [name, line.split(',')[index]]))
  const [row] = found.rows
  expect(cells).toMatchObject({ package_name: row?.names.package, click_rate: `${row?.click_rate}`, ecpm: `${row?.ecpm}` })
  const none = { ...found, rows: found.rows.map((each) => ({ ...each, click_rate: null, ecpm: null })) }
  expect(reportCsv(none).split('\r\n')[1]).toMatch(/,,[\d.]+,$/)
})

it('splits a package by the weights of its creatives', async () => {
  expect(await spentBy('creative', { product: 'news' })).toEqual([
    ['one', 750],
    ['two', 250],
  ])
})

it('cuts days out: two parts of a range are the whole', async () => {
  const first = await report(['day', 'product'], { first: '2026-03-02', last: '2026-03-05' })
  expect(first.rows.map(({ dimensions }) => dimensions.day)).toEqual(
    ['02', '03', '04', '05'].flatMap((day) => [`2026-03-${day}`, `2026-03-${day}`]),
  )
  const rest = await report(['day'], { first: '2026-03-06', last: '2026-03-12' })
  expect(Math.round(((first.totals[0]?.spent ?? 0) + (rest.totals[0]?.spent ?? 0)) * 100)).toBe(133_333)
})

it('leaves sandbox orders out unless they are asked for', async () => {
  now = new Date('2026-03-01T12:00:00.000Z')
  const client = await agent.buyerOn(
    { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    { principal: 'tester', sandbox: true },
  )
  const creative_assignments = [await uploaded('one', 100, client)]
  await agent.create({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 50, creative_assignments }] }, client)
  now = new Date('2026-03-13T00:00:00.000Z')
  expect(await spentBy('buyer')).toEqual([['buyer', 1333.33]])
  const revenueOf = async (sandbox: boolean) => {
    const { currencies } = await performAs(operator, agent.tenant, showRevenue, { sandbox })
    return currencies.reduce((sum, { revenue }) => sum + revenue, 0)
  }
  expect(await revenueOf(true)).toBeGreaterThan(await revenueOf(false))
  expect(await spentBy('buyer', { sandbox: true })).toEqual([
    ['buyer', 1333.33],
    ['tester', 50],
  ])
})

it('says what is wrong with a query', async () => {
  await expect(report(['week'])).rejects.toThrow('by must be a list of some of order, package, product, buyer')
  for (const by of [[], ['order', 'package', 'product', 'buyer', 'day']])
    await expect(report(by)).rejects.toThrow('at most 4, at least one')
  await expect(report(['day'], { first: '2026-02-30' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'first' })
  await expect(report(['day'], { first: '2020-01-01', last: '2026-01-01' })).rejects.toThrow('at most 366 days')
})

it('revenue of two weeks stands beside that of the weeks before; every part adds up', async () => {
  const revenue = await performAs(operator, agent.tenant, showRevenue, { first: '2026-03-07', last: '2026-03-11' })
  expect(revenue.before).toEqual({ first: '2026-03-02', last: '2026-03-06' })
  const [usd] = revenue.currencies
  expect(usd?.currency).toBe('USD')
  expect(Math.round(((usd?.revenue ?? 0) + (usd?.revenue_before ?? 0)) * 100)).toBe(133_333)
  for (const shares of [revenue.days, revenue.products, revenue.buyers, revenue.advertisers])
    expect(Math.round(shares.reduce((sum, { revenue }) => sum + revenue * 1e6, 0))).toBe(Math.round((usd?.revenue ?? 0) * 1e6))
})

it('sums a year by quarters, and refuses more rows than are written while others are served', async () => {
  const { store } = agent.server
  const { package_id: packageId } = await store.read
    .selectFrom('packages')
    .select('package_id')
    .where('media_buy_id', '=', ids[0] ?? '')
    .executeTakeFirstOrThrow()
  const days = Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10))
  const creatives = Array.from({ length: 28 }, (_, index) => `creative-${String(index).padStart(2, '0')}`)
  const once = { ...NOTHING, impressions: 1, spendMicros: 1_000_000 }
  await store.transaction(async (tx) => {
    await tx
      .updateTable('media_buys')
      .set({ delivery_source: 'ledger' })
      .where('media_buy_id', '=', ids[0] ?? '')
      .execute()
    for (const creativeId of creatives)
      await addDays(
        tx,
        agent.tenant,
        days.map((day) => ({ packageId, day, creativeId, ...once })),
      )
  })
  const year = { first: '2024-01-01', last: '2024-12-31' }
  const whole = await report(['creative'], year)
  expect(whole.rows.map(({ dimensions, impressions, spent }) => [dimensions.creative, impressions, spent])).toEqual(
    creatives.map((creative) => [creative, 366, 366]),
  )
  await expect(report(['creative', 'day'], year)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'by',
    message:
      'the report by creative, day has more than 10000 rows; choose fewer days, fewer dimensions, or one buyer, product or order',
  })
  const many = await report(['creative', 'day'], { first: '2024-01-10', last: year.last })
  expect([many.rows.length, many.totals[0]?.impressions]).toEqual([357 * 28, 357 * 28])
  expect(many.rows.slice(0, 29).map(({ dimensions }) => dimensions)).toEqual([
    ...creatives.map((creative) => ({ creative, day: '2024-01-10' })),
    { creative: 'creative-00', day: '2024-01-11' },
  ])
})
