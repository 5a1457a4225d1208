import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { importAdServerSheet } from '../../src/operator/ad-servers/import-ad-server-sheet.ts'
import { orderSheet, orderSheetCsv } from '../../src/operator/ad-servers/order-sheet.ts'
import { importSheet } from '../../src/operator/ad-servers/sheet-acts.ts'
import { showOrders } from '../../src/operator/ad-servers/show-ad-servers.ts'
import { sheetCsv, traffickingSheet } from '../../src/operator/ad-servers/trafficking-sheet.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting, listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

/** A publisher whose ad server has no API, and the person who works there. */
let agent: MediaBuyAgent
let operator: OperatorContext
let buy: { readonly media_buy_id: string; readonly packages: readonly { readonly package_id: string }[] }
let now = new Date('2026-03-01T12:00:00Z')

const WAIT = { timeout: 60_000, interval: 50 }
const setClock = (iso: string) => {
  now = new Date(iso)
}
const sheet = (options: object = {}) => orderSheet(operator, 'acme', { ...options })
const importText = (text: string) => importAdServerSheet(acting(operator, 'acme'), 'acme', { file: { name: 'sheet.csv', text } })
const inStep = async () => (await showOrders(operator, 'acme', {}))[0]
const packageId = () => buy.packages[0]?.package_id ?? ''
/** The buy as its buyer sees it. */
const listed = async () => {
  const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [buy.media_buy_id] })
  return data.media_buys[0]
}
/** The sheet as a person sends it back: `done` is its last column. */
const filledIn = (csv: string) => csv.replaceAll(/,\r\n(?!$)/g, ',yes\r\n').replace(/,\r\n$/, ',yes\r\n')

beforeAll(async () => {
  const options = { products: { news: { units: ['News / top banner'], sizes: ['300x250'] } } }
  agent = await startMediaBuyAgent([productDocument('news')], {
    clock: () => now,
    flags: { 'adServer.type': 'manual', 'adServer.options': options },
  })
  operator = operatorBeside(agent, () => now)
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', {
    creatives: [{ creative_id: 'c1', name: 'Banner', format_id, assets: { image, click_url } }],
  })
  const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: [{ creative_id: 'c1' }] }]
  const { isError, data } = await agent.create({ packages })
  if (isError) throw new Error(JSON.stringify(data))
  expect(data.status).toBe('submitted')
  await vi.waitFor(async () => expect(await sheet()).toHaveLength(1), WAIT)
  const [row] = await sheet()
  buy = { media_buy_id: row?.media_buy_id ?? '', packages: [{ package_id: row?.package_id ?? '' }] }
})
afterAll(() => agent.stop())

it('an order is on the sheet, and waits until a person has entered it', async () => {
  await vi.waitFor(async () => expect((await inStep())?.reason).toContain(`create ${packageId()}`), WAIT)
  expect((await listed()).confirmed_at).toBeUndefined()
  const rows = await sheet()
  expect(rows).toMatchObject([
    {
      ...{ media_buy_id: buy.media_buy_id, package_id: packageId(), to_do: 'create', state: 'active' },
      ...{ units: ['News / top banner'], sizes: ['300x250'], pricing_model: 'cpm', rate: 10, currency: 'USD', budget: 1000 },
    },
  ])
  expect(await importText(filledIn(orderSheetCsv(rows)))).toMatchObject({ kind: 'orders', rows: 1 })
  expect(await sheet()).toEqual([])
  await vi.waitFor(async () => expect((await listed()).confirmed_at).toBeDefined(), WAIT)
  expect(await sheet({ all: true })).toMatchObject([{ to_do: 'nothing' }])
})

it('a creative is live when a person says so, not before', async () => {
  await vi.waitFor(async () => expect((await inStep())?.reason).toContain('c1 on'), WAIT)
  const rows = await traffickingSheet(operator, 'acme', {})
  expect(rows).toMatchObject([{ creative_id: 'c1', status: 'to traffic', click_urls: ['https://brand.example/'] }])
  const text = sheetCsv(rows)
  expect(await importText(text)).toMatchObject({ kind: 'creatives', rows: 1 })
  expect(await traffickingSheet(operator, 'acme', {})).toMatchObject([{ status: 'to traffic' }])
  await importText(text.replace(/to traffic(?=\r\n$)/, 'live'))
  expect(await traffickingSheet(operator, 'acme', {})).toMatchObject([{ status: 'live' }])
  await vi.waitFor(async () => expect(await inStep()).toMatchObject({ in_step: true, reason: null }), WAIT)
})

