import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashed } from '../../support/buyer-data-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let source: string
let account: object

beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news', { format_ids: [] }),
    productDocument('shop', { format_ids: [], catalog_types: ['product'] }),
    productDocument('action', {
      format_ids: [],
      pricing_options: [
        {
          pricing_option_id: 'cpa',
          pricing_model: 'cpa',
          currency: 'USD',
          fixed_price: 5,
          event_type: 'purchase',
          event_source_id: 'x',
        },
      ],
    }),
  ])
})
afterAll(() => agent.stop())

beforeEach(async () => {
  agent.setClock('2026-03-01T12:00:00Z')
  source = `web-${randomUUID()}`
  // An account of its own: the packages of an account compete for its events.
  account = { brand: { domain: `b${randomUUID()}.example` }, operator: 'agency.example' }
  await run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
  await run('sync_event_sources', { event_sources: [{ event_source_id: source }] })
})

const run = (task: string, args: object) => agent.run(task, { account, ...args })

/** The simulated graph knows about three of four mail addresses; these two it does and does not. */
const KNOWN = { hashed_email: hashed('person1@mail.example') }
const UNKNOWN = { hashed_email: hashed('person0@mail.example') }
const event = (more: object = {}) => ({
  event_id: randomUUID(),
  event_type: 'purchase',
  event_time: '2026-03-05T10:00:00Z',
  user_match: KNOWN,
  custom_data: { value: 25.5, currency: 'USD' },
  ...more,
})
const log = async (events: readonly object[], more: object = {}) =>
  (await run('log_event', { event_source_id: source, events, ...more })).data
const buy = async (packages: readonly object[] = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }]) =>
  (await agent.create({ account, packages })).data
const delivery = async (id: string, more: object = {}) =>
  (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [id], include_package_daily_breakdown: true, ...more })).data

