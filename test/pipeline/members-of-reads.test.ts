import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { saveTenantSettings } from '../../src/store/identity/tenants.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('clip', { channels: ['olv'] })], {
    contracts: loadContracts(),
  })
  await agent.create()
})
afterAll(() => agent.stop())

const brief = { buying_mode: 'brief', brief: 'news' }

/** The tool result of get_products, for a host that shows its text. */
async function shown(request: object, name = 'get_products') {
  const params = { name, arguments: request }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const response = await agent.buyer.send(message, { 'mcp-protocol-version': '2025-11-25' })
  const reply: unknown = await response.json()
  return JSON.parse(JSON.stringify(reply)).result
}

describe('members of reads that the schema does not name', () => {
  it.each([
    ['get_media_buy_delivery', { media_buy_id: 'mb' }, 'media_buy_id', 'media_buy_ids'],
    ['get_media_buy_delivery', { status: 'active' }, 'status', 'status_filter (a list)'],
    ['get_media_buys', { media_buy_id: 'mb' }, 'media_buy_id', 'media_buy_ids'],
    ['get_media_buys', { status: 'canceled' }, 'status', 'status_filter (a list)'],
    ['get_media_buys', { limit: 3 }, 'limit', 'pagination.max_results'],
    ['list_creatives', { creative_id: 'c' }, 'creative_id', 'filters.creative_ids (a list)'],
    ['list_creatives', { status: 'rejected' }, 'status', 'filters.statuses (a list)'],
    ['list_creatives', { filters: { status: 'rejected' } }, 'filters.status', 'statuses (a list)'],
    ['list_accounts', { account_id: 'a' }, 'account_id', 'account ({account_id}, or {brand, operator})'],
    ['get_products', { ...brief, filters: { channel: 'olv' } }, 'filters.channel', 'channels'],
    ['get_products', { ...brief, filters: { budget: 5000 } }, 'filters.budget', 'budget_range ({max, currency})'],
    ['get_products', { ...brief, max_results: 3 }, 'max_results', 'pagination.max_results'],
    ['get_products', { ...brief, budget: 5000 }, 'budget', 'filters.budget_range ({max, currency})'],
    ['get_products', { ...brief, currency: 'EUR' }, 'currency', 'filters.budget_range ({max, currency})'],
    ['get_products', { buying_mode: 'wholesale', query: 'news' }, 'query', 'brief'],
    ['list_tasks', { filters: { account: ACCOUNT } }, 'filters.account', 'account ({account_id}, or {brand, operator})'],
    ['list_tasks', { status: 'completed' }, 'status', 'filters.status'],
  ])('%s %j is refused with what was meant', async (task, request, field, meant) => {
    for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
      const { data, isError } = await agent.buyer.call(task, { ...request, ...pinned })
      expect(isError, JSON.stringify(data)).toBe(true)
      expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', recovery: 'correctable', field })
      expect(data.adcp_error.message).toContain(`${field} is not known here; did you mean ${meant}`)
    }
  })

  it('without a likeness have no effect, and the answer and its text say so', async () => {
    for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
      const asked = { ...brief, filters: { campaign_mood: 'sunny' }, ...pinned }
      for (const { structuredContent, content } of [await shown(asked), await shown(asked)]) {
        expect(structuredContent.ext).toMatchObject({ ignored_members: ['filters.campaign_mood'] })
        expect(content[0].text).toContain('Without effect: filters.campaign_mood (ext.ignored_members).')
      }
      const { data } = await agent.buyer.call('get_products', { ...brief, filters: {}, ...pinned })
      expect(data.ext?.ignored_members).toBeUndefined()
    }
  })

  it.each([
    [
      'get_media_buy_delivery',
      { time_granularity: 'weekly' },
      '3.1',
      'time_granularity must be one of: hourly, daily, monthly, not "weekly"',
    ],
    [
      'get_media_buy_delivery',
      { include_window_breakdown: 'yes' },
      '3.1',
      'include_window_breakdown must be true or false, not "yes"',
    ],
    ['get_media_buy_delivery', { pagination: { max_results: 5 } }, '3.2', 'reporting_revision_id is required: a text'],
    ['get_media_buys', { webhook_activity_limit: 1000 }, '3.1', 'webhook_activity_limit must be at most 200, not 1000'],
    ['get_products', { ...brief, required_overlay_support: 'x' }, '3.2', 'required_overlay_support must be an object such as'],
  ])('%s %j is not sent to a release without what it finds wrong', async (task, request, line, fault) => {
    const [member] = Object.keys(request).slice(-1)
    const { content } = await shown(request, task)
    const advice = `${member} (has an effect with adcp_version "${line}"`
    expect(content[0].text).toContain(`${advice}; AdCP ${line} would refuse it: ${fault}`)
    const { data } = await agent.buyer.call(task, { ...request, adcp_version: line })
    expect(data.adcp_error.message).toContain(fault)
  })

  it('that no release has carried out are sent where they have their effect', async () => {
    const cap = { max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } }
    const { content } = await shown({ ...brief, media_buy_frequency_cap: cap })
    expect(content[0].text).toContain(
      'media_buy_frequency_cap (send targeting_overlay.frequency_cap of each package of the order)',
    )
  })

  it('below a targeting overlay leave out every product, and the answer says by which', async () => {
    const { structuredContent, content } = await shown({
      ...{ buying_mode: 'wholesale', adcp_version: '3.2', targeting_overlay: { geo_countries: ['US'], zodiac: ['leo'] } },
    })
    expect(structuredContent.products).toEqual([])
    expect(structuredContent.ext).toEqual({
      notes: ['No product can be targeted by zodiac (targeting_overlay), so none is listed.'],
    })
    expect(content[0].text).not.toContain('Without effect')
  })

  it('of a release that this caller is not served are not advised with it', async () => {
    const offer = (settings: object) => agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, settings))
    await offer({ releases: ['3.0', '3.1'] })
    const { content } = await shown({ ...brief, required_overlay_support: { geo_countries: true } })
    await offer({})
    expect(content[0].text).toContain('(has an effect with adcp_version "3.2"; AdCP 3.2 is not served here)')
  })

  it('of a later release are listed where they have no effect, and only there', async () => {
    const listed = async (task: string, request: object) => (await agent.buyer.call(task, request)).data.ext?.ignored_members
    const overlay = { ...brief, targeting_overlay: { geo_countries: ['US'] } }
    expect(await listed('get_products', overlay)).toEqual(['targeting_overlay'])
    expect(await listed('get_products', { ...overlay, adcp_version: '3.2' })).toBeUndefined()
    const activity = { media_buy_ids: ['x'], include_webhook_activity: true }
    expect(await listed('get_media_buys', activity)).toEqual(['include_webhook_activity'])
    expect(await listed('get_media_buys', { ...activity, adcp_version: '3.1' })).toBeUndefined()
    const indicators = { indicator_types: ['x'], adcp_version: '3.2' }
    expect((await agent.buyer.call('get_media_buys', indicators)).data.ext?.ignored_members ?? ['indicator_types']).toEqual([
      'indicator_types',
    ])
    expect(await listed('get_products', { ...brief, filters: { pricing_currencies: ['USD'] } })).toBeUndefined()
    expect(await listed('list_tasks', { account: ACCOUNT })).toBeUndefined()
  })

  it('that are no filters are not among those that were applied', async () => {
    for (const task of ['list_tasks', 'list_creatives']) {
      const { data } = await agent.buyer.call(task, { filters: { mood: 'sunny', created_after: '2026-01-01T00:00:00Z' } })
      expect(data).toMatchObject({
        query_summary: { filters_applied: ['created_after'] },
        ext: { ignored_members: ['filters.mood'] },
      })
    }
  })

  it('that official stories send are no mistakes', async () => {
    const { data, isError } = await agent.buyer.call('list_creatives', { creative_ids: ['c'], brand: ACCOUNT.brand })
    expect(isError, JSON.stringify(data)).toBe(false)
    expect(data.ext.ignored_members).toEqual(['creative_ids', 'brand'])
    expect((await shown({ creative_ids: ['c'] }, 'list_creatives')).content[0].text).toContain(
      'creative_ids (send filters.creative_ids)',
    )
    expect((await shown({ brand: ACCOUNT.brand }, 'list_accounts')).content[0].text).toContain('brand (send account)')
    expect((await agent.buyer.call('list_accounts', { brand: ACCOUNT.brand })).data.ext.ignored_members).toEqual(['brand'])
  })
})
