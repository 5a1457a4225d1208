import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { describe, expect, test } from 'vitest'
import { mediaBuyStatus } from '../../../src/domain/media-buy/lifecycle.ts'
import type { CreativeFacts, MediaBuy } from '../../../src/domain/media-buy/media-buy.ts'
import { applyUpdate, type UpdateContext } from '../../../src/domain/media-buy/update.ts'
import { NOW, plan, product, refusal } from '../../support/media-buy-fixtures.ts'

const products = new Map(['news', 'sport'].map((id) => [id, product(id)]))
const two = [
  { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 },
  { product_id: 'sport', pricing_option_id: 'cpm', budget: 500, end_time: '2026-03-10T00:00:00Z' },
]
const buy = plan({ packages: two }, [...products.values()])
const live: CreativeFacts = new Map([['mb-1', [{ creativeId: 'c', approval: 'approved', servesFrom: NOW.toISOString() }]]])

function update(current: MediaBuy, change: Partial<UpdateMediaBuyRequest>, context: Partial<UpdateContext> = {}) {
  return applyUpdate(
    current,
    { account: { account_id: 'acc' }, media_buy_id: 'mb', idempotency_key: '00000000-0000-4000-8000-000000000000', ...change },
    {
      actor: 'buyer',
      principalId: 'buyer',
      products,
      declare: () => undefined,
      keepsOf: () => undefined,
      creatives: live,
      spent: new Map(),
      now: NOW,
      timeZone: 'UTC',
      ...context,
    },
  )
}

const later = new Date('2026-03-05T00:00:00Z')

describe('decisions', () => {
  test('pause, resume and cancel, with revision and history', () => {
    const paused = update(buy, { paused: true }, { now: later }).buy
    expect(mediaBuyStatus(paused, live, later)).toBe('paused')
    expect(paused).toMatchObject({ revision: 2, packages: [{ terms: { running: false }, pastTerms: [{ running: true }] }, {}] })
    const resumed = update(paused, { paused: false, revision: 2 }, { now: later }).buy
    expect(mediaBuyStatus(resumed, live, later)).toBe('active')
    const canceled = update(resumed, { canceled: true, cancellation_reason: 'budget cut' }, { now: later }).buy
    expect(canceled.cancellation).toEqual({ canceledAt: later.toISOString(), canceledBy: 'buyer', reason: 'budget cut' })
    expect(canceled.packages.every((pkg) => !pkg.terms.running)).toBe(true)
    expect(canceled.history.map((entry) => entry.action)).toEqual(['created', 'paused', 'resumed', 'canceled'])
  })

  test('a cancellation affects every package that was live, paused or not, and none that was canceled before', () => {
    const paused = update(buy, { paused: true }).buy
    const pausedAlone = update(buy, { packages: [{ package_id: 'mb-2', paused: true }] }).buy
    for (const current of [buy, paused, pausedAlone])
      expect(update(current, { canceled: true }, { now: later }).affected).toEqual(['mb-1', 'mb-2'])
    const part = update(paused, { packages: [{ package_id: 'mb-1', canceled: true }] }).buy
    expect(update(part, { canceled: true }, { now: later }).affected).toEqual(['mb-2'])
  })

  test('a terminal buy takes no change: NOT_CANCELLABLE for cancel, INVALID_STATE for the rest', () => {
    const canceled = update(buy, { canceled: true }).buy
    expect(refusal(() => update(canceled, { canceled: true })).code).toBe('NOT_CANCELLABLE')
    expect(refusal(() => update(canceled, { paused: true })).code).toBe('INVALID_STATE')
    expect(refusal(() => update(canceled, { paused: false })).code).toBe('INVALID_STATE')
    expect(refusal(() => update(buy, { paused: true }, { now: new Date('2027-01-01') })).code).toBe('INVALID_STATE')
  })

  test('another revision is a conflict, before anything else', () => {
    expect(refusal(() => update(buy, { revision: 7, packages: [{ package_id: 'no' }] }))).toEqual({
      code: 'CONFLICT',
      field: 'revision',
    })
  })

  test('an update that changes nothing keeps the revision', () => {
    expect(update(buy, { paused: false })).toMatchObject({ buy: { revision: 1 }, affected: [] })
  })
})

