import { describe, expect, it } from 'vitest'
import { allocatedPackages } from '../../../src/domain/media-buy/proposal.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { proposalsFor } from '../../../src/domain/product/brief-proposals.ts'
import { budgetLimitOf } from '../../../src/domain/product/budget-limit.ts'
import { flatShareNotes } from '../../../src/domain/product/flat-shares.ts'
import { openProposal } from '../../../src/domain/product/open-plan.ts'
import { amountWords, priceWords } from '../../../src/domain/product/price-words.ts'
import type { PricingOption } from '../../../src/domain/product/pricing-option.ts'
import { flatPrice, mostSpend, type Product } from '../../../src/domain/product/product.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { draftProposal } from '../../../src/domain/product/proposals.ts'
import { createRanking } from '../../../src/domain/product/rank-products.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const NOW = new Date('2026-11-29T12:00:00Z')
const FLIGHT = { startsAt: '2026-12-11T00:00:00.000Z', endsAt: '2026-12-25T00:00:00.000Z' }

const cpm: PricingOption = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'EUR', fixed_price: 20 }
const flat: PricingOption = { pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'EUR', fixed_price: 4200 }
const daily: PricingOption = {
  pricing_option_id: 'day',
  pricing_model: 'time',
  currency: 'EUR',
  fixed_price: 300,
  parameters: { time_unit: 'day', min_duration: 1, max_duration: 30 },
}
const takeover: PricingOption = {
  ...daily,
  fixed_price: 4200,
  parameters: { time_unit: 'day', min_duration: 1, max_duration: 3 },
}

function sold(id: string, option: PricingOption, channel: NonNullable<Product['offer']['channels']>[number]): Product {
  const base = product(id)
  const name = `Sports ${id}`
  return { ...base, offer: { ...base.offer, name, channels: [channel], pricing_options: [option] } }
}

function proposed(brief: string, ...products: readonly Product[]) {
  const offered = new Map(products.map((each) => [each.id, each]))
  const read = readBrief(brief)
  const ranking = createRanking(buildIndex([...products]), read)
  const days = brief.includes('December')
    ? ({ first: '2026-12-11', last: '2026-12-24', source: 'brief', isOver: false } as const)
    : undefined
  const budget = budgetLimitOf({}, read.hints.budget)
  const proposals = proposalsFor(read, ranking, [], { products: offered, budget, days }, NOW)
  return { offered, proposals }
}

