import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { decideCreative } from '../../../src/tasks/creative/decide-creative.ts'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startCreativeAgent()
})
afterAll(() => agent.stop())

const sync = (creatives: object[], more: object = {}) => agent.run('sync_creatives', { creatives, ...more })
const list = async (filters: object = {}) => (await agent.run('list_creatives', { filters })).data
const names = async (filters: object = {}) =>
  (await list(filters)).creatives.map((creative: { creative_id: string }) => creative.creative_id).sort()

describe('sync_creatives', () => {
  it('creates, leaves alone and updates by the buyer’s id', async () => {
    const created = await sync([banner(agent.url, 'one', { tags: ['spring'] })])
    expect(created.data.creatives).toEqual([{ creative_id: 'one', action: 'created', status: 'approved' }])
    const again = await sync([banner(agent.url, 'one', { tags: ['spring'] })])
    expect(again.data.creatives[0]).toMatchObject({ action: 'unchanged', status: 'approved' })
    const changed = await sync([banner(agent.url, 'one', { name: 'New name', tags: ['autumn'] })])
    expect(changed.data.creatives[0]).toMatchObject({ action: 'updated', changes: ['name', 'tags'], status: 'approved' })
    expect((await list({ creative_ids: ['one'] })).creatives[0]).toMatchObject({ name: 'New name', tags: ['autumn'] })
  })

  it('takes a banner without a landing page, and says that a click on it leads nowhere', async () => {
    const { image, click_url } = banner(agent.url, 'dead-end').assets
    const sent = async (assets: object) => (await sync([banner(agent.url, 'dead-end', { assets })])).data.creatives[0]
    const [without, beside] = [await sent({ image }), await sent({ image, click_url })]
    expect(without).toMatchObject({
      status: 'approved',
      warnings: ['assets.click_url is missing: a click on the ad leads nowhere; send the landing page there'],
    })
    expect(beside).toMatchObject({ status: 'approved' })
    expect(beside).not.toHaveProperty('warnings')
  })

  it('names what does not fit the format, and keeps it out of the library', async () => {
    const wrong = banner(agent.url, 'wrong')
    const reply = await sync([{ ...wrong, assets: { image: { ...wrong.assets.image, width: 728, height: 90 } } }])
    expect(reply.isError).toBe(false)
    expect(reply.data.creatives[0]).toMatchObject({
      creative_id: 'wrong',
      action: 'failed',
      errors: [
        { code: 'VALIDATION_ERROR', field: 'creatives[0].assets.image.width', message: expect.stringContaining('must be 300') },
        { code: 'VALIDATION_ERROR', field: 'creatives[0].assets.image.height' },
      ],
    })
    expect(reply.data.creatives[0]).not.toHaveProperty('status')
    const video = { ...wrong, format_id: { agent_url: agent.url, id: 'video_30s' } }
    expect((await sync([video])).data.creatives[0].errors[0]).toMatchObject({ field: 'creatives[0].assets.video' })
    const unknown = { ...wrong, format_id: { agent_url: agent.url, id: 'no_such_format' } }
    expect((await sync([unknown])).data.creatives[0].errors[0]).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'creatives[0].format_id',
    })
    const foreign = { ...wrong, format_id: { agent_url: 'https://your-platform.example.com', id: 'display_300x250' } }
    expect((await sync([foreign])).data.creatives[0].action).toBe('failed')
    expect(await names({ creative_ids: ['wrong'] })).toEqual([])
  })

  it('takes canonical and official slot names, and official formats, beside its own', async () => {
    const { image, click_url } = banner(agent.url, 'x').assets
    const canonical = banner(agent.url, 'canonical', {
      assets: { image_main: image, landing_page_url: click_url },
      format_kind: 'image',
    })
    const official = banner(agent.url, 'official', {
      format_id: { agent_url: 'https://creative.adcontextprotocol.org/', id: 'display_300x250_image' },
      assets: { banner_image: image, click_url },
    })
    const { data } = await sync([canonical, official])
    expect(data.creatives).toEqual([
      { creative_id: 'canonical', action: 'created', status: 'approved' },
      { creative_id: 'official', action: 'created', status: 'approved' },
    ])
    expect((await sync([canonical, official])).data.creatives).toMatchObject([{ action: 'unchanged' }, { action: 'unchanged' }])
    const byOwn = (await list({ format_ids: [banner(agent.url, 'x').format_id], creative_ids: ['canonical', 'official'] }))
      .creatives
    expect(byOwn.map((row: { creative_id: string }) => row.creative_id).toSorted()).toEqual(['canonical', 'official'])
    const [row] = (await list({ creative_ids: ['official'] })).creatives
    expect(row.format_id).toEqual(official.format_id)
    expect(row.assets).toEqual({ image, click_url })
    const both = banner(agent.url, 'both', {
      assets: { image, click_url, image_main: { ...image, url: 'https://cdn.example/other.png' } },
    })
    expect((await sync([both])).data.creatives[0].warnings).toEqual([
      expect.stringContaining('assets.image_main'),
      expect.anything(),
    ])
  })

  it('assigns a creative of an official format to a package that takes the same files', async () => {
    const { data: bought } = await agent.create()
    const official = banner(agent.url, 'official-assigned', {
      format_id: { agent_url: 'https://creative.adcontextprotocol.org', id: 'display_image', width: 300, height: 250 },
    })
    const package_id = bought.packages[0].package_id
    const { data } = await sync([official], { assignments: [{ creative_id: 'official-assigned', package_id }] })
    expect(data.creatives[0]).toMatchObject({ action: 'created', assigned_to: [package_id] })
    expect(data.creatives[0]).not.toHaveProperty('assignment_errors')
    const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 100, format_ids: [official.format_id] }]
    expect((await agent.create({ packages })).isError).toBe(false)
  })

  it('refuses a format of another agent, also of a sandbox buyer, and says whose formats it takes', async () => {
    const key = await agent.addBuyer({ tenant: agent.tenant, principal: 'simulated', sandbox: true })
    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
    const buyer = agent.client(key)
    await buyer.call('sync_accounts', {
      idempotency_key: 'foreign-format-account',
      accounts: [{ ...account, billing: 'operator' }],
    })
    const foreign = banner(agent.url, 'foreign', { format_id: { agent_url: 'https://foreign.example', id: 'display_300x250' } })
    const { data } = await buyer.call('sync_creatives', { idempotency_key: 'foreign-format-sync', account, creatives: [foreign] })
    expect(data.creatives, JSON.stringify(data)).toMatchObject([
      { action: 'failed', errors: [{ code: 'UNSUPPORTED_FEATURE', field: 'creatives[0].format_id' }] },
    ])
    expect(data.creatives[0].errors[0].message).toContain(`agent_url here is ${agent.url}`)
    const { data: library } = await buyer.call('list_creatives', { account })
    expect(library.creatives).toEqual([])
  })

  it('strict keeps the whole batch out, lenient takes what is good', async () => {
    const bad = { ...banner(agent.url, 'bad'), assets: {} }
    const strict = await sync([banner(agent.url, 'good'), bad])
    expect(strict.data.creatives.map((row: { action: string }) => row.action)).toEqual(['failed', 'failed'])
    expect(strict.data.creatives[0].errors[0].message).toContain('creatives[1]')
    expect(await names({ creative_ids: ['good', 'bad'] })).toEqual([])
    const lenient = await sync([banner(agent.url, 'good'), bad], { validation_mode: 'lenient' })
    expect(lenient.data.creatives.map((row: { action: string }) => row.action)).toEqual(['created', 'failed'])
    expect(await names({ creative_ids: ['good', 'bad'] })).toEqual(['good'])
  })

  it('a dry run and creatives outside creative_ids change nothing', async () => {
    const dry = await sync([banner(agent.url, 'dry')], { dry_run: true })
    expect(dry.data).toMatchObject({ dry_run: true, creatives: [{ creative_id: 'dry', action: 'created' }] })
    const scoped = await sync([banner(agent.url, 'in'), banner(agent.url, 'out')], { creative_ids: ['in'] })
    expect(scoped.data.creatives).toHaveLength(1)
    expect(await names({ creative_ids: ['dry', 'in', 'out'] })).toEqual(['in'])
    const twice = await sync([banner(agent.url, 'two'), banner(agent.url, 'two')], { validation_mode: 'lenient' })
    expect(twice.data.creatives[1]).toMatchObject({ action: 'failed', errors: [{ field: 'creatives[1].creative_id' }] })
  })

  it('the automatic review says which rule decided', async () => {
    const insecure = banner(agent.url, 'insecure')
    const [http, opaque] = (
      await sync([
        { ...insecure, assets: { image: { ...insecure.assets.image, url: 'http://cdn.example/banner.png' } } },
        banner(agent.url, 'opaque', { format_id: { agent_url: 'https://other.example/mcp', id: 'takeover' } }),
      ])
    ).data.creatives
    expect(http).toMatchObject({ status: 'rejected', warnings: expect.arrayContaining([expect.stringContaining('https')]) })
    expect(opaque).toMatchObject({ status: 'pending_review' })
    const mended = await sync([insecure])
    expect(mended.data.creatives[0]).toMatchObject({ action: 'updated', status: 'approved' })
  })

  it('a publisher may review by hand', async () => {
    const settings = (creativeReview: 'automatic' | 'manual') =>
      agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { creativeReview }))
    await settings('manual')
    expect((await sync([banner(agent.url, 'by-hand')])).data.creatives[0]).toMatchObject({ status: 'pending_review' })
    await settings('automatic')
    const decide = (status: 'approved' | 'rejected', reason?: string) => {
      const named = { tenantId: agent.tenant, principalId: 'buyer', accountId: undefined, creativeId: 'by-hand' }
      return decideCreative(agent.server.store, named, status, reason, new Date('2026-03-01T12:00:00Z'))
    }
    const statusNow = async () => (await list({ creative_ids: ['by-hand'] })).creatives[0].status
    await decide('approved')
    expect(await statusNow()).toBe('approved')
    await decide('rejected', 'not our taste')
    expect(await statusNow()).toBe('rejected')
    await expect(decide('approved')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  it('a media buy waits for creatives until one of them is approved', async () => {
    const settings = (creativeReview: 'automatic' | 'manual') =>
      agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { creativeReview }))
    const { data: buy } = await agent.create()
    const statusNow = async () =>
      (await agent.run('get_media_buys', { media_buy_ids: [buy.media_buy_id] })).data.media_buys[0].status
    const assign = (id: string) =>
      sync([banner(agent.url, id)], { assignments: [{ creative_id: id, package_id: buy.packages[0].package_id }] })
    await settings('manual')
    await assign('waits-for-review')
    await assign('turned-down')
    await settings('automatic')
    expect(await statusNow()).toBe('pending_creatives')
    const decide = (creativeId: string, status: 'approved' | 'rejected') => {
      const named = { tenantId: agent.tenant, principalId: 'buyer', accountId: undefined, creativeId }
      return decideCreative(agent.server.store, named, status, 'as a test', new Date('2026-03-01T12:00:00Z'))
    }
    await decide('turned-down', 'rejected')
    expect(await statusNow()).toBe('pending_creatives')
    await decide('waits-for-review', 'approved')
    expect(await statusNow()).toBe('pending_start')
  })

  it('an assignment moves a media buy on, and is reported where it cannot be had', async () => {
    const { data: buy } = await agent.create()
    expect(buy.status).toBe('pending_creatives')
    const packageId = buy.packages[0].package_id
    const reply = await sync([banner(agent.url, 'assigned')], {
      assignments: [
        { creative_id: 'assigned', package_id: packageId, weight: 60 },
        { creative_id: 'assigned', package_id: 'no-such-package' },
      ],
    })
    expect(reply.data.creatives[0]).toMatchObject({
      action: 'created',
      assigned_to: [packageId],
      assignment_errors: { 'no-such-package': expect.stringMatching(/^there is no package "no-such-package"; /) },
    })
    const { data } = await agent.run('get_media_buys', { media_buy_ids: [buy.media_buy_id] })
    expect(data.media_buys[0]).toMatchObject({
      status: 'pending_start',
      packages: [{ creative_approvals: [{ creative_id: 'assigned', approval_status: 'approved' }] }],
    })
    expect((await list({ media_buy_ids: [buy.media_buy_id] })).creatives[0].assignments).toMatchObject({
      assignment_count: 1,
      assigned_packages: [{ package_id: packageId }],
    })
  })

  it('a package takes no creative of another format', async () => {
    const { data: buy } = await agent.create({ packages: [{ product_id: 'spots', pricing_option_id: 'cpm', budget: 500 }] })
    const packageId = buy.packages[0].package_id
    const reply = await sync([banner(agent.url, 'misfit')], { assignments: [{ creative_id: 'misfit', package_id: packageId }] })
    expect(reply.data.creatives[0]).toMatchObject({ action: 'created', assigned_to: [] })
    expect(reply.data.creatives[0].assignment_errors[packageId]).toContain('format')
  })

  it('an assignment may come before its creative; delivery that happened stays when the approval goes', async () => {
    const { data: buy } = await agent.create({
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: [{ creative_id: 'late' }] }],
    })
    expect(buy.status).toBe('pending_creatives')
    await sync([banner(agent.url, 'late')])
    agent.setClock('2026-03-05T00:00:00Z')
    const delivery = async () =>
      (await agent.run('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] })).data.media_buy_deliveries[0].totals
    const before = await delivery()
    expect(before.impressions).toBeGreaterThan(0)
    // A change to plain http costs the approval.
    const { assets } = banner(agent.url, 'late')
    await sync([banner(agent.url, 'late', { assets: { image: { ...assets.image, url: 'http://cdn.example/b.png' } } })])
    expect(await delivery()).toEqual(before)
    agent.setClock('2026-03-08T00:00:00Z')
    expect(await delivery()).toEqual(before)
    agent.setClock('2026-03-01T12:00:00Z')
  })

  it('delete_missing archives what was approved and drops the rest; it does not go with creative_ids', async () => {
    const clash = await sync([banner(agent.url, 'in')], { delete_missing: true, creative_ids: ['in'] })
    expect(clash.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'delete_missing' })
    const reply = await sync([banner(agent.url, 'in')], { delete_missing: true })
    const deleted = reply.data.creatives.filter((row: { action: string }) => row.action === 'deleted')
    expect(deleted.map((row: { creative_id: string }) => row.creative_id)).toContain('one')
    expect(await names()).toEqual(['in'])
    const archived = await names({ statuses: ['archived'] })
    expect(archived).toContain('one')
    expect(archived).not.toContain('by-hand')
    const back = await sync([banner(agent.url, 'one')])
    expect(back.data.creatives[0]).toMatchObject({ action: 'updated', status: 'approved' })
  })

  it('another agent’s library is out of reach', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'other' }))
    await agent.run(
      'sync_accounts',
      { accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }] },
      other,
    )
    expect((await agent.run('list_creatives', {}, other)).data.creatives).toEqual([])
    const mine = await agent.run('sync_creatives', { creatives: [banner(agent.url, 'one', { name: 'Mine' })] }, other)
    expect(mine.data.creatives[0].action).toBe('created')
    expect((await list({ creative_ids: ['one'] })).creatives[0].name).toBe('Banner one')
  })
})
