import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { budgetAsked } from '../../../src/domain/product/ask-of-budget.ts'
import { forecastAt } from '../../../src/domain/product/forecast-budget.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const { offer } = product('a')
const price = { pricing_option_id: 'a', pricing_model: 'cpm', currency: 'EUR' } as const

test('at a fixed price no more is forecast than the money buys; an auction may be cheaper', () => {
  const fixed = forecastAt(offer, { ...price, fixed_price: 20 }, 5000)?.metrics.impressions
  expect(fixed).toEqual({ low: 237_500, mid: 250_000, high: 250_000 })
  const auction = forecastAt(offer, { ...price, floor_price: 20 }, 5000)?.metrics.impressions
  expect(auction).toEqual({ low: 200_000, mid: 250_000, high: 300_000 })
})

test('an amount that a plan is made for is said to the cent', () => {
  const asked = budgetAsked(readAsk('a budget of 5319.89 EUR'), { recommended: 9000, currency: 'EUR' }, () => false)
  expect(asked).toMatchObject({ target: 5319.89, done: ['planned for 5319.89 EUR'] })
})
