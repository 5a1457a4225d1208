import { expect, test } from 'vitest'
import { packagesOf, pricedOn } from '../../../src/domain/media-buy/proposal.ts'
import { pricingOption } from '../../../src/domain/product/negotiated-price.ts'
import type { PriceBreakdown } from '../../../src/domain/product/pricing-option.ts'
import type { Product } from '../../../src/domain/product/product.ts'
import type { Proposal } from '../../../src/domain/product/proposal.ts'
import { withSeasons } from '../../../src/domain/product/season.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const NOW = new Date('2026-11-29T12:00:00Z')
const IN = { startsAt: '2026-12-11T00:00:00.000Z', endsAt: '2026-12-25T00:00:00.000Z' }
const OUT = { startsAt: '2027-02-11T00:00:00.000Z', endsAt: '2027-02-25T00:00:00.000Z' }

function seasonal(price: number, percent: number): Product {
  const base = product('a')
  const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'EUR', fixed_price: price } as const
  const options = withSeasons([cpm], [{ id: 'christmas', from: '2026-12-01', until: '2026-12-31', percent }])
  return {
    ...base,
    id: 'a',
    offer: { ...base.offer, pricing_options: options },
    selling: { ...base.selling, discounts: [{ percent: 15 }] },
  }
}

/** What the adjustments of a breakdown come to (AdCP pricing-options/price-breakdown.json). */
function walked({ list_price: list, adjustments }: PriceBreakdown): number {
  return adjustments.reduce((price, { kind, rate, amount }) => {
    const change = typeof rate === 'number' ? price * rate : Number(amount)
    return kind === 'fee' ? price + change : price - change
  }, list)
}

test.each([
  [7, 20, 10, 7.56],
  [7.99, 17, 7.25, 8.6705],
  [0.0123, -33, 14.5, 0.007],
])('the breakdown of %d in a season (%d %%), less %d %%, comes to the price', (listed, percent, less, price) => {
  const option = pricingOption(seasonal(listed, percent), `cpm:season-christmas:less-${less}`, 'anybody')
  expect(option?.fixed_price).toBe(price)
  expect(option?.price_breakdown?.adjustments).toHaveLength(2)
  expect(option?.price_breakdown && walked(option.price_breakdown)).toBeCloseTo(price, 9)
})

const plan = (option: string, ext?: object): Proposal => ({
  proposal_id: 'p',
  name: 'Plan',
  proposal_status: 'committed',
  allocations: [{ product_id: 'a', allocation_percentage: 100, pricing_option_id: option }],
  ...(ext && { ext: { ...ext } }),
})
const products = new Map([['a', seasonal(7, 20)]])
const bought = (proposal: Proposal, flight: typeof IN) =>
  packagesOf(proposal, { total_budget: { amount: 5000, currency: 'EUR' } } as Parameters<typeof packagesOf>[1], {
    products,
    principalId: 'anybody',
    now: NOW,
    flight,
  }).map(({ pricing_option_id: id }) => id)

test('a plan without days is bought at the price of the days on which the order starts', () => {
  expect(bought(plan('cpm'), IN)).toEqual(['cpm:season-christmas'])
  expect(bought(plan('cpm'), OUT)).toEqual(['cpm'])
  expect(bought(plan('cpm:season-christmas'), OUT)).toEqual(['cpm'])
  expect(bought(plan('cpm:less-10'), IN)).toEqual(['cpm:season-christmas:less-10'])
  expect(bought(plan('cpm:season-christmas:less-10'), OUT)).toEqual(['cpm:less-10'])
})

test('a plan for days keeps their price, and the days that the seller chooses have theirs', () => {
  const flight = { start_date: '2026-12-11', end_date: '2026-12-24' }
  expect(bought(plan('cpm:season-christmas', { flight }), OUT)).toEqual(['cpm:season-christmas'])
  const [allocation] = pricedOn(plan('cpm'), { products, principalId: 'anybody', flight: IN }).allocations
  expect(allocation?.pricing_option_id).toBe('cpm:season-christmas')
})