describe('log_event', () => {
  it('counts an event once by source, type and id, within a batch and over calls', async () => {
    agent.setClock('2026-03-06T00:00:00Z')
    const one = event()
    expect(await log([one, one, { ...one, event_type: 'lead' }])).toMatchObject({
      events_received: 3,
      events_processed: 2,
      match_quality: 1,
      warnings: ['1 event(s) were received before and count once'],
    })
    expect(await log([one])).toMatchObject({ events_received: 1, events_processed: 0 })
    const sources = (await run('sync_event_sources', {})).data.event_sources
    const own = sources.find((row: { event_source_id: string }) => row.event_source_id === source)
    expect(own.health).toMatchObject({
      status: 'good',
      match_rate: 1,
      events_received_24h: 2,
      last_event_at: '2026-03-06T00:00:00.000Z',
    })
  })

  it('takes the good events of a batch and says what is wrong with the others', async () => {
    agent.setClock('2026-03-06T00:00:00Z')
    await run('sync_event_sources', {
      event_sources: [{ event_source_id: source, event_types: ['purchase', 'custom'], allowed_domains: ['brand.example'] }],
    })
    const bad = [
      event({ event_time: '2026-03-07T00:00:00Z' }),
      event({ event_time: '2024-03-07T00:00:00Z' }),
      event({ event_type: 'lead' }),
      event({ event_type: 'custom' }),
      event({ action_source: 'website' }),
      event({ event_source_url: 'https://notbrand.example/x' }),
      event({ user_match: { uids: [{ type: 'other', value: 'jane@mail.example' }] } }),
    ]
    const good = event({ action_source: 'website', event_source_url: 'https://www.brand.example/thanks?mail=jane@mail.example' })
    const data = await log([...bad, good])
    expect(data).toMatchObject({ events_received: 8, events_processed: 1 })
    expect(
      data.partial_failures.map(({ code, field }: { code: string; field: string }) => [code, field.replace(/^events/, '')]),
    ).toEqual([
      ['VALIDATION_ERROR', '[0].event_time'],
      ['VALIDATION_ERROR', '[1].event_time'],
      ['VALIDATION_ERROR', '[2].event_type'],
      ['VALIDATION_ERROR', '[3].custom_event_name'],
      ['VALIDATION_ERROR', '[4].event_source_url'],
      ['VALIDATION_ERROR', '[5].event_source_url'],
      ['VALIDATION_ERROR', '[6].user_match.uids[0].value'],
    ])
    expect(JSON.stringify(data)).not.toContain('jane')
  })

  it('keeps nothing that names a person', async () => {
    agent.setClock('2026-03-06T00:00:00Z')
    const user_match = { ...KNOWN, click_id: 'click-of-4711', client_ip: '203.0.113.9', client_user_agent: 'Agent/1.0 (unusual)' }
    const custom_data = { value: 1, currency: 'USD', order_id: 'order-of-4711', search_string: 'gift for jane' }
    await log([event({ event_id: 'evt-of-4711', user_match, custom_data, event_source_url: 'https://brand.example/u/jane' })])
    const { read } = agent.server.store
    const rows = [
      ...(await read.selectFrom('events').selectAll().execute()),
      ...(await read.selectFrom('event_identifiers').selectAll().execute()),
      ...(await read.selectFrom('idempotency').selectAll().execute()),
    ]
    const stored = JSON.stringify(rows)
    for (const trace of ['of-4711', 'jane', '203.0.113.9', 'unusual', KNOWN.hashed_email]) expect(stored).not.toContain(trace)
    expect(stored).toContain('brand.example')
  })

  it('credits a purchase of a known person to the package that ran, with its value', async () => {
    const { media_buy_id: id, packages } = await buy()
    agent.setClock('2026-03-06T00:00:00Z')
    expect((await delivery(id)).media_buy_deliveries[0].totals).not.toHaveProperty('conversions')
    await log([
      event(),
      event(),
      event({ event_type: 'lead' }),
      event({ event_type: 'page_view' }),
      event({ user_match: UNKNOWN }),
      event({ user_match: undefined }),
    ])
    await log([event({ custom_data: { value: 10, currency: 'EUR' } })])
    const data = await delivery(id)
    const [reported] = data.media_buy_deliveries
    expect(data.attribution_window).toEqual({
      post_click: { interval: 30, unit: 'days' },
      post_view: { interval: 1, unit: 'days' },
      model: 'last_touch',
    })
    expect(reported.totals).toMatchObject({
      conversions: 4,
      conversion_value: 76.5,
      leads: 1,
      by_event_type: [
        { event_type: 'lead', event_source_id: source, count: 1, value: 25.5 },
        { event_type: 'purchase', event_source_id: source, count: 3, value: 51 },
      ],
    })
    expect(reported.totals.roas).toBeCloseTo(76.5 / reported.totals.spend, 3)
    expect(reported.totals.cost_per_acquisition).toBeCloseTo(reported.totals.spend / 4, 3)
    expect(reported.by_package[0]).toMatchObject({ package_id: packages[0].package_id, conversions: 4 })
    const day = reported.by_package[0].daily_breakdown.find((row: { date: string }) => row.date === '2026-03-05')
    expect(day).toMatchObject({ conversions: 4, conversion_value: 76.5 })
    expect(data.aggregated_totals).toMatchObject({ conversions: 4, conversion_value: 76.5 })
    const before = await delivery(id, { start_date: '2026-03-02', end_date: '2026-03-04' })
    expect(before.media_buy_deliveries[0].totals).not.toHaveProperty('conversions')
  })

  it('keeps to the window: a day after a view, thirty after a click', async () => {
    const { media_buy_id: id } = await buy()
    agent.setClock('2026-05-01T00:00:00Z')
    const click = { ...KNOWN, click_id: 'c' }
    const at = (event_time: string, user_match: object) => event({ event_time, user_match })
    await log([
      at('2026-03-12T20:00:00Z', KNOWN),
      at('2026-03-14T00:00:00Z', KNOWN),
      at('2026-04-10T00:00:00Z', click),
      at('2026-04-12T00:00:00Z', click),
    ])
    await log([at('2026-03-01T23:00:00Z', click)])
    expect((await delivery(id)).media_buy_deliveries[0].totals.conversions).toBe(2)
  })

  it('follows the goals of a package: their events, the field and the factor of their value', async () => {
    const goal = (entry: object) => ({ kind: 'event', event_sources: [{ event_source_id: source, ...entry }], priority: 1 })
    const { data } = await agent.create({
      account,
      packages: [
        { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 },
        {
          product_id: 'news',
          pricing_option_id: 'cpm',
          budget: 1000,
          optimization_goals: [goal({ event_type: 'add_to_cart', value_field: 'basket', value_factor: 0.01 })],
        },
      ],
    })
    agent.setClock('2026-03-06T00:00:00Z')
    await log([event({ event_type: 'add_to_cart', custom_data: { basket: 1250, currency: 'USD' } }), event()])
    const [reported] = (await delivery(data.media_buy_id)).media_buy_deliveries
    expect(reported.by_package).toMatchObject([
      { conversions: 1, conversion_value: 25.5 },
      { conversions: 1, conversion_value: 12.5, by_event_type: [{ event_type: 'add_to_cart', count: 1 }] },
    ])
  })

  it('tells conversions by catalog item, and leaves out what is about other items', async () => {
    const item = (id: string) => ({
      item_id: id,
      title: id,
      url: `https://s.example/${id}`,
      image_url: `https://s.example/${id}.png`,
    })
    await run('sync_catalogs', { catalogs: [{ catalog_id: 'menu', type: 'product', items: [item('rib'), item('tea')] }] })
    const catalogs = [{ catalog_id: 'menu', type: 'product' }]
    const { media_buy_id: id } = await buy([{ product_id: 'shop', pricing_option_id: 'cpm', budget: 1000, catalogs }])
    agent.setClock('2026-03-06T00:00:00Z')
    const about = (...content_ids: string[]) => event({ custom_data: { value: 10, currency: 'USD', content_ids } })
    await log([about('rib'), about('rib', 'tea'), about('elsewhere')])
    const [pkg] = (await delivery(id)).media_buy_deliveries[0].by_package
    expect(pkg).toMatchObject({ conversions: 2, conversion_value: 20 })
    expect(pkg.by_catalog_item).toMatchObject([
      { content_id: 'rib', conversions: 2, conversion_value: 20 },
      { content_id: 'tea', conversions: 1, conversion_value: 10 },
    ])
    const sum = (name: string) =>
      pkg.by_catalog_item.reduce((total: number, row: Record<string, number>) => total + (row[name] ?? 0), 0)
    expect(sum('impressions')).toBe(pkg.impressions)
    expect(sum('spend')).toBeCloseTo(pkg.spend, 6)
  })

  it('refuses more events than can be held against the packages that ran, and says how many', async () => {
    const packages = Array.from({ length: 200 }, () => ({ product_id: 'news', pricing_option_id: 'cpm', budget: 1 }))
    for (let orders = 0; orders < 3; orders++) await buy(packages)
    agent.setClock('2026-03-06T00:00:00Z')
    const events = Array.from({ length: 9_000 }, () => event())
    expect((await log(events)).adcp_error).toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: 'events', suggestion: 'send at most 6666 events in one call' },
      message: expect.stringContaining('9000 events × 600 packages that ran in the 30 days before them make 1.4 times the work'),
    })
    expect(await log(events.slice(0, 100))).toMatchObject({ events_processed: 100 })
  })

  it('keeps test events apart', async () => {
    const { media_buy_id: id } = await buy()
    agent.setClock('2026-03-06T00:00:00Z')
    const one = event()
    expect(await log([one], { test_event_code: 'TEST1' })).toMatchObject({ events_processed: 1 })
    expect((await delivery(id)).media_buy_deliveries[0].totals).not.toHaveProperty('conversions')
    expect(await log([one])).toMatchObject({ events_processed: 1 })
    expect((await delivery(id)).media_buy_deliveries[0].totals.conversions).toBe(1)
  })

  it('answers a foreign source as one that does not exist, and asks which account when several have it', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: `stranger-${randomUUID()}` }))
    const args = (event_source_id: string) => ({ idempotency_key: randomUUID(), event_source_id, events: [event()] })
    const foreign = await stranger.call('log_event', args(source))
    const absent = await stranger.call('log_event', args('nowhere'))
    expect(foreign.data.adcp_error).toEqual(absent.data.adcp_error)
    expect(foreign.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'event_source_id' })
    const second = { brand: { domain: 'second.example' }, operator: 'agency.example' }
    await agent.run('sync_accounts', { account: undefined, accounts: [{ ...second, billing: 'operator' }] })
    await agent.run('sync_event_sources', { account: second, event_sources: [{ event_source_id: source }] })
    expect((await agent.buyer.call('log_event', args(source))).data.adcp_error).toMatchObject({ code: 'ACCOUNT_AMBIGUOUS' })
    agent.setClock('2026-03-06T00:00:00Z')
    expect(await log([event()], { account: second })).toMatchObject({ events_processed: 1 })
  })

  it.each([5, 'acc', { brand: 5 }, null])('refuses an account that is none: %j', async (account) => {
    const { data } = await agent.run('log_event', { event_source_id: source, events: [event()], account })
    expect(data.adcp_error.code).toMatch(/INVALID_REQUEST|VALIDATION_ERROR|ACCOUNT_NOT_FOUND/)
  })
})
