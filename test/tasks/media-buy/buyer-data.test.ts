import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from '../../support/buyer-data-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  const audiences = [
    { audience_id: 'ready', add: people(0, 200) },
    { audience_id: 'small', add: people(0, 5) },
    { audience_id: 'optouts', audience_type: 'suppression', add: people(0, 5) },
  ]
  await agent.run('sync_audiences', { audiences })
  await agent.run('sync_event_sources', { event_sources: [{ event_source_id: 'web' }] })
  const items = [{ item_id: 'a', title: 'A' }]
  await agent.run('sync_catalogs', { catalogs: [{ catalog_id: 'shop', type: 'product', items }] })
})
afterAll(() => agent.stop())

const packageWith = (more: object) => ({ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, ...more })
const create = async (more: object) => (await agent.create({ packages: [packageWith({}), packageWith(more)] })).data
const overlay = (targeting_overlay: object) => ({ targeting_overlay })
const goal = (more: object) => ({
  optimization_goals: [
    { kind: 'event', event_sources: [{ event_source_id: 'web', event_type: 'purchase' }], priority: 1, ...more },
  ],
})

describe('what a package names of its buyer', () => {
  it.each([
    [overlay({ audience_include: ['ready', 'none'] }), 'INVALID_REQUEST', 'targeting_overlay.audience_include[1]'],
    [overlay({ audience_exclude: ['none'] }), 'INVALID_REQUEST', 'targeting_overlay.audience_exclude[0]'],
    [overlay({ audience_include: ['small'] }), 'AUDIENCE_TOO_SMALL', 'targeting_overlay.audience_include[0]'],
    [overlay({ audience_include: ['optouts'] }), 'VALIDATION_ERROR', 'targeting_overlay.audience_include[0]'],
    [
      overlay({ audience_include: ['ready'], audience_exclude: ['ready'] }),
      'VALIDATION_ERROR',
      'targeting_overlay.audience_exclude',
    ],
    [{ catalogs: [{ catalog_id: 'none', type: 'product' }] }, 'REFERENCE_NOT_FOUND', 'catalogs[0].catalog_id'],
    [{ catalogs: [{ catalog_id: 'shop', type: 'hotel' }] }, 'VALIDATION_ERROR', 'catalogs[0].type'],
    [
      goal({ event_sources: [{ event_source_id: 'none', event_type: 'lead' }] }),
      'INVALID_REQUEST',
      'optimization_goals[0].event_sources[0].event_source_id',
    ],
    [goal({ target: { kind: 'per_ad_spend', value: 2 } }), 'VALIDATION_ERROR', 'optimization_goals[0].event_sources'],
    [
      goal({ attribution_window: { post_click: { interval: 7, unit: 'days' } } }),
      'UNSUPPORTED_FEATURE',
      'optimization_goals[0].attribution_window',
    ],
  ])('%j is refused', async (more, code, field) => {
    expect((await create(more)).adcp_error).toMatchObject({ code, field: `packages[1].${field}` })
  })

  it('has to be there when a package changes, too', async () => {
    const { media_buy_id, packages } = await create({})
    const change = (more: object) =>
      agent.run('update_media_buy', { media_buy_id, packages: [{ package_id: packages[0].package_id, ...more }] })
    const refused = await change(overlay({ audience_exclude: ['none'] }))
    expect(refused.data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages[0].targeting_overlay.audience_exclude[0]',
    })
    expect((await change(overlay({ audience_exclude: ['optouts'] }))).isError).toBe(false)
  })

  it('is taken when it is there, and shown again', async () => {
    const targeting_overlay = { audience_include: ['ready'], audience_exclude: ['optouts'] }
    const catalogs = [{ catalog_id: 'shop', type: 'product' }]
    const window = { post_click: { interval: 30, unit: 'days' }, post_view: { interval: 24, unit: 'hours' } }
    const { media_buy_id } = await create({ targeting_overlay, catalogs, ...goal({ attribution_window: window }) })
    const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [media_buy_id] })
    expect(data.media_buys[0].packages[1]).toMatchObject({ targeting_overlay })
  })

  it('of another agent is not there', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const account = { brand: { domain: 'other.example' }, operator: 'op.example' }
    await agent.run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'agent' }] }, stranger)
    const refusal = async (id: string) => {
      const packages = [packageWith(overlay({ audience_include: [id] }))]
      const { message, ...rest } = (await agent.create({ account, packages }, stranger)).data.adcp_error
      return { ...rest, message: message.replace(`"${id}"`, 'it') }
    }
    expect((await refusal('nowhere')).message).toMatch(
      /^packages\[0\]\.targeting_overlay\.audience_include\[0\] it is no audience/,
    )
    expect(await refusal('ready')).toEqual(await refusal('nowhere'))
  })

  it('is not deleted under a package that it is targeted by', async () => {
    await agent.run('sync_audiences', { audiences: [{ audience_id: 'used', add: people(0, 200) }] })
    const { media_buy_id } = await create(overlay({ audience_include: ['used'] }))
    const remove = async () => (await agent.run('sync_audiences', { audiences: [{ audience_id: 'used', delete: true }] })).data
    expect((await remove()).audiences[0]).toMatchObject({
      action: 'failed',
      errors: [{ code: 'INVALID_STATE', field: 'audiences[0].audience_id' }],
    })
    await agent.run('update_media_buy', { media_buy_id, canceled: true })
    expect((await remove()).audiences[0]).toEqual({ audience_id: 'used', action: 'deleted' })
  })
})
