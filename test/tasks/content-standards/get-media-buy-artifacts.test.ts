import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let media_buy_id: string
let package_id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  const { data } = await agent.create({
    packages: [
      { product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: [{ creative_id: 'c1' }] },
      { product_id: 'news', pricing_option_id: 'cpm', budget: 500, targeting_overlay: { geo_countries: ['DE'] } },
    ],
  })
  media_buy_id = data.media_buy_id
  package_id = data.packages[1].package_id
  await agent.server.store.transaction(async (tx) => {
    const row = await tx.selectFrom('packages').selectAll().where('package_id', '=', package_id).executeTakeFirstOrThrow()
    await tx
      .updateTable('packages')
      .set({ document: JSON.stringify({ ...JSON.parse(row.document), needsCreatives: false }) })
      .where('package_id', '=', package_id)
      .execute()
  })
  agent.setClock('2026-03-05T12:00:00Z')
})
afterAll(() => agent.stop())

const artifacts = async (more: object = {}, client = agent.buyer) =>
  (await client.call('get_media_buy_artifacts', { media_buy_id, ...more })).data

describe('get_media_buy_artifacts', () => {
  it('gives artifacts of the packages that delivered, the same every time, and says that they are simulated', async () => {
    const data = await artifacts()
    expect(data.artifacts.length).toBeGreaterThan(4)
    expect(new Set(data.artifacts.map((each: { package_id: string }) => each.package_id))).toEqual(new Set([package_id]))
    expect(data.artifacts[0]).toMatchObject({ country: 'DE', channel: 'display', local_verdict: 'unevaluated' })
    expect(data.artifacts[0].artifact.assets[1].content).toMatch(/^Simulated content: nothing was served/)
    expect(data.ext.sales_agent).toMatchObject({ simulated: true })
    expect(await artifacts()).toEqual(data)
    const { total_deliveries, total_collected, effective_rate } = data.collection_info
    const delivery = (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [media_buy_id] })).data
    expect(total_deliveries).toBe(delivery.media_buy_deliveries[0].totals.impressions)
    expect(effective_rate).toBeCloseTo(total_collected / total_deliveries)
  })

  it('pages, and narrows to packages and times', async () => {
    const all = await artifacts()
    const first = await artifacts({ pagination: { max_results: 3 } })
    const rest = await artifacts({ pagination: { cursor: first.pagination.cursor } })
    expect([...first.artifacts, ...rest.artifacts]).toEqual(all.artifacts)
    const time_range = { start: '2026-03-03T00:00:00Z', end: '2026-03-04T00:00:00Z' }
    const day = await artifacts({ time_range })
    expect(day.artifacts.length).toBeGreaterThan(0)
    expect(day.artifacts.every(({ timestamp }: { timestamp: string }) => timestamp.startsWith('2026-03-03'))).toBe(true)
    expect((await artifacts({ failures_only: true })).artifacts).toEqual([])
  })

  it('names what is wrong', async () => {
    expect((await artifacts({ package_ids: ['none'] })).adcp_error).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'package_ids[0]',
    })
    const reversed = { time_range: { start: '2026-03-04T00:00:00Z', end: '2026-03-03T00:00:00Z' } }
    expect((await artifacts(reversed)).adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'time_range.end' })
  })

  it("shows nothing of another agent's buy", async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await artifacts({}, stranger)).adcp_error).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_id' })
  })
})
