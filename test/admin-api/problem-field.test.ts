import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'

let agent: MediaBuyAgent
let call: AdminCall

beforeAll(async () => {
  const prices = ['EUR', 'USD'].map((currency) => ({
    pricing_option_id: currency.toLowerCase(),
    pricing_model: 'cpm' as const,
    currency,
    fixed_price: 10,
  }))
  const products = [
    productDocument('takeover', {}, { approval: 'manual' }),
    productDocument('two_currencies', { pricing_options: prices }),
  ]
  agent = await startMediaBuyAgent(products)
  const key = { tenantId: agent.tenant, name: 'robin', role: 'administrator' as const }
  call = adminClient(agent.url, (await createAdminKey(operatorBeside(agent, agent.server.clock), key)).token)
})
afterAll(() => agent.stop())

it('a problem of an approval names the parameter of its path', async () => {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  const task = String((await agent.create({ packages })).data.task_id)
  expect((await call('POST', `/approvals/${task}/approve`)).status).toBe(200)
  const again = await call('POST', `/approvals/${task}/reject`, { body: { reason: 'too late' } })
  expect([again.status, again.data.title, again.data.field]).toEqual([409, 'INVALID_STATE', 'approval'])
})

it('the page for browsers lists a price that needs a key once a currency', async () => {
  const page = await (await fetch(new URL('/', agent.url), { headers: { accept: 'text/html' } })).text()
  const prices = page.match(/CPM[^<,]*, price with a key/g) ?? []
  // USD is the currency of the other product too.
  expect(prices.toSorted()).toEqual(['EUR', 'USD', 'USD'].map((currency) => `CPM in ${currency}, price with a key`))
})
