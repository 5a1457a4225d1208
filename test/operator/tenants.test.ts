import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { cancelOrder } from '../../src/operator/orders/change-order.ts'
import { addPublisher } from '../../src/operator/tenants/add-tenant.ts'
import { listTenants } from '../../src/operator/tenants/list-tenants.ts'
import { removePublisher } from '../../src/operator/tenants/remove-tenant.ts'
import { setPublisher } from '../../src/operator/tenants/tenant-acts.ts'
import { chainHead } from '../../src/store/audit/audit.ts'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { changeDirectOrder, enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs, setTenant } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let operator: OperatorContext
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { delivery_type: 'guaranteed' })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
})
afterAll(() => agent.stop())

it.each([
  ['https://news.example', 'is an address or a URL'],
  ['someone@news.example', 'is an address or a URL'],
  ['192.0.2.1', 'is no domain name'],
  ['co.uk', 'is an ending'],
  ['news.notatld', 'no ending of the internet'],
  ['', 'domain is required'],
])('a publisher does not live at %j', async (domain, why) => {
  await expect(performAs(operator, '', addPublisher, { publisher: 'wrong', domain })).rejects.toThrow(why)
})

it('a publisher is renamed, moved and made the default of public calls', async () => {
  await performAs(operator, '', addPublisher, { publisher: 'second', domain: 'Second.example' })
  await performAs(operator, '', setPublisher, {
    publisher: 'second',
    name: ' Zweite Zeitung ',
    domain: 'bücher.de',
    public: true,
  })
  expect(await listTenants(operator)).toMatchObject([
    { tenant: 'acme', public_default: false },
    { tenant: 'second', name: 'Zweite Zeitung', domain: 'xn--bcher-kva.de', public_default: true },
  ])
})

it('a publisher does not live where another one does, whichever door says so', async () => {
  const taken = 'domain acme.example is another publisher'
  await expect(performAs(operator, '', addPublisher, { publisher: 'third', domain: 'ACME.example' })).rejects.toThrow(taken)
  await expect(setTenant(operator, 'second', { domain: 'acme.example' })).rejects.toThrow(taken)
  await setTenant(operator, 'acme', { domain: 'acme.example' })
  expect((await listTenants(operator)).map(({ domain }) => domain)).toEqual(['acme.example', 'xn--bcher-kva.de'])
})

it('a publisher is removed when nothing runs any more, and nothing of it is left but its audit log', async () => {
  const { data } = await agent.create()
  await expect(performAs(operator, '', removePublisher, { publisher: 'second' })).rejects.toThrow('answers public calls')
  await expect(performAs(operator, '', removePublisher, { publisher: 'acme' })).rejects.toThrow(
    `orders of acme run, or will: ${data.media_buy_id}`,
  )
  await performAs(operator, 'acme', cancelOrder, { order: data.media_buy_id, reason: 'closing' })
  const creatives = [{ creative_id: 'a', width: 300, height: 250, html: '<b>x</b>' }]
  const flight = { starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-04-01T00:00:00Z' }
  const lines = [{ line_id: 'l', product_id: 'news', priority: 'standard', ...flight, creatives }]
  await enterDirectOrder(operator, 'acme', { name: 'order', text: JSON.stringify({ order_id: 'own', name: 'Own', lines }) })
  await expect(performAs(operator, '', removePublisher, { publisher: 'acme' })).rejects.toThrow(
    'orders of acme run, or will: own;',
  )
  await changeDirectOrder(operator, 'acme', 'own', 'ended')
  await performAs(operator, '', removePublisher, { publisher: 'acme' })
  expect((await listTenants(operator)).map(({ tenant }) => tenant)).toEqual(['second'])
  expect((await inspectStore(agent.server.store.read)).problems).toEqual([])
  await agent.server.audit.settled()
  expect((await chainHead(agent.server.store.read, 'acme')).seq).toBeGreaterThan(0)
  expect((await agent.buyer.call('get_media_buys', {})).isError).toBe(true)
  await expect(performAs(operator, '', removePublisher, { publisher: 'acme' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
})
