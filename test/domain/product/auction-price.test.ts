import { expect, it } from 'vitest'
import { buyerPrices } from '../../../src/domain/product/buyer-price.ts'
import { answerPrice } from '../../../src/domain/product/negotiated-price.ts'
import type { PricingOption } from '../../../src/domain/product/pricing-option.ts'
import { demoProducts } from '../../support/demo-products.ts'

const bid: PricingOption = { pricing_option_id: 'bid', pricing_model: 'cpm', currency: 'USD', floor_price: 4 }
const clearing: PricingOption = { ...bid, pricing_option_id: 'clearing', max_bid: true, price_guidance: { p50: 6.5 } }
const open: PricingOption = { pricing_option_id: 'open', pricing_model: 'cpm', currency: 'USD' }

it('who asks for a lower price of an auction is told the rule that charges, in the words of the price panel', () => {
  const product = demoProducts()[0]
  if (!product) throw new Error('the demo has no product')
  const auctions = { ...product, offer: { ...product.offer, pricing_options: [bid, clearing, open] } }
  const terms = { buyer: undefined, budget: undefined }
  const told = [bid, clearing, open].map(
    (option) => answerPrice(auctions, option, { kind: 'lower', text: 'cheaper' }, terms).failed,
  )
  expect(told).toEqual([
    `${product.id}: bid is an auction from 4 USD, first price: the bid is charged`,
    `${product.id}: clearing is an auction from 4 USD, clearing price: the bid is a ceiling, charged is 6.5 USD (p50) or the bid where that is less`,
    `${product.id}: open is an auction without a floor, first price: the bid is charged`,
  ])
  for (const [at, { reasons }] of buyerPrices(auctions, terms).entries()) {
    const [first = ''] = reasons
    expect(told[at]).toContain(first.slice(0, first.indexOf('; discounts')))
  }
})
