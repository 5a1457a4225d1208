import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  const placements = [{ placement_id: 'top', name: 'Top' }]
  agent = await startMediaBuyAgent([productDocument('news', { placements })])
})
afterAll(() => agent.stop())

const banner = (creative_id: string, more: object = {}) => ({
  creative_id,
  name: creative_id,
  format_id: { agent_url: agent.url, id: 'display_300x250' },
  assets: {
    image: { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250, format: 'png' },
    click_url: { asset_type: 'url', url: 'https://brand.example/' },
  },
  ...more,
})
const packageWith = (more: object) => [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, ...more }]
const update = (media_buy_id: string, change: object) => agent.run('update_media_buy', { media_buy_id, ...change })
const spend = async (id: string, now: string) => {
  agent.setClock(now)
  const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [id] })
  return data.media_buy_deliveries[0].totals.spend
}

describe('creatives of a media buy', () => {
  test('that come with a package go to the library and serve', async () => {
    const { data } = await agent.create({
      packages: packageWith({ creatives: [banner('inline-1', { weight: 40, placement_ids: ['top'] })] }),
    })
    expect(data, JSON.stringify(data)).toMatchObject({
      status: 'pending_start',
      packages: [{ creative_assignments: [{ creative_id: 'inline-1', weight: 40, placement_ids: ['top'] }] }],
    })
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
    expect(listed.media_buys[0].packages[0].creative_approvals).toEqual([
      { creative_id: 'inline-1', approval_status: 'approved' },
    ])
    expect(listed.media_buys[0].packages[0]).not.toHaveProperty('format_ids_pending')
  })

  test('that come without a landing page are taken, and the answer says where in the request', async () => {
    const { click_url: _click, ...assets } = banner('dead-end').assets
    const dead = banner('dead-end', { assets })
    const { data } = await agent.create({ packages: packageWith({ creatives: [banner('with-page'), dead] }) })
    const note =
      'packages[0].creatives[1].assets.click_url is missing: a click on the ad leads nowhere; send the landing page there.'
    expect(data).toMatchObject({ status: 'pending_start', ext: { notes: [note] } })
    const [{ package_id }] = data.packages
    const changed = await update(data.media_buy_id, { packages: [{ package_id, creatives: [banner('dead-2', { assets })] }] })
    expect(changed.data.ext.notes).toEqual([note.replace('[1]', '[0]')])
  })

  test('that are not in the library yet are waited for at creation', async () => {
    const { data } = await agent.create({ packages: packageWith({ creative_assignments: [{ creative_id: 'later-1' }] }) })
    expect(data.status).toBe('pending_creatives')
    await agent.create({ packages: packageWith({ creatives: [banner('later-1')] }) })
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
    expect(listed.media_buys[0].status).toBe('pending_start')
  })

  test('advance a waiting buy when an update assigns them', async () => {
    const { data } = await agent.create()
    expect(data.status).toBe('pending_creatives')
    const packages = [{ package_id: data.packages[0].package_id, creative_assignments: [{ creative_id: 'inline-1' }] }]
    expect((await update(data.media_buy_id, { packages })).data.status).toBe('pending_start')
    const more = [{ package_id: data.packages[0].package_id, creatives: [banner('extra-1')] }]
    const { data: extended } = await update(data.media_buy_id, { packages: more })
    expect(extended.affected_packages[0].creative_assignments.map((entry: { creative_id: string }) => entry.creative_id)).toEqual(
      ['inline-1', 'extra-1'],
    )
  })

  test.each([
    [
      'unknown',
      { creative_assignments: [{ creative_id: 'nobody-knows' }] },
      'CREATIVE_NOT_FOUND',
      'packages[0].creative_assignments[0].creative_id',
    ],
    [
      'misplaced',
      { creative_assignments: [{ creative_id: 'inline-1', placement_ids: ['top', 'moon'] }] },
      'INVALID_REQUEST',
      'packages[0].creative_assignments[0].placement_ids[1]',
    ],
  ])('an update refuses %s ones, and applies nothing', async (_case, change, code, field) => {
    const { data } = await agent.create()
    const packages = [{ package_id: data.packages[0].package_id, budget: 2000, ...change }]
    expect((await update(data.media_buy_id, { packages })).data.adcp_error).toMatchObject({ code, field })
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
    expect(listed.media_buys[0]).toMatchObject({ revision: 1, total_budget: 1000 })
  })

  test('that break their format stop the order, naming the field', async () => {
    const broken = banner('broken-1', { assets: {} })
    const { data } = await agent.create({ packages: packageWith({ creatives: [banner('fine-1'), broken] }), po_number: 'broken' })
    expect(data.adcp_error.field).toMatch(/^packages\[0\]\.creatives\[1\]/)
    const rows = await agent.server.store.read
      .selectFrom('creatives')
      .select('creative_id')
      .where('creative_id', 'in', ['fine-1', 'broken-1'])
      .execute()
    expect(rows).toEqual([])
  })

  test('serve from their assignment on, and what they served stays when they are taken off', async () => {
    agent.setClock('2026-03-20T00:00:00Z')
    const flight = { start_time: '2026-03-21T00:00:00Z', end_time: '2026-03-31T00:00:00Z', idempotency_key: randomUUID() }
    const { data } = await agent.create(flight)
    const id = data.media_buy_id
    const assign = (list: object[]) =>
      update(id, { packages: [{ package_id: data.packages[0].package_id, creative_assignments: list }] })
    expect(await spend(id, '2026-03-26T00:00:00Z')).toBe(0)
    await assign([{ creative_id: 'inline-1' }])
    expect(await spend(id, '2026-03-28T00:00:00Z')).toBe(400)
    expect((await assign([])).data.status).toBe('pending_creatives')
    expect(await spend(id, '2026-03-30T00:00:00Z')).toBe(400)
    await assign([{ creative_id: 'inline-1' }])
    expect(await spend(id, '2026-04-01T00:00:00Z')).toBe(1000)
  })
})
