import { afterAll, beforeAll, expect, it } from 'vitest'
import { reportPlacements } from '../../../src/operator/placements/report-placements.ts'
import { rebuildEmbeddedSums } from '../../../src/store/embedded/reports.ts'
import { inspectStore } from '../../../src/store/inspect/inspect.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { signedIn } from '../../support/console-client.ts'
import { enterDirectOrder } from '../../support/direct-orders.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher()
})
afterAll(() => publisher?.stop())

const PLACE = 'news_home_billboard'
const ORDER = {
  order_id: 'fill',
  name: 'Fill',
  lines: [
    {
      line_id: 'line',
      product_id: 'news_homepage_display',
      starts_at: '2026-03-10T00:00:00Z',
      ends_at: '2026-03-14T00:00:00Z',
      impressions: 4_000,
      pacing: 'asap',
      targeting: { key_values: { page: ['sold'] } },
      creatives: [{ creative_id: 'a', width: 970, height: 250, image: { url: 'https://cdn.example/fill.png' } }],
    },
  ],
}
const ask = async (page: string, place = PLACE) => {
  const { body } = await publisher.decide({ placements: [{ place, sizes: ['970x250'] }], key_values: { page: [page] } })
  return body.placements[0]?.ad
}

it('counts requests of placements by the hour, with and without an ad, beside the events of their ads', async () => {
  const operator = operatorBeside(publisher, () => publisher.clock())
  const report = (query: Readonly<Record<string, unknown>>) => performAs(operator, publisher.tenant, reportPlacements, query)
  await enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(ORDER) })
  let filled = 0
  const decided = async () => {
    const ad = await ask('sold')
    filled += JSON.stringify(ad ?? '').includes('fill.png') ? 1 : 0
    return ad
  }
  let asked = 0
  await expect
    .poll(
      async () => {
        asked += 1
        return (await decided()) !== null && filled
      },
      { timeout: 30_000 },
    )
    .toBeTruthy()
  const shown = await decided()
  await publisher.get(shown?.events.impression ?? '')
  await ask('other')
  await ask('other')
  await ask('sold', 'made_up')
  const day = publisher.clock().toISOString().slice(0, 10)
  const range = { first: day, last: day }
  await expect.poll(async () => (await report(range)).totals.requests, { timeout: 30_000, interval: 500 }).toBeGreaterThan(2)
  const { rows, totals } = await report(range)
  expect(rows.map(({ dimensions }) => dimensions)).toEqual([{ placement: PLACE }])
  // Requests before the order was seen are counted once the placement is known: the last of them had an ad.
  expect(totals).toMatchObject({ filled, impressions: 1, clicks: 0, click_rate: 0 })
  expect(totals.unsold).toBeGreaterThanOrEqual(2)
  expect(totals.requests).toBeLessThanOrEqual(asked + 3)
  expect([totals.unsold, totals.fill]).toEqual([totals.requests - filled, filled / totals.requests])
  const hours = await report({ ...range, by: ['hour'] })
  expect(hours.rows.map(({ dimensions: { hour } }) => hour)).toEqual([`${publisher.clock().toISOString().slice(0, 13)}:00`])

  const { store } = publisher.server
  await store.transaction((tx) => rebuildEmbeddedSums(tx, publisher.tenant, new Date('2026-01-01T00:00:00Z')))
  expect((await report(range)).totals).toEqual(totals)
  expect((await inspectStore(store.read)).problems).toEqual([])

  const ada = await signedIn(publisher, 'ada', 'viewer', publisher.tenant)
  const page = `/console/t/${publisher.tenant}/reports/placements`
  const { text } = await ada.get(`${page}?first=${day}&last=${day}`)
  expect(text).toContain('Requests by hour')
  expect(text).toContain(`data-value="${totals.requests}"`)
  const csv = await ada.get(`${page}.csv?first=${day}&last=${day}&by=placement`)
  expect(csv.text.split('\r\n')[1]).toContain(`${PLACE},`)
})

it('refuses dimensions that placements are not summed by, and days that are none', async () => {
  const operator = operatorBeside(publisher, () => publisher.clock())
  const report = (query: Readonly<Record<string, unknown>>) => performAs(operator, publisher.tenant, reportPlacements, query)
  await expect(report({ by: ['country'] })).rejects.toThrow(/placement, hour, day, month/)
  await expect(report({ first: '2026-03-02', last: '2026-03-01' })).rejects.toThrow(/begins before it ends/)
})
