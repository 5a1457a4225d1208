import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { changeOrders } from '../../src/operator/order-list/change-several.ts'
import { showOrder } from '../../src/operator/orders/show-order.ts'
import { changeProducts } from '../../src/operator/products/change-several.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { changeDirectOrder, enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let ann: ConsoleClient
let viewer: ConsoleClient
let base: string
let seq = 0

beforeAll(async () => {
  agent = await startMediaBuyAgent(['news', 'sport', 'video'].map((id) => productDocument(id)))
  operator = operatorBeside(agent, agent.server.clock)
  ann = await signedIn(agent, 'ann', 'ad_operations', agent.tenant)
  viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
  base = `/console/t/${agent.tenant}`
})
beforeEach(async () => {
  await logged()
})
afterAll(() => agent.stop())

/** What the audit log has since it was read last, oldest first. */
async function logged() {
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 100 })
  const newer = entries.filter((entry) => entry.seq > seq).toReversed()
  seq = entries[0]?.seq ?? seq
  return newer.filter(({ task }) => /^(?:orders|products|direct-orders)\./.test(task)).map(({ task, subject }) => [task, subject])
}

const order = async () => String((await agent.create()).data.media_buy_id)
const codes = (refused: readonly { readonly code: string; readonly message: string }[]) => refused.map(Object.values)

it('orders are paused one by one: each is answered and logged by itself, stale and ended ones are told', async () => {
  const [one, two, stale, over] = [await order(), await order(), await order(), await order()]
  await ann.post(`${base}/orders/${two}/pause`, { revision: '1' })
  await ann.post(`${base}/orders/${stale}/extend`, { revision: '1', until: '2099-12-01' })
  await ann.post(`${base}/orders/${over}/cancel`, { revision: '1', reason: 'by mistake' })
  await logged()
  const asked = { orders: [one, two, stale, over, 'none', one], state: 'paused', reason: 'redesign' }
  const { changed, refused } = await performAs(operator, agent.tenant, changeOrders, {
    ...asked,
    revisions: { [one]: 1, [stale]: 1 },
  })
  expect(changed).toEqual([{ order: one, status: 'paused' }])
  expect(codes(refused)).toEqual([
    [two, 'INVALID_STATE', 'it is paused already'],
    [stale, 'CONFLICT', 'revision is 1, the order is at 2: look at it again, and then make the change'],
    [over, 'INVALID_STATE', expect.stringContaining('canceled')],
    ['none', 'REFERENCE_NOT_FOUND', expect.stringContaining('there is no order "none"')],
  ])
  expect(await logged()).toEqual([['orders.pause', one]])
  const { text } = await ann.get(`${base}/orders/${one}`)
  expect(text).toContain('redesign')
  const resumed = await performAs(operator, agent.tenant, changeOrders, { orders: [one, two], state: 'active' })
  expect(resumed).toEqual({
    changed: [one, two].map((id) => ({ order: id, status: expect.not.stringMatching('paused') })),
    refused: [],
  })
})

