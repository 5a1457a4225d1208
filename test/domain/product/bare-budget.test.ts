import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { budgetAsked } from '../../../src/domain/product/ask-of-budget.ts'
import { bareBudgetOf } from '../../../src/domain/product/brief-money.ts'

test.each([
  ['budget 15000', 15_000],
  ['a budget of 15,000', 15_000],
  ['total: 15k please', 15_000],
  ['1.5m in total', 1_500_000],
  ['set the budget to 20 000', 20_000],
])('"%s" is a budget in the currency of the plan, and says so', (text, amount) => {
  const ask = readAsk(text)
  expect(ask).toMatchObject({ budget: { amount }, unread: [] })
  const { target, done } = budgetAsked(ask, { recommended: 1, currency: 'EUR' }, () => true)
  expect([target, done]).toEqual([amount, [`planned for ${amount} EUR (the currency of the plan: ${amount} names none)`]])
})

test.each([
  'budget for 2027',
  'budget 2027',
  'a total of 3 products',
  'total 5000 impressions',
  'budget +10%',
  'EUR 5000',
  'budget 200/day',
])('"%s" names no budget without a currency', (text) => {
  expect(bareBudgetOf(text)).toBeUndefined()
})
