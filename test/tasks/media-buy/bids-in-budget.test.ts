import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, compactBuyer, FLIGHT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('a bid with which the budget buys not one unit is refused by name', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, listed } = compactBuyer(() => agent)
  const line = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 600 }
  const created = (bid_price: number) => ({ brand: account.brand, packages: [{ ...line, bid_price }], ...FLIGHT })
  const MICROS = 'looks like micros; amounts are in major units: 3'

  test('in create_media_buy and update_media_buy', async () => {
    const before = (await ask('get_media_buys')).media_buys.length
    const error = await refused('3.0', 'create_media_buy', created(3_000_000))
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages[0].bid_price',
      message: expect.stringContaining(MICROS),
    })
    expect(await refused('3.0', 'create_media_buy', created(601))).toMatchObject({
      field: 'packages[0].bid_price',
      message: expect.stringContaining('the whole budget of 600 does not buy one thousand impressions for it: send a lower bid'),
    })
    expect((await ask('get_media_buys')).media_buys).toHaveLength(before)
    const { media_buy_id, packages } = await answer('3.0', 'create_media_buy', created(600))
    const update = (change: object) => ({ media_buy_id, packages: [{ package_id: packages[0].package_id, ...change }] })
    expect(await refused('3.0', 'update_media_buy', update({ bid_price: 3_000_000 }))).toMatchObject({
      field: 'packages[0].bid_price',
      message: expect.stringContaining(MICROS),
    })
    await answer('3.0', 'update_media_buy', update({ bid_price: 700, budget: 700 }))
  })

  test('in buy_products and control_media_buy', async () => {
    const { feed_version } = await listed('ros_display')
    const bought = (max_bid: number) => ({ feed_version, purchases: [{ ...line, bidding: { max_bid } }], ...FLIGHT })
    const error = await refused('3.2', 'buy_products', bought(3_000_000))
    const said = { code: 'INVALID_REQUEST', message: expect.stringContaining(MICROS) }
    expect(error).toMatchObject({ ...said, field: 'purchases[0].bidding.max_bid' })
    const { media_buy_id, revision } = await ask('buy_products', bought(3))
    const { media_buys } = await answer('3.2', 'get_media_buys', { media_buy_ids: [media_buy_id] })
    const packages = [{ package_id: media_buys[0].packages[0].package_id, bidding: { max_bid: 3_000_000 } }]
    const kept = await refused('3.2', 'control_media_buy', { media_buy_id, revision, packages })
    expect(kept).toMatchObject({ ...said, field: 'packages[0].bidding.max_bid' })
  })

  test('with its kind in create_media_buy and update_media_buy of 3.2, as the price takes it', async () => {
    const bought = (bid: object) => ({ brand: account.brand, packages: [{ ...line, ...bid }], ...FLIGHT })
    expect(await refused('3.2', 'create_media_buy', bought({ bidding: { bid_amount: 4 } }))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].bidding.bid_amount',
      message: expect.stringContaining('send bidding.max_bid'),
    })
    expect(await refused('3.2', 'create_media_buy', bought({ bid_price: 4, bidding: { max_bid: 4 } }))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages[0]',
    })
    const goal = { cost_per: { amount: 4, strength: 'cap' } }
    expect(await refused('3.2', 'create_media_buy', bought({ bidding: goal }))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].bidding.cost_per',
    })
    const { media_buy_id, packages } = await answer('3.2', 'create_media_buy', bought({ bidding: { max_bid: 4 } }))
    const bidOf = async () => {
      const { media_buys } = await answer('3.0', 'get_media_buys', { media_buy_ids: [media_buy_id] })
      return media_buys[0].packages[0].bid_price
    }
    expect(await bidOf()).toBe(4)
    const update = (bidding: object) => ({ media_buy_id, packages: [{ package_id: packages[0].package_id, bidding }] })
    expect(await refused('3.2', 'update_media_buy', update({ max_bid: 3_000_000 }))).toMatchObject({
      field: 'packages[0].bidding.max_bid',
      message: expect.stringContaining(MICROS),
    })
    await answer('3.2', 'update_media_buy', update({ max_bid: 5 }))
    expect(await bidOf()).toBe(5)
  })

  test('is shown as its buyer wrote it: the policy at 3.2, the amount to all who wrote that, and before 3.2', async () => {
    const bought = (bid: object) => ({ brand: account.brand, packages: [{ ...line, ...bid }], ...FLIGHT })
    const shownAt = async (release: string, media_buy_id: string) => {
      const { media_buys } = await answer(release, 'get_media_buys', { media_buy_ids: [media_buy_id] })
      const { bid_price, bidding } = media_buys[0].packages[0]
      return { bid_price, bidding }
    }
    const bidding = { max_bid: 4 }
    const { media_buy_id, packages } = await answer('3.2', 'create_media_buy', bought({ bidding }))
    expect(packages[0]).toMatchObject({ bidding })
    expect(packages[0].bid_price).toBeUndefined()
    expect(await shownAt('3.2', media_buy_id)).toEqual({ bidding })
    for (const release of ['3.0', '3.1']) expect(await shownAt(release, media_buy_id)).toEqual({ bid_price: 4 })
    const change = (bid: object) => ({ media_buy_id, packages: [{ package_id: packages[0].package_id, ...bid }] })
    const updated = await answer('3.2', 'update_media_buy', change({ bidding: { max_bid: 5 } }))
    expect(updated.affected_packages[0].bidding).toEqual({ max_bid: 5 })
    await answer('3.0', 'update_media_buy', change({ bid_price: 6 }))
    expect(await shownAt('3.2', media_buy_id)).toEqual({ bid_price: 6 })
    const { revision, ext } = await answer('3.2', 'update_media_buy', change({ bidding: { automatic: true } }))
    expect(ext.notes.join()).toMatch(/^packages\[0\]\.bidding is automatic: the bid is /)
    expect(await shownAt('3.2', media_buy_id)).toEqual({ bidding: { automatic: true } })
    const automatic = (await shownAt('3.0', media_buy_id)).bid_price
    await ask('control_media_buy', { revision, ...change({ bidding: { max_bid: 7 } }) })
    expect(await shownAt('3.2', media_buy_id)).toEqual({ bidding: { max_bid: 7 } })
    const cleared = await answer('3.2', 'update_media_buy', change({ bidding: null }))
    expect(cleared.ext.notes.join()).toContain('packages[0].bidding is taken away: the bid is ')
    expect(await shownAt('3.2', media_buy_id)).toEqual({ bid_price: automatic })
  })

  test('the policies that packages take are declared at 3.2 alone', async () => {
    const features = async (release: string) => (await answer(release, 'get_adcp_capabilities', {})).media_buy.features
    expect((await features('3.2')).bidding_policy.package.fixed.modes).toEqual(['automatic', 'bid_amount', 'max_bid'])
    expect((await features('3.2')).bidding_policy.media_buy).toEqual((await features('3.2')).bidding_policy.package)
    expect((await features('3.1')).bidding_policy).toBeUndefined()
  })

  test('of the media buy is that of packages without one of their own, and stays where it was written', async () => {
    const bidding = { max_bid: 4 }
    const { feed_version } = await listed('ros_display')
    const purchases = [line, { ...line, bidding: { max_bid: 6 } }]
    const { media_buy_id, revision, accepted_proposal } = await ask('buy_products', {
      feed_version,
      purchases,
      ...FLIGHT,
      bidding,
    })
    expect(accepted_proposal.commercial_terms).toMatchObject({ bidding, purchases: [{}, { bidding: { max_bid: 6 } }] })
    const bidsAt = async (release: string) => {
      const [buy] = (await answer(release, 'get_media_buys', { media_buy_ids: [media_buy_id] })).media_buys
      const packages = buy.packages.map(
        (pkg: { bid_price?: number; bidding?: object }) => pkg.bidding ?? pkg.bid_price ?? 'inherited',
      )
      return { bidding: buy.bidding, packages }
    }
    expect(await bidsAt('3.2')).toEqual({ bidding, packages: ['inherited', { max_bid: 6 }] })
    expect(await bidsAt('3.0')).toEqual({ bidding: undefined, packages: [4, 6] })
    const control = await ask('control_media_buy', { media_buy_id, revision, bidding: { max_bid: 5 } })
    expect(control.ext.notes).toContain('Bidding is {"max_bid":5}.')
    expect(await bidsAt('3.0')).toEqual({ bidding: undefined, packages: [5, 6] })
    const same = await answer('3.2', 'update_media_buy', { media_buy_id, bidding: { max_bid: 5 } })
    expect(same.revision).toBe(control.revision)
    expect(await refused('3.0', 'update_media_buy', changeOfFirst(media_buy_id, { bid_price: 5 }))).toMatchObject({
      code: 'AMBIGUOUS_BIDDING_POLICY',
      field: 'packages[0].bid_price',
    })
    await answer('3.2', 'update_media_buy', { media_buy_id, bidding: null })
    const { packages } = await bidsAt('3.0')
    expect(packages[0]).not.toBe(5)
    expect(await bidsAt('3.2')).toEqual({ bidding: undefined, packages: [packages[0], { max_bid: 6 }] })
  })

  const changeOfFirst = (media_buy_id: string, bid: object) => ({
    media_buy_id,
    packages: [{ package_id: `${media_buy_id}-1`, ...bid }],
  })

  test('of the media buy is refused where a package cannot have it, and beside amounts of 3.0', async () => {
    const bought = (bidding: object, more: object = {}) => ({
      brand: account.brand,
      packages: [{ ...line, ...more }],
      ...FLIGHT,
      bidding,
    })
    expect(await refused('3.2', 'create_media_buy', bought({ bid_amount: 4 }))).toMatchObject({
      code: 'BIDDING_PLACEMENT_CONFLICT',
      field: 'bidding.bid_amount',
      message: expect.stringContaining('packages[0]'),
    })
    expect(await refused('3.2', 'create_media_buy', bought({ max_bid: 3_000_000 }))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'bidding.max_bid',
    })
    const { media_buy_id } = await answer('3.0', 'create_media_buy', { ...created(4), bidding: undefined })
    expect(await refused('3.2', 'update_media_buy', { media_buy_id, bidding: { max_bid: 5 } })).toMatchObject({
      code: 'AMBIGUOUS_BIDDING_POLICY',
      field: 'bidding',
    })
  })
})
