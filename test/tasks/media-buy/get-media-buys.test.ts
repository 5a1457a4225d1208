import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
const ids: string[] = []

beforeAll(async () => {
  // Host-read ads need nothing from the buyer, so these buys run by themselves.
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] }), productDocument('display')])
  for (let i = 0; i < 5; i++) ids.push((await agent.create({ po_number: String(i) })).data.media_buy_id)
  ids.push(
    (await agent.create({ packages: [{ product_id: 'display', pricing_option_id: 'cpm', budget: 10 }] })).data.media_buy_id,
  )
  agent.setClock('2026-03-05T00:00:00Z')
})
afterAll(() => agent.stop())

const list = async (args: object = {}) => (await agent.buyer.call('get_media_buys', args)).data
const found = async (args: object) => (await list(args)).media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id)

describe('get_media_buys', () => {
  test('without ids lists the active ones, page by page', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const data = await list({ pagination: { max_results: 2, ...(cursor && { cursor }) } })
      seen.push(...data.media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id))
      cursor = data.pagination.cursor
      expect(data.pagination.has_more).toBe(cursor !== undefined)
    } while (cursor)
    expect(seen.toSorted()).toEqual(ids.slice(0, 5).toSorted())
  })

  test('filters by derived status', async () => {
    expect(await found({ status_filter: 'pending_creatives' })).toEqual([ids[5]])
    expect(await found({ status_filter: ['paused', 'completed'] })).toEqual([])
    await agent.run('update_media_buy', { media_buy_id: ids[4], paused: true })
    expect(await found({ status_filter: 'paused' })).toEqual([ids[4]])
    expect(await found({ status_filter: ['active', 'pending_creatives', 'paused'] })).toHaveLength(6)
  })

  test('by id it shows any status, and names the ids it does not know', async () => {
    const data = await list({ media_buy_ids: [ids[5], 'mb_none'] })
    expect(data.media_buys).toMatchObject([{ status: 'pending_creatives', packages: [{ product_id: 'display' }] }])
    expect(data.errors).toMatchObject([{ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[1]' }])
    expect(data.pagination.has_more).toBe(false)
  })

  test('a row has what a buyer decides by; a media buy that is named has all', async () => {
    const targeting_overlay = { geo_countries: ['US'] }
    const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 10, targeting_overlay }]
    const { media_buy_id } = (await agent.create({ packages, start_time: '2026-03-06T00:00:00Z' })).data
    const row = (await list({ status_filter: 'pending_start' })).media_buys.find(
      (buy: { media_buy_id: string }) => buy.media_buy_id === media_buy_id,
    )
    expect(Object.keys(row).toSorted()).toEqual(
      [
        'media_buy_id',
        'status',
        'revision',
        'valid_actions',
        'currency',
        'total_budget',
        'start_time',
        'end_time',
        'confirmed_at',
        'packages',
        'ext',
      ].toSorted(),
    )
    expect(row.ext.waits_for).toEqual([{ for: 'start', message: 'its flight begins 2026-03-06T00:00:00.000Z' }])
    expect(row.packages).toEqual([{ package_id: expect.any(String), product_id: 'news', budget: 10, paused: false }])
    const [named] = (await list({ media_buy_ids: [media_buy_id] })).media_buys
    expect(named).toMatchObject({ created_at: expect.any(String), updated_at: expect.any(String) })
    expect(named.packages).toMatchObject([{ currency: 'USD', targeting_overlay, start_time: expect.any(String) }])
    await agent.run('update_media_buy', { media_buy_id, canceled: true })
  })

  test('snapshots are what the delivery report says', async () => {
    const data = await list({ media_buy_ids: [ids[0]], include_snapshot: true })
    expect(data.media_buys[0].packages[0].snapshot).toMatchObject({
      spend: 300,
      impressions: 30_000,
      pacing_index: 1,
      delivery_status: 'delivering',
    })
  })

  test('a package that nothing was sent for does not deliver, and one that was canceled has ended', async () => {
    const packages = [{ product_id: 'display', pricing_option_id: 'cpm', budget: 10 }]
    const { data } = await agent.create({ packages, start_time: 'asap' })
    const states = async () => {
      const ids = { media_buy_ids: [data.media_buy_id] }
      const [snapshot] = (await list({ ...ids, include_snapshot: true })).media_buys[0].packages
      const report = (await agent.buyer.call('get_media_buy_delivery', ids)).data.media_buy_deliveries[0].by_package[0]
      return [snapshot.snapshot.delivery_status, report.delivery_status]
    }
    agent.setClock('2026-03-06T00:00:00Z')
    expect(await states()).toEqual(['not_delivering', undefined])
    await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, canceled: true })
    expect(await states()).toEqual(['flight_ended', 'flight_ended'])
    agent.setClock('2026-03-05T00:00:00Z')
  })

  test.each(['the order', 'a package'])('while %s is paused nothing of it is said to deliver', async (what) => {
    const [id = ''] = ids
    const states = async () => {
      const [shown] = (await list({ media_buy_ids: [id], include_snapshot: true })).media_buys[0].packages
      const report = (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [id] })).data.media_buy_deliveries[0]
      return [shown.snapshot.delivery_status, report.by_package[0].delivery_status]
    }
    const pause = (paused: boolean) =>
      agent.run('update_media_buy', {
        media_buy_id: id,
        ...(what === 'the order' ? { paused } : { packages: [{ package_id: `${id}-1`, paused }] }),
      })
    agent.setClock('2026-03-06T00:00:00Z')
    expect(await states()).toEqual(['delivering', 'delivering'])
    await pause(true)
    expect(await states()).toEqual(['not_delivering', undefined])
    await pause(false)
    expect(await states()).toEqual(['delivering', 'delivering'])
    agent.setClock('2026-03-05T00:00:00Z')
  })
})