describe('packages', () => {
  test('change budget, pacing, bid and goal as a new version of the order', () => {
    const { buy: next, affected } = update(
      buy,
      { packages: [{ package_id: 'mb-1', budget: 1200, pacing: 'asap', impressions: 5000 }] },
      { now: later },
    )
    expect(affected).toEqual(['mb-1'])
    expect(next.packages[0]).toMatchObject({
      terms: { from: later.toISOString(), budgetMicros: 1_200_000_000, pacing: 'asap', impressions: 5000 },
      pastTerms: [{ budgetMicros: 1_000_000_000, pacing: 'even' }],
    })
    expect(next.packages[1]).toEqual(buy.packages[1])
  })

  test('unknown ones are PACKAGE_NOT_FOUND and nothing of the update is applied', () => {
    const both = [
      { package_id: 'mb-1', budget: 1200 },
      { package_id: 'mb-9', paused: true },
    ]
    expect(refusal(() => update(buy, { packages: both }))).toEqual({ code: 'PACKAGE_NOT_FOUND', field: 'packages[1].package_id' })
    expect(buy.packages[0]?.terms.budgetMicros).toBe(1_000_000_000)
  })

  test('a budget cannot go below what was spent', () => {
    const spent = new Map([['mb-1', 600_000_000]])
    expect(refusal(() => update(buy, { packages: [{ package_id: 'mb-1', budget: 500 }] }, { spent })).code).toBe('BUDGET_TOO_LOW')
    expect(update(buy, { packages: [{ package_id: 'mb-1', budget: 600 }] }, { spent }).buy.revision).toBe(2)
  })

  test('pause on their own, and cancel for good', () => {
    const paused = update(buy, { packages: [{ package_id: 'mb-1', paused: true }] }).buy
    expect(paused.packages.map((pkg) => pkg.terms.running)).toEqual([false, true])
    const canceled = update(paused, { packages: [{ package_id: 'mb-1', canceled: true }] }).buy
    expect(canceled.cancellation).toBeUndefined()
    expect(refusal(() => update(canceled, { packages: [{ package_id: 'mb-1', canceled: true }] })).code).toBe('NOT_CANCELLABLE')
    expect(refusal(() => update(canceled, { packages: [{ package_id: 'mb-1', paused: false }] })).code).toBe('INVALID_STATE')
    expect(update(canceled, { packages: [{ package_id: 'mb-2', canceled: true }] }).buy.cancellation).toMatchObject({
      canceledBy: 'buyer',
    })
  })

  test('can be added while the buy runs', () => {
    const { buy: next, affected } = update(
      buy,
      { new_packages: [{ product_id: 'sport', pricing_option_id: 'cpm', budget: 50 }] },
      { now: later },
    )
    expect(affected).toEqual(['mb-3'])
    expect(next.packages[2]?.terms).toMatchObject({ startsAt: later.toISOString(), endsAt: buy.endsAt, running: true })
  })

  test('replace assignments, and keep what served before as history', () => {
    const { buy: next, assignments } = update(
      buy,
      { packages: [{ package_id: 'mb-1', creative_assignments: [{ creative_id: 'd', weight: 2 }] }] },
      { now: later },
    )
    expect(assignments.get('mb-1')).toEqual([{ creativeId: 'd', weight: 2 }])
    expect(next.packages[0]?.pastServing).toEqual([{ from: NOW.toISOString(), until: later.toISOString(), creativeId: 'c' }])
  })

  test('edit keywords one by one', () => {
    const add = {
      keyword_targets_add: [{ keyword: 'Shoes', match_type: 'broad' as const, bid_price: 1 }],
      negative_keywords_add: [{ keyword: 'free', match_type: 'exact' as const }],
    }
    const added = update(buy, { packages: [{ package_id: 'mb-1', ...add }] }).buy
    expect(added.packages[0]?.targetingOverlay).toEqual({
      keyword_targets: add.keyword_targets_add,
      negative_keywords: add.negative_keywords_add,
    })
    const removed = update(added, {
      packages: [{ package_id: 'mb-1', keyword_targets_remove: [{ keyword: 'shoes', match_type: 'broad' }] }],
    }).buy
    expect(removed.packages[0]?.targetingOverlay).toEqual({ negative_keywords: add.negative_keywords_add })
  })
})