describe('a product with one price', () => {
  it.each([
    ['sports, EUR 20,000, December', flat, 4200],
    ['sports, EUR 17,000, December', flat, 4200],
    ['sports, EUR 30,000, December', daily, 4200],
    ['sports', flat, 4200],
  ])('gets no more of a plan for "%s" than it costs', (brief, option, price) => {
    const { offered, proposals } = proposed(brief, sold('a', cpm, 'display'), sold('b', option, 'olv'), sold('c', cpm, 'social'))
    const [plan] = proposals
    const total = plan?.total_budget_guidance?.recommended ?? 0
    const share = plan?.allocations.find(({ product_id: id }) => id === 'b')?.allocation_percentage ?? 0
    expect((total * share) / 100).toBeGreaterThanOrEqual(price)
    expect((total * share) / 100 - price).toBeLessThan(total / 100)
    expect(plan?.allocations.reduce((sum, each) => sum + each.allocation_percentage, 0)).toBe(100)
    expect(plan && flatShareNotes([plan], offered, undefined)).toEqual([])

    const packages = allocatedPackages(
      plan!,
      { amount: total, currency: 'EUR' },
      { products: offered, principalId: 'x', flight: FLIGHT },
    )
    expect(packages.find(({ product_id: id }) => id === 'b')?.budget).toBe(price)
    expect(packages.reduce((sum, { budget }) => sum + budget, 0)).toBeCloseTo(total, 6)
    // Whoever names the plan by its id has the same.
    const again = openProposal(plan!.proposal_id, { offered, plans: [], stored: undefined, now: NOW })
    expect(again?.total_budget_guidance).toEqual(plan?.total_budget_guidance)
  })

  it('is no part of a plan for days that it is not sold for', () => {
    const { proposals } = proposed(
      'sports, EUR 200,000, December',
      sold('a', cpm, 'display'),
      sold('b', takeover, 'olv'),
      sold('c', cpm, 'social'),
    )
    expect(proposals[0]?.allocations.map(({ product_id: id }) => id)).toEqual(['a', 'c'])
  })

  it('leaves over what nothing of a plan can take, and the plan says so', () => {
    const products = [sold('a', flat, 'display'), sold('b', { ...flat, fixed_price: 1200 }, 'olv')]
    const offered = new Map(products.map((each) => [each.id, each]))
    const shares = products.map(({ id }) => ({ productId: id, optionId: 'flat', percent: 50 }))
    const plan = draftProposal(shares, offered, { id: 'p', name: 'P', budget: { currency: 'EUR', target: 20_000 } }, NOW)
    expect(flatShareNotes([plan!], offered, undefined)).toEqual([
      'One price for the flight: p books a 4200 EUR, b 1200 EUR whatever the share; 14600 EUR of 20000 are left over.',
    ])
    const bought = { products: offered, principalId: 'x', flight: FLIGHT }
    const packages = allocatedPackages(plan!, { amount: 20_000, currency: 'EUR' }, bought)
    expect(packages.map(({ budget }) => budget)).toEqual([4200, 1200])
    // A total that does not pay them is split by shares, and refused by its packages.
    expect(allocatedPackages(plan!, { amount: 4000, currency: 'EUR' }, bought).map(({ budget }) => budget)).toEqual([2000, 2000])
  })

  it('costs the same whatever its share, beside which the others have the rest', () => {
    const products = [sold('a', flat, 'display'), sold('b', cpm, 'olv')]
    const offered = new Map(products.map((each) => [each.id, each]))
    const shares = [
      { productId: 'a', optionId: 'flat', percent: 60 },
      { productId: 'b', optionId: 'cpm', percent: 40 },
    ]
    const plan = draftProposal(shares, offered, { id: 'p', name: 'P', budget: { currency: 'EUR', target: 20_000 } }, NOW)
    expect(plan?.total_budget_guidance?.min).toBe(4200)
    expect(flatShareNotes([plan!], offered, undefined)).toEqual([
      'One price for the flight: p books a 4200 EUR whatever the share; the others have the rest.',
    ])
    const bought = { products: offered, principalId: 'x', flight: FLIGHT }
    const packages = allocatedPackages(plan!, { amount: 20_000, currency: 'EUR' }, bought)
    expect(packages.map(({ budget }) => budget)).toEqual([4200, 15_800])
  })
})

it('knows the most and the one price of an option', () => {
  const slots = { ...flat, parameters: { duration_hours: 24 } } as PricingOption
  expect([cpm, flat, daily, takeover, slots].map((option) => mostSpend(option))).toEqual([
    Number.POSITIVE_INFINITY,
    4200,
    9000,
    12_600,
    Number.POSITIVE_INFINITY,
  ])
  expect([cpm, flat, daily, slots].map((option) => mostSpend(option, FLIGHT))).toEqual([
    Number.POSITIVE_INFINITY,
    4200,
    4200,
    58_800,
  ])
  expect([cpm, flat, daily, slots].map((option) => flatPrice(option))).toEqual([undefined, 4200, undefined, undefined])
})

it.each([
  [cpm, '20 EUR CPM'],
  [{ ...cpm, pricing_model: 'cpc' }, '20 EUR CPC'],
  [{ ...cpm, pricing_model: 'vcpm' }, '20 EUR vCPM'],
  [flat, '4200 EUR flat'],
  [{ ...flat, parameters: { duration_hours: 24 } }, '4200 EUR per 24 hours'],
  [takeover, '4200 EUR per day (1 to 3 days)'],
  [{ ...takeover, parameters: { time_unit: 'week' } }, '4200 EUR per week'],
  [{ ...cpm, fixed_price: undefined, floor_price: 3 }, 'bid from 3 EUR CPM'],
])('a price says its unit: %j', (option, words) => {
  expect(amountWords(option)).toBe(words)
  expect(priceWords({ ...option, min_spend_per_package: 500 })).toBe(`${option.pricing_option_id} ${words} (min 500)`)
})
