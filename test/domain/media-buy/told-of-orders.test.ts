import { expect, test } from 'vitest'
import { aheadNote, aheadWords } from '../../../src/domain/media-buy/cancellation-ahead.ts'
import type { CancellationPolicy } from '../../../src/domain/media-buy/cancellation-policy.ts'
import type { Accepted, Purchase } from '../../../src/domain/media-buy/commercial-terms.ts'
import type { MediaBuy } from '../../../src/domain/media-buy/media-buy.ts'
import { presentCreated } from '../../../src/domain/media-buy/present.ts'
import { NOW, plan, product } from '../../support/media-buy-fixtures.ts'

const policy: CancellationPolicy = {
  notice_period: { interval: 7, unit: 'days' },
  cancellation_fee: { type: 'percent_remaining', rate: 0.25 },
}
const purchase = {
  product_id: 'news',
  pricing: { currency: 'EUR' },
  start_time: '2026-12-10T00:00:00.000Z',
  budget: 1000,
  ext: { cancellation_policy: policy },
} as unknown as Purchase

test('the notice of a plan names no moment that may be over when it is booked', () => {
  expect(aheadWords([purchase], '2026-12-01T00:00:00.000Z')).toBe(
    'cancelling news once it is booked and 2026-12-03T00:00:00.000Z has come costs 25% of the largest commitment since then less spend, at most 250 EUR',
  )
  expect(aheadWords([purchase], '2026-12-06T00:00:00.000Z')).toBe(
    'cancelling news once it is booked and its start is less than 7 days away costs 25% of the largest commitment since then less spend, at most 250 EUR',
  )
})

test('an order that waits says what cancelling it will cost', () => {
  const [pkg] = plan().packages
  if (!pkg) throw new Error('a plan has a package')
  const [note, ...others] = aheadNote([{ ...pkg, cancellationPolicy: policy }, pkg], NOW)
  expect(note).toMatch(
    /^Until it is booked nothing is owed; then cancelling news once it is booked and .* costs 25% of the largest commitment since then less spend, at most .* USD\.$/,
  )
  expect(others).toEqual([])
  expect(aheadNote([pkg], NOW)).toEqual([])
})

const created = (buy: MediaBuy, products = [product('news')]) =>
  presentCreated(buy, {
    creatives: new Map(),
    now: NOW,
    account: undefined,
    sandbox: false,
    idempotencyKey: 'key',
    rules: { policy: { approvalAboveMicros: 1_500_000_000 }, products: new Map(products.map((each) => [each.id, each])) },
  })
const actionsOf = (answer: object): string[] =>
  (Reflect.get(answer, 'available_actions') as { action: string }[]).map(({ action }) => action)

test('a change of caps is offered where a package can have one', () => {
  const { targeting } = product('news').selling
  const uncapped = product('news', {}, { targeting: { ...targeting, frequencyCap: false } })
  expect(actionsOf(created(plan()))).toContain('update_frequency_caps')
  expect(actionsOf(created(plan(), [uncapped]))).not.toContain('update_frequency_caps')
})

test('the condition of an accepted order names no action that its answers do not list', () => {
  const conditional = (buy: MediaBuy) => Reflect.get(created(buy).ext ?? {}, 'conditional_actions')?.actions ?? []
  expect(conditional(plan())).toContain('add_packages')
  expect(conditional({ ...plan(), accepted: {} as Accepted })).not.toContain('add_packages')
})
