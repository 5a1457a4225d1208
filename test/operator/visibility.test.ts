import { afterAll, beforeAll, expect, test } from 'vitest'
import { savePlacement } from '../../src/operator/placements/manage-placements.ts'
import { listProductVisibility } from '../../src/operator/products/visibility.ts'
import { agentClient } from '../support/client.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const cpa = {
  pricing_options: [{ pricing_option_id: 'cpa', pricing_model: 'cpa', currency: 'USD', fixed_price: 9, event_type: 'purchase' }],
}
const PRODUCTS = [
  productDocument('open'),
  productDocument('paused', {}, { status: 'paused' }),
  productDocument('gone', {}, { status: 'archived' }),
  productDocument('custom', {}, { visibility: 'custom' }),
  productDocument('mine', {}, { exclusive_to: ['buyer'] }),
  productDocument('theirs', {}, { visibility: 'custom', exclusive_to: ['other'] }),
  productDocument('secret', cpa as object),
  productDocument('ended', {}, { available_until: '2026-02-28' }),
  productDocument('expired', { expires_at: '2026-02-28T00:00:00Z' }),
  productDocument('last-day', {}, { available_until: '2026-03-01' }),
  productDocument('full', { delivery_type: 'guaranteed' }, { daily_capacity: 10 }),
  productDocument('placed', { placements: [{ placement_id: 'top' }, { placement_id: 'side' }] } as object),
]

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent(PRODUCTS)
  await agent.addBuyer({ principal: 'other' })
})
afterAll(() => agent?.stop())

async function rows(buyer?: string) {
  const operator = operatorBeside(agent, agent.server.clock)
  const { items } = await performAs(operator, agent.tenant, listProductVisibility, { ...(buyer !== undefined && { buyer }) })
  return new Map(items.map((each) => [each.product_id, each]))
}
async function seenBy(client: { call: MediaBuyAgent['buyer']['call'] }): Promise<readonly string[]> {
  const { data } = await client.call('get_products', { buying_mode: 'wholesale', pagination: { max_results: 100 } })
  return data.products.map((each: { product_id: string }) => each.product_id).toSorted()
}

test('a product is said to be seen by a buyer exactly where get_products has it', async () => {
  const said = [...(await rows('buyer'))].flatMap(([id, { seen }]) => (seen === 'yes' ? [id] : [])).toSorted()
  expect(await seenBy(agent.buyer)).toEqual(said)
  const everybody = [...(await rows())].flatMap(([id, { seen }]) => (seen === 'yes' ? [id] : [])).toSorted()
  expect(await seenBy(agentClient(agent.url, undefined))).toEqual(everybody)
})

test('each product says why buyers do not see or order it', async () => {
  const shown = [...(await rows()).values()].map(({ product_id: id, seen, buyable, reasons }) => [
    id,
    seen,
    buyable,
    reasons.map(({ code }) => code).join(),
  ])
  expect(shown).toEqual([
    ['open', 'yes', 'yes', ''],
    ['paused', 'no', 'no', 'paused'],
    ['gone', 'no', 'no', 'archived'],
    ['custom', 'partly', 'yes', 'needs_key'],
    ['mine', 'partly', 'yes', 'exclusive'],
    ['theirs', 'partly', 'yes', 'exclusive'],
    ['secret', 'partly', 'yes', 'no_public_view'],
    ['ended', 'yes', 'no', 'ended'],
    ['expired', 'yes', 'no', 'expired'],
    ['last-day', 'yes', 'yes', ''],
    ['full', 'yes', 'yes', ''],
    ['placed', 'yes', 'yes', ''],
  ])
})

test('the console says it in the list and on the page, for every buyer and for one', async () => {
  const ada = await signedIn(agent, 'ada', 'viewer')
  const base = `/console/t/${agent.tenant}/products`
  expect((await ada.get(base)).text).toContain('the last day of its sale was 2026-02-28: nobody can order it')
  expect((await ada.get(`${base}/theirs`)).text).toMatch(/Some buyers cannot see this because<\/p><ul><li>it is for other alone/)
  expect((await ada.get(`${base}/theirs?as=buyer`)).text).toContain('buyer cannot see this because')
  expect((await ada.get(`${base}/theirs?as=other`)).text).toContain('other sees it, and can order it')
  expect((await ada.get(`${base}/paused`)).text).toMatch(/Buyers cannot see this because<\/p><ul><li>it is paused/)
  expect((await ada.get(`${base}/open?as=nobody-there`)).text).toContain('Every buyer sees it, and can order it')
})

test('a product is said not to be shown only where every one of its placements is paused or over', async () => {
  const operator = operatorBeside(agent, agent.server.clock)
  const set = (placement: string, more: object) =>
    performAs(operator, agent.tenant, savePlacement, { placement, name: placement, ...more })
  const reasons = async () => (await rows()).get('placed')?.reasons.map(({ code }) => code)
  await set('top', { status: 'paused' })
  expect(await reasons()).toEqual([])
  await set('side', { available_until: '2026-02-28' })
  expect(await reasons()).toEqual(['closed_placements'])
  const ada = await signedIn(agent, 'bea', 'viewer')
  const { text } = await ada.get(`/console/t/${agent.tenant}/products/placed`)
  expect(text).toMatch(/notice warn"><p>Buyers can order this, but<\/p><ul><li>all of its placements are paused or over/)
  await set('side', { available_until: '2026-03-01' })
  expect(await reasons()).toEqual([])
})
