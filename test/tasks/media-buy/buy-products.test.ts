import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { account, compactBuyer, FLIGHT, PRODUCT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('offers are bought as they were listed', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { ask, refused, listed, purchase, bought } = compactBuyer(() => agent)

  test.each([
    ['a version that nobody gave', {}, { feed_version: 'fv_zzzz_1' }, 'INVALID_REQUEST', 'feed_version'],
    ['an unknown price', { pricing_option_id: 'nope' }, {}, 'INVALID_REQUEST', 'purchases[0].pricing_option_id'],
    ['a budget below the minimum', { budget: 1 }, {}, 'BUDGET_TOO_LOW', 'purchases[0].budget'],
    ['no budget', { budget: undefined }, {}, 'UNSUPPORTED_FEATURE', 'purchases[0].budget'],
    ['another zone of caps', {}, { budget_cap_timezone: 'Europe/Berlin' }, 'UNSUPPORTED_FEATURE', 'budget_cap_timezone'],
    ['catalogs by id', { catalog_ids: ['c'] }, {}, 'UNSUPPORTED_FEATURE', 'purchases[0].catalog_ids'],
    ['another kind of bid', { bidding: { max_bid: 30 } }, {}, 'UNSUPPORTED_FEATURE', 'purchases[0].bidding.max_bid'],
    [
      'a total that the purchases exceed',
      {},
      { total_budget: { amount: 10, currency: 'USD' } },
      'BUDGET_EXCEEDED',
      'total_budget.amount',
    ],
  ])('%s is refused by name, and nothing is bought', async (_what, more, root, code, field) => {
    const before = (await ask('get_media_buys', {})).media_buys.length
    expect(await refused('3.2', 'buy_products', await purchase(more, root))).toMatchObject({ code, field })
    expect((await ask('get_media_buys', {})).media_buys).toHaveLength(before)
  })

  test('a purchase without a price, and one whose budget is no number, are told what its product has', async () => {
    const { products } = await listed()
    const [{ pricing_option_id, currency }] = products[0].pricing_options
    const ids = products[0].pricing_options.map((each: { pricing_option_id: string }) => each.pricing_option_id)
    const unpriced = await refused('3.2', 'buy_products', await purchase({ pricing_option_id: undefined }))
    expect(unpriced).toMatchObject({ field: 'purchases[0].pricing_option_id' })
    expect(unpriced.message).toContain(`${PRODUCT} has: ${ids.join(', ')}`)
    const { message } = await refused('3.2', 'buy_products', await purchase({ pricing_option_id, budget: '20000' }))
    expect(message).toContain(`${pricing_option_id} is in ${currency}`)
    const { message: unnamed } = await refused('3.2', 'buy_products', await purchase({ product_id: undefined }))
    expect(unnamed).toContain('list_products lists products')
    const { purchases, ...rest } = await purchase()
    for (const named of [
      { product_ids: [PRODUCT] },
      { product_id: PRODUCT },
      { products: [{ product_id: PRODUCT, budget: 20_000 }] },
    ]) {
      const misnamed = await refused('3.2', 'buy_products', { ...rest, ...named })
      expect(misnamed.message).toContain('did you mean purchases[].product_id')
      expect(misnamed.message).toContain(`${PRODUCT} has: ${ids.join(', ')}`)
    }
  })

  test('prices that the buyer states have to be those of the offer', async () => {
    const { products } = await listed()
    const [pricing] = products[0].pricing_options
    const { pricing_option_id } = pricing
    const dearer = { pricing_option_id, pricing: { ...pricing, fixed_price: 1 } }
    expect(await refused('3.2', 'buy_products', await purchase(dearer))).toMatchObject({
      field: 'purchases[0].pricing.fixed_price',
    })
    expect((await bought({ pricing_option_id, pricing })).status).toBe('completed')
  })

  test('a bid that was not sent is named as this task names it', async () => {
    const { feed_version, products } = await listed('ros_display')
    const { pricing_option_id } = products[0].pricing_options.find((each: object) => !('fixed_price' in each))
    const purchases = [{ product_id: 'ros_display', pricing_option_id, budget: 5000 }]
    const { ext } = await ask('buy_products', { feed_version, purchases, ...FLIGHT })
    expect(ext.notes.join()).toMatch(/^purchases\[0\]\.bidding was not sent: the bid is /)
  })

  test('an offer that changed since it was listed is not bought; others are', async () => {
    const stale = await purchase()
    const seed = { product_id: PRODUCT, fixture: { delivery_type: 'non_guaranteed', channels: ['olv'] } }
    await agent.control('seed_product', { ...seed, product_id: 'another_video' })
    expect((await ask('buy_products', stale)).status).toBe('completed')
    await agent.control('seed_product', seed)
    expect(await refused('3.2', 'buy_products', stale)).toMatchObject({
      code: 'CONFLICT',
      field: 'feed_version',
      recovery: 'correctable',
      message: expect.stringContaining(PRODUCT),
      details: { changed: [{ product_id: PRODUCT, pricing_options: expect.any(Array) }] },
    })
  })

  test('a key does not span the names of tasks', async () => {
    const idempotency_key = 'one-key-for-two-names'
    const order = await purchase()
    await ask('buy_products', { ...order, idempotency_key })
    const { products } = await listed()
    const packages = [{ product_id: PRODUCT, pricing_option_id: products[0].pricing_options[0].pricing_option_id, budget: 9000 }]
    expect(
      await refused('3.2', 'create_media_buy', { brand: account.brand, packages, ...FLIGHT, idempotency_key }),
    ).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  test('an offer that a person sells waits, and its task completes with the accepted terms', async () => {
    const { feed_version } = await listed('mobile_app_display')
    const wanted = { product_id: 'mobile_app_display', pricing_option_id: 'cpc_usd_fixed', budget: 5000 }
    const held = await ask('buy_products', { feed_version, purchases: [wanted], ...FLIGHT })
    expect(held).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
    const { services, store } = agent.server
    await approve({ ...services, store }, agent.tenant, held.task_id, [], new Date('2026-03-17T12:00:00Z'))
    const task = await ask('get_task_status', { task_id: held.task_id, include_result: true })
    expect(task).toMatchObject({ task_type: 'buy_products', result: { status: 'completed', media_buy_id: expect.any(String) } })
    const { media_buy_id: id, accepted_proposal: accepted } = task.result
    // What should have begun while it waited begins with the approval, in the accepted terms too.
    expect(accepted.commercial_terms).toMatchObject({
      start_time: '2026-03-17T12:00:00.000Z',
      purchases: [{ product_id: 'mobile_app_display', start_time: '2026-03-17T12:00:00.000Z' }],
    })
    expect(accepted.terms_digest).toBe(`sha256:${hash('sha256', canonicalize(accepted.commercial_terms) ?? '', 'base64url')}`)
    const { media_buys } = await ask('get_media_buys', { media_buy_ids: [id] })
    expect(media_buys[0].accepted_proposal).toEqual(accepted)
  })
})
