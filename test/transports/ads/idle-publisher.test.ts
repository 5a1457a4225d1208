import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { changeDirectOrder, enterDirectOrder } from '../../support/direct-orders.ts'

const IMAGE = 'https://cdn.example/direct.png'
const ORDER = {
  order_id: 'idle',
  name: 'Idle',
  lines: [
    {
      line_id: 'line',
      product_id: 'news_homepage_display',
      starts_at: '2026-03-10T00:00:00Z',
      ends_at: '2026-03-14T00:00:00Z',
      impressions: 4_000,
      pacing: 'asap',
      creatives: [{ creative_id: 'image', width: 970, height: 250, image: { url: IMAGE }, click_url: 'https://shop.example/' }],
    },
  ],
}

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  operator = { ...operatorOn(publisher.server.store, publisher.config), clock: publisher.clock }
})
afterAll(() => publisher?.stop())

async function isShown(): Promise<boolean> {
  const { body } = await publisher.decide({ placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }] })
  return JSON.stringify(body).includes(IMAGE)
}
const change = (state: 'paused' | 'active') => changeDirectOrder(operator, publisher.tenant, 'idle', state)
/** Nobody asks for an ad; longer is the same, as what is in memory only grows older. */
const idle = () => sleep(1_500)

it('what was changed while nobody asked for an ad counts for the first request', async () => {
  await enterDirectOrder(operator, publisher.tenant, { name: 'order.json', text: JSON.stringify(ORDER) })
  await vi.waitFor(async () => expect(await isShown()).toBe(true), { timeout: 30_000, interval: 50 })
  await idle()
  await change('paused')
  expect(await isShown()).toBe(false)
  await idle()
  await change('active')
  expect(await isShown()).toBe(true)
})