it('direct orders are among them', async () => {
  const line = {
    line_id: 'a',
    product_id: 'news',
    priority: 'standard',
    starts_at: '2030-03-08T00:00:00Z',
    ends_at: '2030-03-20T00:00:00Z',
  }
  const creative = { creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.brand.example/a.png' } }
  const document = { order_id: 'spring', name: 'Spring', advertiser: 'Garden', lines: [{ ...line, creatives: [creative] }] }
  await enterDirectOrder(operator, agent.tenant, { name: 'spring.json', text: JSON.stringify(document) })
  await expect(performAs(operator, agent.tenant, showOrder, { order: 'spring' })).rejects.toThrow(
    'order "spring" was entered by your people, not bought: direct-orders show',
  )
  await logged()
  const act = (state: string, revisions: object = {}) =>
    performAs(operator, agent.tenant, changeOrders, { orders: ['spring'], state, revisions })
  expect(codes((await act('active')).refused)).toEqual([['spring', 'INVALID_STATE', 'it is not paused already']])
  expect(codes((await act('paused', { spring: 7 })).refused)).toEqual([['spring', 'CONFLICT', 'it has revision 1 by now, not 7']])
  expect(await act('paused', { spring: 1 })).toEqual({ changed: [{ order: 'spring', status: 'paused' }], refused: [] })
  expect(await logged()).toEqual([['direct-orders.pause', 'spring']])
  await changeDirectOrder(operator, agent.tenant, 'spring', 'ended')
  expect((await act('active')).refused).toMatchObject([{ code: 'INVALID_STATE' }])
})

it('more than 50 orders, more than 200 products and none are refused before anything is done', async () => {
  const many = Array.from({ length: 201 }, (_, index) => `p${index}`)
  const run = (act: typeof changeOrders | typeof changeProducts, members: Readonly<Record<string, unknown>>) =>
    performAs(operator, agent.tenant, act as typeof changeOrders, members).catch((error: Error) => error.message)
  expect(await run(changeOrders, { orders: many.slice(0, 51), state: 'paused' })).toBe('orders must be a list of 1 to 50 orders')
  expect(await run(changeProducts, { products: many, state: 'archived' })).toBe('products must be a list of 1 to 200 products')
  expect(await run(changeOrders, { orders: [], state: 'paused' })).toBe('orders must be a list of 1 to 50 orders')
})

it('products leave the sale and come back, each by itself', async () => {
  const act = (state: string, ...products: string[]) => performAs(operator, agent.tenant, changeProducts, { products, state })
  const { changed, refused } = await act('archived', 'sport', 'none', 'video')
  expect(changed).toEqual(['sport', 'video'].map((product) => ({ product, status: 'archived', orders: 0 })))
  expect(codes(refused)).toEqual([['none', 'REFERENCE_NOT_FOUND', expect.stringContaining('there is no product "none"')]])
  expect(codes((await act('archived', 'sport')).refused)).toEqual([['sport', 'INVALID_STATE', 'it is off sale already']])
  expect(await logged()).toEqual(['sport', 'video'].map((id) => ['products.archive', id]))
  expect((await act('active', 'sport')).changed).toEqual([{ product: 'sport', status: 'active', orders: 0 }])
  expect(codes((await act('active', 'news')).refused)).toEqual([['news', 'INVALID_STATE', 'it is on sale already']])
})

it('in the console the list has a box a row, and says which rows stayed as they are; who comes back has the view of before', async () => {
  const [one, two] = [await order(), await order()]
  const list = await ann
    .get(`${base}/orders?status=active&status=pending_start`)
    .then(() => ann.get(`${base}/orders?buyer=buyer`))
  expect(list.text).toContain(`name="id" value="${one}"`)
  expect(list.text).toContain(`name="seen:${one}" value="1"`)
  expect((await viewer.get(`${base}/orders`)).text).not.toContain('name="id"')
  const chosen = (client: ConsoleClient, ids: readonly string[], state: string) =>
    client.postAll(`${base}/orders/chosen`, [
      ...ids.flatMap((id) => [['id', id] as const, [`seen:${id}`, '1'] as const]),
      ['state', state],
      ['view', 'buyer=buyer'],
    ])
  const done = await chosen(ann, [one], 'paused')
  expect([done.status, done.headers.get('location')]).toEqual([303, `${base}/orders?buyer=buyer&done=paused`])
  const bob = await signedIn(agent, 'bob', 'ad_operations', agent.tenant)
  const late = await chosen(bob, [one, two], 'paused')
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringMatching(/1 of 2 done[\s\S]*revision is 1[\s\S]*ann Example paused/),
  ])
  expect((await chosen(viewer, [two], 'active')).status).toBe(403)
  const products = await ann.postAll(`${base}/products/chosen`, [
    ['id', 'news'],
    ['id', 'sport'],
    ['state', 'archived'],
    ['view', ''],
  ])
  expect([products.status, products.headers.get('location')]).toEqual([303, `${base}/products?done=archived`])
})
