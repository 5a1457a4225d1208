import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, compactBuyer, FLIGHT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('caps on what a day costs', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, listed } = compactBuyer(() => agent)
  const line = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 600 }
  const order = (root: object, pkg: object = {}) => ({
    brand: account.brand,
    packages: [line, { ...line, ...pkg }],
    ...FLIGHT,
    ...root,
  })
  const capsOf = async (media_buy_id: string) => {
    const [buy] = (await ask('get_media_buys', { media_buy_ids: [media_buy_id], include_history: 9 })).media_buys
    const { daily_budget_cap: all, budget_cap_timezone: zone } = buy
    const packages = buy.packages.map((pkg: { daily_budget_cap?: number }) => pkg.daily_budget_cap)
    return { all, zone, packages, history: buy.history.map(({ summary }: { summary: string }) => summary) }
  }

  test('are in the answers, and a change replaces them or takes them away', async () => {
    const created = await answer('3.2', 'create_media_buy', order({ daily_budget_cap: 50 }, { daily_budget_cap: 20 }))
    expect(created).toMatchObject({ daily_budget_cap: 50, budget_cap_timezone: 'UTC', packages: [{}, { daily_budget_cap: 20 }] })
    const { media_buy_id, packages } = created
    expect(await capsOf(media_buy_id)).toMatchObject({ all: 50, zone: 'UTC', packages: [undefined, 20] })
    const change = (root: object, pkg?: object) => ({
      media_buy_id,
      ...root,
      ...(pkg && { packages: [{ package_id: packages[1].package_id, ...pkg }] }),
    })
    const updated = await answer('3.2', 'update_media_buy', change({ daily_budget_cap: 80 }, { daily_budget_cap: 30 }))
    expect(updated).toMatchObject({ daily_budget_cap: 80, budget_cap_timezone: 'UTC' })
    const changed = await capsOf(media_buy_id)
    expect(changed).toMatchObject({ all: 80, packages: [undefined, 30] })
    expect(changed.history).toEqual(expect.arrayContaining(['Media buy: daily cap 80 USD', 'Package: daily cap 30 USD']))
    const control = { revision: updated.revision, ...change({ daily_budget_cap: null }, { daily_budget_cap: null }) }
    expect((await ask('control_media_buy', control)).ext.notes).toContain('The media buy has no daily cap any more.')
    const { history, ...none } = await capsOf(media_buy_id)
    expect(none).toEqual({ all: undefined, zone: undefined, packages: [undefined, undefined] })
    expect(history).toEqual(expect.arrayContaining(['Media buy: no daily cap any more', 'Package: no daily cap any more']))
    const same = await answer('3.2', 'update_media_buy', change({ daily_budget_cap: null }))
    expect(same.revision).toBe((await answer('3.2', 'update_media_buy', change({ daily_budget_cap: null }))).revision)
  })

  test('are in the terms of a purchase', async () => {
    const { feed_version } = await listed('ros_display')
    const purchases = [{ ...line, bidding: { max_bid: 5 }, daily_budget_cap: 20 }]
    const { accepted_proposal } = await ask('buy_products', { feed_version, purchases, ...FLIGHT, daily_budget_cap: 50 })
    expect(accepted_proposal.commercial_terms).toMatchObject({
      daily_budget_cap: 50,
      budget_cap_timezone: 'UTC',
      purchases: [{ daily_budget_cap: 20 }],
    })
  })

  test('are refused with another zone, and are declared at 3.2 alone', async () => {
    const zoned = order({ daily_budget_cap: 5, budget_cap_timezone: 'Europe/Berlin' })
    expect(await refused('3.2', 'create_media_buy', zoned)).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'budget_cap_timezone',
      message: expect.stringContaining('days of caps are those of UTC'),
    })
    const declared = async (release: string) => (await answer(release, 'get_adcp_capabilities', {})).media_buy.budget_capping
    expect(await declared('3.2')).toMatchObject({ supported_scopes: ['media_buy', 'package'], fixed_timezone: 'UTC' })
    expect(await declared('3.1')).toBeUndefined()
  })
})
