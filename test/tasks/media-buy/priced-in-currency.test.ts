import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

/** A product with its prices in a currency. */
function pricedIn(currency: string, id: string) {
  const document = productDocument(id, { name: 'Display' })
  return { ...document, pricing_options: document.pricing_options.map((option) => ({ ...option, currency })) }
}

let agent: MediaBuyAgent
beforeAll(async () => {
  const euros = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => pricedIn('EUR', id))
  agent = await startMediaBuyAgent([...euros, pricedIn('USD', 'x'), pricedIn('SEK', 'y')])
})
afterAll(() => agent?.stop())

it.each([
  ['EUR', 'Not priced in EUR on this page: x, y; the rest is.'],
  ['USD', 'Priced in USD on this page: x; the rest is in other currencies.'],
  ['CHF', 'Nothing on this page is priced in CHF.'],
])('a budget in %s is answered by what is true of every product shown', async (currency, sentence) => {
  const args = { buying_mode: 'brief', brief: `display, ${currency} 20,000`, pagination: { max_results: 8 } }
  const { data } = await agent.buyer.call('get_products', { ...args, adcp_version: '3.1' })
  expect(data.products).toHaveLength(8)
  expect(data.ext.notes).toContain(sentence)
})
