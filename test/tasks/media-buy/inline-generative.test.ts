import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news'),
    productDocument('made', { format_ids: ['display_300x250', 'display_300x250_generative'] }),
  ])
}, 120_000)
afterAll(() => agent?.stop())

const brief = { asset_type: 'brief', name: 'Summer', messaging: { headline: 'Summer Sale', cta: 'Shop Now' } }
const creative = (id: string, more: object = {}) => ({
  creative_id: id,
  name: id,
  format_id: { agent_url: agent.url, id: 'display_300x250_generative' },
  assets: { brief },
  ...more,
})
const packageOf = (product_id: string, more: object = {}) => ({ product_id, pricing_option_id: 'cpm', budget: 1000, ...more })
const listed = async (id: string) =>
  (await agent.buyer.call('list_creatives', { filters: { creative_ids: [id] } })).data.creatives[0]

it('is made of its brief, and waits for its buyer as one of sync_creatives does', async () => {
  const { data } = await agent.create({ packages: [packageOf('made', { creatives: [creative('inline')] })] })
  expect(data, JSON.stringify(data)).toMatchObject({
    status: 'pending_creatives',
    packages: [{ creative_assignments: [{ creative_id: 'inline' }] }],
  })
  expect(data.ext.notes).toEqual([
    '"inline" was made from your brief and waits for you: check the preview (preview_creative with {"request_type": "variant", "variant_id": "inline"}), then sync_creatives with status "approved".',
  ])
  const listedBuys = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  expect(JSON.stringify(listedBuys.data.media_buys[0].ext.waits_for)).toContain('wait for you')
  expect((await listed('inline')).status).toBe('pending_review')
  expect((await listed('inline')).assets.html.content).toContain('Summer Sale')
  const agreed = await agent.run('sync_creatives', { creatives: [creative('inline', { status: 'approved' })] })
  expect(agreed.data.creatives[0]).toMatchObject({ action: 'updated', status: 'approved' })
  const { data: read } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  expect(read.media_buys[0].status).toBe('pending_start')
})

it('is made when an update brings it, for packages that are there and for new ones', async () => {
  const { data } = await agent.create({ packages: [packageOf('made')] })
  const { data: updated } = await agent.run('update_media_buy', {
    media_buy_id: data.media_buy_id,
    packages: [{ package_id: data.packages[0].package_id, creatives: [creative('later')] }],
    new_packages: [packageOf('made', { creatives: [creative('newer')] })],
  })
  expect(updated, JSON.stringify(updated)).toMatchObject({ status: 'pending_creatives' })
  for (const id of ['later', 'newer']) {
    expect((await listed(id)).status).toBe('pending_review')
    expect((await listed(id)).assets.html.content).toContain('Summer Sale')
  }
})

it('stops the order where nothing can be made of its brief', async () => {
  const spoken = { ...brief, compliance: { required_disclosures: [{ text: 'x', position: 'audio' }] } }
  const packages = [packageOf('made'), packageOf('made', { creatives: [creative('mute', { assets: { brief: spoken } })] })]
  const { data } = await agent.create({ packages })
  expect(data.adcp_error.field).toMatch(/^packages\[1\]\.creatives\[0\]\.assets/)
  expect(data.adcp_error.message).toContain(data.adcp_error.field)
  expect(await listed('mute')).toBeUndefined()
})

test.each([
  ['generative', () => ({ creatives: [creative('strange')] }), 'packages[0].creatives[0].format_id'],
  [
    'stored',
    () => ({ creative_assignments: [{ creative_id: 'of-library' }] }),
    'packages[0].creative_assignments[0].creative_id',
  ],
])('a %s creative of a format that the product does not take is refused', async (_case, more, field) => {
  await agent.run('sync_creatives', { creatives: [creative('of-library')] })
  const { data } = await agent.create({ packages: [packageOf('news', more())] })
  expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field })
  expect(data.adcp_error.message).toContain('it takes: display_300x250')
  expect(await listed('strange')).toBeUndefined()
})

test.each([
  ['create_media_buy', { packages: [packageOf('made')], brief: 'Summer' }, 'brief', 'packages[].creatives[].assets.brief'],
  ['create_media_buy', { packages: [packageOf('made', { brief })] }, 'packages[0].brief', 'packages[0].creatives[].assets.brief'],
  ['sync_creatives', { brief }, 'brief', 'creatives[].assets.brief'],
  ['sync_creatives', { creatives: [{ brief }] }, 'creatives[0].brief', 'creatives[0].assets.brief'],
] as const)('%s refuses a brief outside the assets of a creative: %j', async (task, args, field, meant) => {
  const order = { brand: { domain: 'brand.example' }, start_time: 'asap', end_time: '2026-03-12T00:00:00Z' }
  const own = 'creatives' in args ? args.creatives : [{}]
  const rest = task === 'create_media_buy' ? order : { creatives: own.map((each) => creative(randomUUID(), each)) }
  const { data } = await agent.run(task, { ...rest, ...args, ...('creatives' in args && rest) })
  expect(data.adcp_error, JSON.stringify(data)).toMatchObject({ code: 'INVALID_REQUEST', field })
  expect(data.adcp_error.message).toContain(`did you mean ${meant}`)
})
