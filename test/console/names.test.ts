import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { banner } from '../tasks/creative/creative-agent.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let base: string
let id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { name: 'News page' })])
  person = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
  base = `/console/t/${agent.tenant}`
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1', { name: 'Spring banner' })] })
  const creative_assignments = [{ creative_id: 'c-1' }]
  const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1234, creative_assignments }]
  id = String((await agent.create({ packages })).data.media_buy_id)
})
afterAll(() => agent.stop())

it('the page of an order has the names of what was bought, pictures of creatives, and what each act means', async () => {
  const { text } = await person.get(`${base}/orders/${id}`)
  for (const shown of ['News page', 'Spring banner', 'class="thumb" src="https://', 'c/o']) expect(text).toContain(shown)
  expect((await person.get(`${base}/orders/${id}/cancel`)).text).toContain('it cannot be resumed')
  expect((await person.get(`${base}/orders/${id}/pause`)).text).toContain('The end of the flight stays as it is')
  const bought = await person.get(`${base}/orders?buyer=buyer`)
  expect(bought.text).toContain('<option value="buyer" selected>')
})

it('the activity says which order a buyer placed, for how much and for which account', async () => {
  await agent.server.audit.settled()
  const { text } = await person.get(`${base}/activity?what=create_media_buy`)
  expect(text).toMatch(
    new RegExp(`placed an order <a href="${base}/orders/${id}">[^<]+</a> of \\$1,234.00 for [^<]+ c/o [^<]+ <small>${id}`),
  )
})

const DIRECT = {
  order_id: 'spring',
  name: 'Spring sale',
  product_id: 'news',
  priority: 'guaranteed',
  first: '2026-03-02',
  last: '2026-03-09',
  impressions: '5000',
  cpm: '4,5',
  currency: 'USD',
  image: 'https://cdn.brand.example/spring.png',
  click_url: 'https://brand.example/',
  width: '300',
  height: '250',
}

it('a direct order is entered, listed, paused, resumed and ended; one of the same id is refused, and what is wrong is named', async () => {
  await person.get(`${base}/direct-orders/new`)
  const wrong = await person.post(`${base}/direct-orders`, { ...DIRECT, impressions: '' })
  expect(wrong.text).toContain('a guaranteed line needs a goal')
  expect((await person.post(`${base}/direct-orders`, { ...DIRECT, last: '2026-02-01' })).text).toContain('is not after starts_at')
  await person.get(`${base}/direct-orders/new`)
  expect((await person.post(`${base}/direct-orders`, DIRECT)).location).toBe(`${base}/direct-orders/spring?done=added`)
  expect((await person.post(`${base}/direct-orders`, DIRECT)).text).toContain('there is a direct order spring already')
  expect((await person.get(`${base}/direct-orders`)).text).toContain('Spring sale')
  const { text } = await person.get(`${base}/direct-orders/spring`)
  for (const shown of ['line-1', 'of 5,000', 'End it for good']) expect(text).toContain(shown)
  for (const [act, state] of [
    ['paused', 'paused'],
    ['active', 'active'],
    ['ended', 'ended'],
  ] as const) {
    await person.post(`${base}/direct-orders/spring/${act}`)
    expect((await person.get(`${base}/direct-orders/spring`)).text).toMatch(
      new RegExp(`Spring sale <span class="badge \\w+">${state}`),
    )
  }
  expect((await person.post(`${base}/direct-orders/spring/active`)).text).toContain('has ended')
})