it('what the buyer changes is work again; a sheet of before is refused', async () => {
  const before = filledIn(orderSheetCsv(await sheet({ all: true })))
  await agent.run('update_media_buy', { media_buy_id: buy.media_buy_id, paused: true })
  await vi.waitFor(async () => expect(await sheet()).toMatchObject([{ to_do: 'change', state: 'paused' }]), WAIT)
  await expect(importText(before)).rejects.toThrow(/line 2: "\S+" has changed since the sheet was made/)
  await agent.run('update_media_buy', { media_buy_id: buy.media_buy_id, paused: false })
  await vi.waitFor(async () => expect(await sheet({ all: true })).toMatchObject([{ to_do: 'nothing', state: 'active' }]), WAIT)
})

it('delivery comes as CSV, is charged by the price, and is corrected by a later sheet', async () => {
  setClock('2026-03-05T12:00:00Z')
  const report = (impressions: number) => `package_id,day,impressions,clicks\r\n${packageId()},2026-03-03,${impressions},7\r\n`
  expect(await importText(report(12_345))).toMatchObject({ kind: 'delivery', rows: 1, ledger_rows: 1, ledger_corrected: 0 })
  const totals = async () => {
    const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] })
    return data.media_buy_deliveries[0].totals
  }
  expect(await totals()).toMatchObject({ impressions: 12_345, spend: 123.45, clicks: 7 })
  const more = `${report(12_000)}${packageId()},2026-03-04,1000,1\r\n`
  expect(await importText(more)).toMatchObject({ rows: 2, ledger_rows: 2, ledger_corrected: 1 })
  expect(await totals()).toMatchObject({ impressions: 13_000, spend: 130 })
  const send = (csv: string) => performAs(operator, 'acme', importSheet, { csv })
  await send(more)
  await send(report(12_500))
  await agent.server.audit.settled()
  const entries = (await listAuditEntries(operator, 'acme', { limit: 20 })).filter(({ task }) => task === 'adservers.import')
  // The sheet of before changes nothing, and has no entry.
  expect(entries.map(({ changes }) => changes)).toEqual([
    { [`${packageId()}.impressions`]: [12_000, 12_500], [`${packageId()}.spend`]: [120, 125] },
  ])
  await send(report(12_000))
})

it('an order that delivers does not wait for creatives: somebody at the ad server supplied them', async () => {
  const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }]
  await agent.create({ packages, start_time: 'asap' })
  await vi.waitFor(async () => expect(await sheet()).toHaveLength(1), WAIT)
  const [row] = await sheet()
  await importText(filledIn(orderSheetCsv(await sheet())))
  const shown = async () => {
    const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [row?.media_buy_id] })
    const [{ status, confirmed_at, ext }] = data.media_buys
    return [status, confirmed_at !== undefined, ext?.missing_creatives?.length ?? 0]
  }
  await vi.waitFor(async () => expect(await shown()).toEqual(['pending_creatives', true, 1]), WAIT)
  const report = (impressions: number) =>
    importText(`package_id,day,impressions\r\n${row?.package_id},2026-03-05,${impressions}\r\n`)
  await report(0)
  expect((await shown())[0]).toBe('pending_creatives')
  await report(500)
  expect(await shown()).toEqual(['active', true, 0])
})

it.each([
  ['a day to come', () => `package_id,day,impressions\r\n${packageId()},2026-03-06,1\r\n`, 'is no UTC day until 2026-03-05'],
  ['a day that does not exist', () => `package_id,day,impressions\r\n${packageId()},2026-02-31,1\r\n`, 'is no UTC day'],
  ['a package of others', () => 'package_id,day,impressions\r\npkg_x,2026-03-03,1\r\n', '"pkg_x" is no package'],
  ['no count', () => `package_id,day,impressions\r\n${packageId()},2026-03-03,many\r\n`, '"many" is no whole number'],
  ['a day twice', () => `package_id,day,impressions\r\n${`${packageId()},2026-03-03,1\r\n`.repeat(2)}`, 'has 2026-03-03 twice'],
  ['other headings', () => 'a,b\r\n1,2\r\n', 'has headings of no sheet'],
])('%s is refused, and nothing of the sheet is taken', async (_what, text, message) => {
  await expect(importText(text())).rejects.toThrow(message)
})