describe('dates', () => {
  test('packages that share a bound move with the buy, the others stay', () => {
    const next = update(buy, { end_time: '2026-03-20T00:00:00Z' }).buy
    expect(next.packages.map((pkg) => pkg.terms.endsAt)).toEqual(['2026-03-20T00:00:00.000Z', '2026-03-10T00:00:00.000Z'])
    expect(refusal(() => update(buy, { end_time: '2026-03-08T00:00:00Z' })).code).toBe('INVALID_REQUEST')
  })

  test('the past cannot be moved or moved to', () => {
    expect(refusal(() => update(buy, { start_time: '2026-03-06T00:00:00Z' }, { now: later }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'start_time',
    })
    expect(refusal(() => update(buy, { end_time: '2026-03-04T00:00:00Z' }, { now: later }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'end_time',
    })
    expect(update(buy, { start_time: 'asap' }).buy.startsAt).toBe(NOW.toISOString())
  })
})

describe('flights that have a price', () => {
  const flat = { pricing_model: 'flat_rate', currency: 'USD', fixed_price: 300 } as const
  const screen = product('screen', {
    pricing_options: [
      { ...flat, pricing_option_id: 'flat' },
      { ...flat, pricing_option_id: 'slot', parameters: { type: 'dooh', duration_hours: 24 * 7 } },
      { ...flat, pricing_option_id: 'week', pricing_model: 'time', parameters: { time_unit: 'week' } },
    ],
  })
  const ordered = (pricing_option_id: string, budget: number) =>
    plan({ packages: [{ product_id: 'screen', pricing_option_id, budget }] }, [screen])
  const context = { products: new Map([['screen', screen]]) }
  const longer = { end_time: '2026-03-30T00:00:00Z' }

  test.each(['slot', 'week'])('%s: the budget covers every started week, also of a flight that becomes longer', (option) => {
    const before = ordered(option, 600)
    expect(refusal(() => update(before, longer, context)).code).toBe('BUDGET_TOO_LOW')
    expect(() => update(before, longer, context)).toThrow(/minimum of 1200 USD, the price of the flight 2026-03-02/)
    const packages = [{ package_id: 'mb-1', budget: 1200 }]
    expect(update(before, { ...longer, packages }, context).buy.endsAt).toBe('2026-03-30T00:00:00.000Z')
  })

  test('a flat price without a slot is for the flight as ordered, unless the publisher lengthens it', () => {
    const before = ordered('flat', 300)
    expect(refusal(() => update(before, longer, context))).toEqual({ code: 'INVALID_REQUEST', field: 'end_time' })
    expect(update(before, { end_time: '2026-03-10T00:00:00Z' }, context).buy.revision).toBe(2)
    expect(update(before, longer, { ...context, person: 'ann' }).buy.revision).toBe(2)
  })
})

test('what is sold for a price of the flight takes no first goal later, unless the publisher gives one', () => {
  const screen = product('screen', {
    pricing_options: [
      { pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 300 },
      {
        pricing_option_id: 'sold',
        pricing_model: 'flat_rate',
        currency: 'USD',
        fixed_price: 300,
        parameters: { type: 'dooh', estimated_impressions: 1000 },
      },
    ],
  })
  const context = { products: new Map([['screen', screen]]) }
  const goal = (impressions: number) => ({ packages: [{ package_id: 'mb-1', impressions }] })
  const ordered = (pricing_option_id: string) =>
    plan({ packages: [{ product_id: 'screen', pricing_option_id, budget: 300 }] }, [screen])
  // An order that was made before its product said what it delivers.
  const bare = ordered('flat')
  const packages = bare.packages.map((pkg) => {
    const { estimatedImpressions: _estimate, ...pricing } = pkg.pricing
    return { ...pkg, pricing }
  })
  const unsaid = { ...bare, packages }
  expect(refusal(() => update(unsaid, goal(1), context))).toEqual({ code: 'INVALID_REQUEST', field: 'impressions' })
  expect(() => update(unsaid, goal(1), context)).toThrow('has no goal of impressions; its price is for its flight')
  expect(update(unsaid, goal(1), { ...context, person: 'ann' }).buy.packages[0]?.terms.impressions).toBe(1)
  expect(update(ordered('sold'), goal(1000), context).buy.packages[0]?.terms.impressions).toBe(1000)
  expect(refusal(() => update(ordered('sold'), goal(1001), context)).field).toBe('impressions')
})

describe('the size of a media buy', () => {
  const large = (count: number) => ({
    product_id: 'news',
    pricing_option_id: 'cpm',
    budget: 1000,
    ext: { note: 'x'.repeat(100_000), count },
  })

  test('packages that come one request after another do not make it ever larger, and it can still be paused', () => {
    let current = buy
    for (let round = 0; round < 19; round++) current = update(current, { new_packages: [large(round)] }).buy
    expect(refusal(() => update(current, { new_packages: [large(19)] }))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'new_packages',
    })
    expect(update(current, { paused: true }, { now: later }).buy.paused).toBe(true)
  })

  test('nor do more packages than a media buy has', () => {
    const many = Array.from({ length: 199 }, () => two[0]!)
    expect(refusal(() => update(buy, { new_packages: many }))).toMatchObject({ code: 'INVALID_REQUEST', field: 'new_packages' })
    expect(update(buy, { new_packages: many.slice(1) }).buy.packages).toHaveLength(200)
  })

  test('of an order that is too large at once the refusal names its packages', () => {
    const packages = Array.from({ length: 21 }, (_, index) => large(index))
    expect(refusal(() => plan({ packages }, [...products.values()]))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages',
    })
  })
})
