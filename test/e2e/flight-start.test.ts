import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const BUYS = 1000
const AT_ONCE = 16

let agent: MediaBuyAgent
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  const products = [productDocument('host-read', { format_ids: [] }, { daily_capacity: 1_000_000_000 })]
  agent = await startMediaBuyAgent(products, { sandbox: true })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

test(`${BUYS} flights that begin in the same second are active and told, each once`, async () => {
  const buyer = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
  const request = {
    packages: [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 10 }],
    push_notification_config: { url: `${receiver.origin}/flights` },
  }
  const ids = new Set<string>()
  let left = BUYS
  const worker = async () => {
    while (left-- > 0) {
      const { data } = await agent.create(request, buyer)
      ids.add(data.media_buy_id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(ids.size).toBe(BUYS)
  await receiver.expect('/flights', BUYS, 60_000)

  // A jump of the clock ends leases: nothing may be on its way.
  await agent.server.webhooks.dispatcher.idle()

  agent.setClock('2026-03-02T00:00:00Z')
  const told = (await receiver.expect('/flights', 2 * BUYS, 60_000)).slice(BUYS)
  expect(new Set(told.map(({ body }) => body.result.media_buy_id))).toEqual(ids)
  expect(new Set(told.map(({ body }) => body.result.status))).toEqual(new Set(['active']))
}, 180_000)
