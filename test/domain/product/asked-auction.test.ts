import { expect, it } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { demoProducts } from '../../support/demo-products.ts'

const wishes = (ask: string) => readAsk(ask).wishes.map(({ label }) => label)

it.each(['fewer auction banners', 'less of the auction', 'swap the auction for the display', 'cut the auction by half'])(
  '"%s" does not want what is auctioned alone',
  (ask) => {
    expect(wishes(ask)).toEqual([])
  },
)

it.each(['auction only', 'the auction, please', 'only non-guaranteed'])('"%s" does', (ask) => {
  expect(wishes(ask)).toEqual(['non-guaranteed delivery'])
})

it('a bid is no budget, and no share of a plan', () => {
  const { budget, changes, wishes: wished, unread } = readAsk('raise the auction bid to 4 EUR')
  expect({ budget, changes, wished }).toEqual({ budget: undefined, changes: [], wished: [] })
  expect(unread).toEqual(['raise the auction bid to 4 EUR'])
})

it('"only in" two countries keeps what runs in one of them', () => {
  const [wish] = readAsk('only in Sweden and Norway').wishes
  const [product] = demoProducts()
  if (!wish || !product) throw new Error('there is a wish, and a product')
  const inCountries = (countries: string[]) =>
    wish.satisfies({ ...product, selling: { ...product.selling, coverage: { countries } } }, () => true)
  expect([['SE'], ['NO'], ['SE', 'DK'], ['US', 'CA']].map(inCountries)).toEqual([true, true, true, false])
})
