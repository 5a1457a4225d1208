import { afterAll, beforeAll, expect, it } from 'vitest'
import { pricingOf, rateOf } from '../../src/domain/media-buy/pricing.ts'
import { addBuyer } from '../../src/operator/buyers/add-buyer.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { showProductPrices } from '../../src/operator/products/product-prices.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 20 } as const
const bid = { pricing_option_id: 'bid', pricing_model: 'cpm', currency: 'USD', floor_price: 4 } as const
const clearing = { ...bid, pricing_option_id: 'clearing', max_bid: true, price_guidance: { p50: 6.5 } } as const
const { price_guidance: _guide, ...unguided } = { ...clearing, pricing_option_id: 'unguided' } as const
const { floor_price: _floor, ...open } = { ...clearing, pricing_option_id: 'open' } as const

beforeAll(async () => {
  const discounts = [{ percent: 10 }, { percent: 25, min_budget: 50_000, buyers: ['other'] }]
  const news = productDocument('news', { pricing_options: [cpm, bid, clearing, unguided, open] }, { discounts })
  agent = await startMediaBuyAgent([news, productDocument('own', { pricing_options: [cpm] }, { exclusive_to: ['other'] })])
  operator = operatorBeside(agent, agent.server.clock)
  await performAs(operator, agent.tenant, addBuyer, { buyer: 'other', name: 'Other' })
})
afterAll(() => agent?.stop())

const prices = (product: string, more: object = {}) => performAs(operator, agent.tenant, showProductPrices, { product, ...more })
const first = async (more: object) => {
  const { prices: rows } = await prices('news', more)
  return rows[0] && [rows[0].price, rows[0].granted_option_id, rows[0].min_spend]
}

it('a buyer gets the discount that reaches it at its budget, and the answer says which rule', async () => {
  expect(await first({})).toEqual([18, 'cpm:less-10', null])
  expect(await first({ buyer: 'other', budget: 49_999 })).toEqual([18, 'cpm:less-10', null])
  expect(await first({ buyer: 'other', budget: 50_000 })).toEqual([15, 'cpm:less-25', 50_000])
  const { prices: rows } = await prices('news', { buyer: 'other', budget: 50_000 })
  expect(rows[0]).toMatchObject({ listed: 20, fixed: true, currency: 'USD' })
  expect(rows[0]?.why).toEqual([
    'listed at 20 USD',
    '10 % less for every buyer: a larger discount reaches the buyer',
    '25 % less from a budget of 50000 USD for other: granted when the buyer asks for a lower price',
  ])
  expect((await prices('news', { buyer: 'buyer' })).prices[0]?.why.at(-1)).toBe(
    '25 % less from a budget of 50000 USD for other: not for buyer',
  )
  expect((await prices('news', { buyer: 'other' })).prices[0]?.why.at(-1)).toMatch(/: from that budget on$/)
  expect(rows[1]).toMatchObject({ fixed: false, listed: 4, price: 4, granted_option_id: 'bid' })
})

it('of an auction, the answer says by which rule a line is charged', async () => {
  const { prices: rows } = await prices('news')
  const discounts = 'discounts are for fixed prices'
  expect(rows.slice(1).map(({ why }) => why)).toEqual([
    [`an auction from 4 USD, first price: the bid is charged; ${discounts}`],
    [
      `an auction from 4 USD, clearing price: the bid is a ceiling, charged is 6.5 USD (p50) or the bid where that is less; ${discounts}`,
    ],
    [`an auction from 4 USD, clearing price: no median (p50) is published, so that the bid is charged; ${discounts}`],
    [
      `an auction without a floor, clearing price: the bid is a ceiling, charged is 6.5 USD (p50) or the bid where that is less; ${discounts}`,
    ],
  ])
  for (const [option, bidPrice, charged] of [
    [clearing, 9, 6.5],
    [clearing, 5, 5],
    [unguided, 9, 9],
    [bid, 9, 9],
  ] as const)
    expect(rateOf(pricingOf(option, 'p'), { amount: bidPrice, member: 'bid_price' }, 'p').rateMicros).toBe(charged * 1e6)
})

it('what is shown is what get_products grants the buyer who asks, and what can be bought', async () => {
  const refine = [{ scope: 'product', product_id: 'news', action: 'include', ask: 'lower CPM' }]
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine })
  const granted = data.products[0].pricing_options.find(
    ({ pricing_option_id: id }: { pricing_option_id: string }) => id === 'cpm:less-10',
  )
  const [shown] = (await prices('news', { buyer: 'buyer' })).prices
  expect([granted.fixed_price, granted.pricing_option_id]).toEqual([shown?.price, shown?.granted_option_id])
  const packages = [{ product_id: 'news', pricing_option_id: shown?.granted_option_id, budget: 900 }]
  expect((await agent.create({ packages })).isError).toBe(false)
})

it('who is not offered the product is named, and so are buyers and products that are not there', async () => {
  expect((await prices('own', { buyer: 'buyer' })).offered).toBe(false)
  expect((await prices('own', { buyer: 'other' })).offered).toBe(true)
  await expect(prices('news', { buyer: 'nobody' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'buyer' })
  await expect(prices('none')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
})

it('the page of the product shows it for a buyer and a budget', async () => {
  const ada = await signedIn(agent, 'ada', 'viewer', agent.tenant)
  const path = `/console/t/${agent.tenant}/products/news`
  const { text } = await ada.get(`${path}?as=other&budget=60000`)
  const panel = text.split('<h2>Price for a buyer</h2>')[1] ?? ''
  for (const said of ['cpm:less-25', '$15.00', '$20.00', '25 % less from a budget of 50000 USD for other: granted'])
    expect(panel).toContain(said)
  expect((await ada.get(`${path}?budget=many`)).text).toContain('budget must be a whole number')
})
