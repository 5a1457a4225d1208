import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { changeOrders } from '../../src/operator/order-list/change-several.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { cancelOrder } from '../../src/operator/orders/change-order.ts'
import { changeDirectOrder, enterDirectOrder, showDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
})
afterAll(() => agent?.stop())

async function enter(order_id: string): Promise<void> {
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-08T00:00:00Z', ends_at: '2026-03-20T00:00:00Z' }
  const line = { line_id: 'one', product_id: 'news', priority: 'standard', ...flight, creatives }
  const text = JSON.stringify({ order_id, name: order_id, advertiser: 'Nordic Coffee', currency: 'USD', lines: [line] })
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text })
}

const BY_ACTION = { pause: 'paused', resume: 'active', end: 'ended', cancel: 'canceled' } as const

it('a direct order says what can be done to it, and just that is not refused', async () => {
  const seen: Record<string, readonly string[]> = {}
  for (const state of ['active', 'paused', 'ended', 'completed']) {
    now = new Date('2026-03-01T12:00:00.000Z')
    await enter(state)
    if (state === 'paused' || state === 'ended') await changeDirectOrder(operator, agent.tenant, state, state)
    if (state === 'completed') now = new Date('2026-03-21T00:00:00.000Z')
    const shown = await showDirectOrder(operator, agent.tenant, state)
    seen[state] = shown.possible_actions
    const changed = ['pause', 'resume', 'end', 'cancel'] as const
    const other = changed.filter((action) => !seen[state]?.includes(action) && BY_ACTION[action] !== shown.state)
    for (const action of other)
      await expect(changeDirectOrder(operator, agent.tenant, state, BY_ACTION[action]), `${action} of ${state}`).rejects.toThrow(
        /./,
      )
  }
  expect(seen).toEqual({
    active: ['change', 'pause', 'end', 'cancel'],
    paused: ['change', 'resume', 'end', 'cancel'],
    ended: [],
    completed: ['change'],
  })
})

it('an order of the list says whether it can be paused and resumed with others', async () => {
  now = new Date('2026-03-01T12:00:00.000Z')
  const [live, over] = [String((await agent.create()).data.media_buy_id), String((await agent.create()).data.media_buy_id)]
  await performAs(operator, agent.tenant, cancelOrder, { order: over, reason: 'by mistake' })
  await enter('held')
  const { items } = await performAs(operator, agent.tenant, listOrders, {})
  const changeable = Object.fromEntries(items.map((order) => [order.order_id, order.changeable]))
  expect(changeable).toMatchObject({ [live]: true, [over]: false, held: true, ended: false })
  const { changed } = await performAs(operator, agent.tenant, changeOrders, {
    orders: [live, over, 'held', 'ended'],
    state: 'paused',
  })
  expect(changed.map(({ order }) => order)).toEqual([live, 'held'])
})
