import { expect, test } from 'vitest'
import type { CreativeFact, MediaBuy, Package } from '../../../src/domain/media-buy/media-buy.ts'
import { waitsFor } from '../../../src/domain/media-buy/waits-for.ts'
import { NOW, plan } from '../../support/media-buy-fixtures.ts'

const RUNNING = new Date('2026-03-05T00:00:00Z')
const { confirmedAt: _confirmed, ...planned } = plan()

const fact = (change: Partial<CreativeFact>): CreativeFact => ({ creativeId: 'c', ...change }) as CreativeFact
const order = (change: Partial<MediaBuy>, pkg: Partial<Package> = {}): MediaBuy => ({
  ...planned,
  ...change,
  packages: planned.packages.map((each) => ({ ...each, ...pkg })),
})
const [first] = planned.packages
const told = (buy: MediaBuy, facts: readonly CreativeFact[], now = RUNNING) =>
  waitsFor(buy, new Map([[first?.packageId ?? '', facts]]), now)

const CONFIRMED = { confirmedAt: NOW.toISOString() }
const approved = fact({ approval: 'approved' })

test.each([
  ['an order that the ad server has not approved', order({}), [approved], 'ad_server_approval', /approve it/],
  ['a creative that waits for review', order(CONFIRMED), [fact({ approval: 'pending_review' })], 'creative_review', /review/],
  [
    'a creative that waits for its buyer',
    order(CONFIRMED),
    [fact({ approval: 'pending_review', awaitsBuyer: true })],
    'creatives',
    /wait for you/,
  ],
  ['a creative that was rejected', order(CONFIRMED), [fact({ approval: 'rejected' })], 'creatives', /rejected.*assign others/],
  ['a creative that is not in the library', order(CONFIRMED), [fact({})], 'creatives', /not in your library/],
  ['no creative', order(CONFIRMED), [], 'creatives', /no creative is assigned/],
  ['a paused package', order(CONFIRMED, { paused: true }), [approved], 'resume', /packages\[\]\.paused false/],
  ['a paused order', order({ ...CONFIRMED, paused: true }), [approved], 'resume', /it is paused/],
])('%s is waited for', (_what, buy, facts, kind, words) => {
  expect(told(buy, facts)).toEqual([expect.objectContaining({ for: kind, message: expect.stringMatching(words) })])
})

test('of several creatives the one that can still come is told', () => {
  const facts = [fact({ approval: 'rejected' }), fact({ approval: 'pending_review' })]
  expect(told(order(CONFIRMED), facts).map((wait) => wait.for)).toEqual(['creative_review'])
})

test('an order that is over waits for nothing', () => {
  expect(told(order(CONFIRMED), [], new Date('2027-01-01T00:00:00Z'))).toEqual([])
})
