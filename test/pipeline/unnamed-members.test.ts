import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string
let pkg: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { contracts: loadContracts() })
  const { data } = await agent.create()
  id = data.media_buy_id
  pkg = data.packages[0].package_id
})
afterAll(() => agent.stop())

const line = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }
const update = (change: object) => agent.run('update_media_buy', { media_buy_id: id, ...change })
const orders = async () =>
  (await agent.buyer.call('get_media_buys', { status_filter: ['pending_creatives', 'pending_start', 'active'] })).data.media_buys
    .length

describe('members that the schema does not name', () => {
  it.each([
    [{ pause: true }, 'pause', 'pause is not known here; did you mean paused?'],
    [{ cancelled: true }, 'cancelled', 'cancelled is not known here; did you mean canceled?'],
    [{ status: 'paused' }, 'status', 'status is not known here; did you mean paused (true or false) or canceled (true)?'],
    [
      { budget: 500 },
      'budget',
      '2 faults: (1) budget is not known here; did you mean packages[].budget?; (2) packages[0].package_id is required: a text, from get_media_buys; "PACKAGE" is of news',
    ],
    [{ endTime: '2026-03-20T00:00:00Z' }, 'endTime', 'endTime is not known here; did you mean end_time?'],
    [
      { package_id: 'p' },
      'package_id',
      '2 faults: (1) package_id is not known here; did you mean packages[].package_id?; (2) packages[0].package_id "p" is no package of this media buy; there is: PACKAGE',
    ],
  ])('update_media_buy with %j changes nothing and says what was meant', async (change, field, message) => {
    const { data, isError } = await update(change)
    expect(isError).toBe(true)
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [id] })
    const told = message.replace('PACKAGE', listed.media_buys[0].packages[0].package_id)
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', recovery: 'correctable', field, message: told })
    expect(listed.media_buys[0]).toMatchObject({ revision: 1, total_budget: 1000 })
  })

  it.each([
    [{ budget: 5000 }, 'budget', 'packages[].budget; total_budget ({amount, currency}) limits the whole'],
    [{ packages: [{ ...line, targeting: {} }] }, 'packages[0].targeting', 'targeting_overlay'],
    [
      { packages: [{ ...line, geo_countries: ['DE'] }] },
      'packages[0].geo_countries',
      'packages[0].targeting_overlay.geo_countries',
    ],
    [{ packages: [{ ...line, bidprice: 3 }] }, 'packages[0].bidprice', 'bid_price'],
    [{ packages: [{ ...line, po_number: 'x' }] }, 'packages[0].po_number', 'po_number at the top of the request'],
    [
      { packages: [line, { ...line, optimisation_goals: [{ kind: 'metric', metric: 'clicks', priority: 1 }] }] },
      'packages[1].optimisation_goals',
      'optimization_goals',
    ],
  ])('create_media_buy with %j buys nothing', async (change, field, meant) => {
    const before = await orders()
    const { data } = await agent.create(change)
    expect(data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field,
      message: `${field} is not known here; did you mean ${meant}?`,
    })
    expect(await orders()).toBe(before)
  })

  it.each([
    [{ pacing: 'even' }, 'pacing', 'send packages[].pacing'],
    [{ frequency_cap: { max_impressions: 3 } }, 'frequency_cap', 'send packages[].targeting_overlay.frequency_cap'],
    [{ budget_cap_timezone: 'Europe/Berlin' }, 'budget_cap_timezone', 'leave it out: days of caps are those of UTC'],
  ])('a limit of a later release is refused by name, with what has its effect: %j', async (change, field, instead) => {
    const { data } = await agent.create(change)
    expect(data.adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field,
      message: `${field} is part of AdCP 3.2 and is not supported here: ${instead}`,
    })
  })

  it('a limit that a later release carries out names that release', async () => {
    const { data: bought } = await agent.create({})
    const { data } = await agent.run('update_media_buy', {
      media_buy_id: bought.media_buy_id,
      total_budget: { amount: 10, currency: 'USD' },
    })
    expect(data.adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message: 'total_budget is part of AdCP 3.2 and has an effect with adcp_version "3.2" alone',
    })
  })

  it('a bid of a later release names that release, and what has its effect here', async () => {
    const { data } = await agent.create({ packages: [{ ...line, bidding: { max_bid: 3 } }] })
    expect(data.adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].bidding',
      message:
        'packages[0].bidding is part of AdCP 3.2 and has an effect with adcp_version "3.2" alone: send packages[].bid_price, the amount alone',
    })
  })

  it.each([
    [{ daily_budget_cap: 50 }, 'daily_budget_cap'],
    [{ packages: [{ ...line, daily_budget_cap: 50 }] }, 'packages[0].daily_budget_cap'],
  ])('so does a cap by the day: %j', async (change, field) => {
    const { data } = await agent.create(change)
    expect(data.adcp_error.message).toBe(`${field} is part of AdCP 3.2 and has an effect with adcp_version "3.2" alone`)
  })

  it.each([
    [{ daily_budget_cap: -5 }, '; AdCP 3.2 would refuse it: daily_budget_cap must be at least 0, not -5'],
    [
      { bidding: { mode: 'x' }, daily_budget_cap: 50 },
      '; AdCP 3.2 would refuse it: bidding.mode is not known here; known: automatic, bid_amount, max_bid, cost_per, roas',
    ],
  ])('no release is named for a value that it refuses without saying so: %j', async (change, added) => {
    const { data } = await agent.create(change)
    expect(data.adcp_error.message).toContain(added)
    expect(data.adcp_error.message.match(/would refuse/g)).toHaveLength(1)
    expect((await agent.create({ ...change, adcp_version: '3.2' })).data.adcp_error.code).toBe('INVALID_REQUEST')
  })

  it('so does a bid of the whole media buy', async () => {
    const { data } = await agent.create({ bidding: { max_bid: 3 } })
    expect(data.adcp_error.message).toBe(
      'bidding is part of AdCP 3.2 and has an effect with adcp_version "3.2" alone: send packages[].bid_price',
    )
  })

  it('one beside the list of the same name is no mistake for it', async () => {
    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
    const { data } = await agent.run('sync_accounts', { accounts: [{ ...account, billing: 'operator' }] })
    expect(data.ext.ignored_members).toEqual(['account'])
    const alone = await agent.run('sync_accounts', { account: [{ ...account, billing: 'operator' }] })
    expect(alone.data.adcp_error.message).toContain('account is not known here; did you mean accounts?')
  })

  it('a limit that is switched off is none', async () => {
    const { data, isError } = await agent.create({ frequency_cap: null })
    expect(isError, JSON.stringify(data)).toBe(false)
    expect(data.ext.ignored_members).toEqual(['frequency_cap'])
  })

  it('one of a later release that is carried out is not listed', async () => {
    const { data } = await agent.create({ paused: true })
    expect(data).toMatchObject({ status: 'pending_creatives', valid_actions: expect.arrayContaining(['resume']) })
    expect(data.ext?.ignored_members).toBeUndefined()
    const wrong = await agent.create({ paused: 'yes' })
    expect(wrong.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'paused' })
    const near = await agent.create({ pause: true })
    expect(near.data.adcp_error.message).toBe('pause is not known here; did you mean paused?')
  })

  it('others pass and are listed once, in a repeated answer too', async () => {
    const request = {
      label: 'Autumn',
      utm_source: 'x',
      adcp_version: '3.0',
      context_id: 'c',
      packages: [{ ...line, nickname: 'first', ext: { any: 1 }, context: { any: 1 } }],
      idempotency_key: randomUUID(),
    }
    const first = await agent.create(request)
    expect(first.isError, JSON.stringify(first.data)).toBe(false)
    expect(first.data.ext).toMatchObject({
      ignored_members: ['packages[0].nickname', 'label', 'utm_source'],
    })
    const again = await agent.create(request)
    expect(again.data).toMatchObject({ replayed: true, ext: first.data.ext })
  })

  it('an answer to a request without any has no list', async () => {
    const { data } = await agent.create({ ext: { ignored: 1 }, context: { ignored: 1 }, adcp_version: '3.0' })
    expect(data.ext ?? {}).not.toHaveProperty('ignored_members')
  })

  it('names all of them at once, beside what the schema finds', async () => {
    const { data } = await agent.create({
      budget: 1,
      pacing: 'even',
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', bugdet: 5 }],
    })
    expect(data.adcp_error.issues.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/packages/0/bugdet',
      '/budget',
      '/pacing',
    ])
    expect(data.adcp_error.message).toMatch(/^3 faults: \(1\) packages\[0\]\.bugdet is not known here/)
  })

  it('many of them cost bounded work', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x_${index}_member`, index]))
    const { data } = await agent.create(many(100))
    expect(data.ext.ignored_members).toHaveLength(51)
    expect(data.ext.ignored_members.at(-1)).toBe('… and 50 more')
    const refused = await agent.create({ packages: [{ ...line, ...many(1_900) }] })
    expect(refused.data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('more than 200 members'),
    })
  })
})

describe('targeting that is not in force', () => {
  const targeted = (targeting_overlay: object) => agent.create({ packages: [{ ...line, targeting_overlay }] })

  it.each([
    [{ weather: ['rain'] }, 'weather'],
    [{ browser: ['firefox'] }, 'browser'],
    [{ signal_targeting: [{ signal_id: 's' }] }, 'signal_targeting'],
    [{ axe_include_segment: 'a' }, 'axe_include_segment'],
    [{ store_catchments: [{ catalog_id: 'c' }] }, 'store_catchments'],
    [{ frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'days' } } }, 'frequency_cap'],
  ])('%j is refused with what the product can be targeted by', async (overlay, name) => {
    const { data } = await targeted(overlay)
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: `packages[0].targeting_overlay.${name}` })
    const [, list = ''] = data.adcp_error.message.split(' is not available on news, which can be targeted by: ')
    expect(list.split(', ')).toEqual(expect.arrayContaining(['daypart_targets', 'device_type', 'keyword_targets', 'language']))
    expect(list).not.toContain('frequency_cap')
  })

  it('a near miss of a dimension names it', async () => {
    const { data } = await targeted({ geo_country: ['DE'] })
    expect(data.adcp_error.message).toBe(
      'packages[0].targeting_overlay.geo_country is not known here; did you mean geo_countries?',
    )
  })

  it('so is a member of a dimension that nobody knows', async () => {
    const { data } = await targeted({ daypart_targets: [{ days: ['monday'], start_hour: 8, end_hour: 9, season: 'winter' }] })
    expect(data.adcp_error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].targeting_overlay.daypart_targets[0].season',
      message: expect.stringContaining('days, start_hour, end_hour'),
    })
  })

  it('an update is held to the same', async () => {
    const { data } = await update({ packages: [{ package_id: pkg, targeting_overlay: { weather: ['rain'] } }] })
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'packages[0].targeting_overlay.weather' })
  })
})

describe('an update that names no change', () => {
  it.each([
    [{}, '', /names no change; update_media_buy changes: name, paused, canceled, start_time/],
    [
      { revision: 1, ext: { a: 1 }, context: { a: 1 }, push_notification_config: { url: 'https://buyer.example/hook' } },
      '',
      /names no change/,
    ],
    [{ packages: [] }, 'packages', /packages must/],
  ])('%j is refused', async (change, field, message) => {
    const { data } = await update(change)
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(message), field })
  })

  it('a package entry without a change is refused', async () => {
    const { data } = await update({ packages: [{ package_id: pkg }] })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'packages[0]' })
  })

  it.each(['update_property_list', 'update_collection_list', 'update_content_standards', 'update_rights'])('%s', async (task) => {
    const ids = { list_id: 'l', standards_id: 's', rights_id: 'r' }
    const { data } = await agent.buyer.call(task, { idempotency_key: randomUUID(), ...pick(ids, task) })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('names no change') })
  })
})

function pick(ids: Record<string, string>, task: string): object {
  const name = task === 'update_rights' ? 'rights_id' : task === 'update_content_standards' ? 'standards_id' : 'list_id'
  return { [name]: ids[name] }
}
