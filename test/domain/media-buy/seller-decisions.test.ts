import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveredAt } from '../../../src/ad-serving/simulator/simulated-delivery.ts'
import { bareMediaBuy } from '../../../src/domain/media-buy/bare-media-buy.ts'
import { deliveryOf, servingWindows } from '../../../src/domain/media-buy/delivery.ts'
import { mediaBuyStatus, TRANSITIONS } from '../../../src/domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../../src/domain/media-buy/media-buy.ts'
import { recordSpendUpTo } from '../../../src/domain/media-buy/record-delivery.ts'
import { bringTo } from '../../../src/domain/media-buy/seller-decisions.ts'
import type { MediaBuyStatus } from '../../../src/domain/product/media-buy-status.ts'
import { NOW, plan, refusal } from '../../support/media-buy-fixtures.ts'

const statuses = Object.keys(TRANSITIONS) as MediaBuyStatus[]
const none = new Map()
const status = (buy: MediaBuy, now: Date) => mediaBuyStatus(buy, none, now)
const decide = (buy: MediaBuy, to: MediaBuyStatus, now = NOW) => bringTo(buy, to, { creatives: none, actor: 'seller', now }).buy
const spent = (buy: MediaBuy, now: Date) => {
  const [pkg] = buy.packages
  return deliveredAt({ ...pkg!, terms: [...pkg!.pastTerms, pkg!.terms], serving: servingWindows(pkg!) }, now.getTime())
    .spendMicros
}

describe('the seller brings a buy into a status', () => {
  test('wherever the life cycle leads, and nowhere else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...statuses), fc.integer({ min: 0, max: 3 * 86_400_000 })), { maxLength: 8 }),
        (steps) => {
          let buy = plan()
          let at = NOW.getTime()
          for (const [wanted, wait] of steps) {
            at += wait
            const now = new Date(at)
            const before = status(buy, now)
            const legal = TRANSITIONS[before].includes(wanted) || (before === wanted && TRANSITIONS[before].length > 0)
            if (legal) {
              buy = decide(buy, wanted, now)
              expect(status(buy, now)).toBe(wanted)
            } else {
              expect(refusal(() => decide(buy, wanted, now)).code).toBe(
                wanted === 'canceled' ? 'NOT_CANCELLABLE' : 'INVALID_STATE',
              )
            }
          }
        },
      ),
    )
  })

  test('an early start delivers from then on, and an early end stops it', () => {
    const active = decide(plan(), 'active')
    expect(spent(active, NOW)).toBe(0)
    const later = new Date(NOW.getTime() + 86_400_000)
    expect(spent(active, later)).toBeGreaterThan(0)
    const completed = decide(active, 'completed', later)
    expect(spent(completed, new Date('2027-01-01'))).toBe(spent(active, later))
  })

  test('a bare buy can be given any status that a new one can reach', () => {
    for (const to of TRANSITIONS.pending_creatives) {
      const buy = bareMediaBuy({
        mediaBuyId: 'mb',
        accountId: 'acc',
        actor: 'seller',
        brand: { domain: 'brand.example' },
        currency: 'EUR',
        budgetMicros: 1_000_000_000,
        startsAt: '2026-03-02T00:00:00.000Z',
        endsAt: '2026-04-02T00:00:00.000Z',
        now: NOW,
      })
      expect(status(decide(buy, to), NOW)).toBe(to)
    }
  })
})

test('spend is topped up to a share of the budget, never beyond what was asked', () => {
  const buy = plan({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 333.33 }] })
  const most = recordSpendUpTo(buy, deliveryOf(buy, []), 95, NOW)
  expect(deliveryOf(most, []).total).toMatchObject({ spendMicros: 316_660_000, impressions: 31_666 })
  const all = recordSpendUpTo(most, deliveryOf(most, []), 100, NOW)
  expect(deliveryOf(all, []).total.spendMicros).toBe(333_330_000)
  expect(recordSpendUpTo(all, deliveryOf(all, []), 50, NOW)).toEqual(all)
})
