import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const contracts = loadContracts()
const PACKAGES = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]

let agent: MediaBuyAgent
let receiver: WebhookReceiver
let sandbox: AgentClient
beforeAll(async () => {
  receiver = await startReceiver()
  const products = [productDocument('host-read', { format_ids: [] })]
  agent = await startMediaBuyAgent(products, { contracts, sandbox: true, webhooks: { limits: { pollMs: 20 } } })
  sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
})
afterAll(async () => {
  await agent?.stop()
  await receiver?.close()
})

const settled = async () => {
  agent.server.webhooks.scheduler.wake()
  await agent.server.webhooks.scheduler.idle()
  agent.server.webhooks.dispatcher.wake()
  await agent.server.webhooks.dispatcher.idle()
}
/** Statuses of the buy that an address was told, each event once: a delivery that was repeated has the same key. */
const statuses = (path: string) => {
  const events = new Map(receiver.at(path).map(({ body }) => [body.idempotency_key, body.result]))
  return [...events.values()].map((result) => result.media_buy_status ?? result.status)
}
/** Lets the clock run from a moment on until an address was told a status. */
const told = (path: string, status: string, from: string) => {
  let minutes = 0
  return vi.waitFor(
    async () => {
      // Deliveries that failed are due again later by this clock.
      agent.setClock(new Date(Date.parse(from) + minutes++ * 60_000).toISOString())
      await settled()
      expect(statuses(path)).toContain(status)
    },
    { timeout: 60_000, interval: 100 },
  )
}

/** Creates a buy whose webhook is at `before`, and changes it with one at `after`; then its flight begins and ends. */
async function lifeOfBuy(line: string, { before, after }: { readonly before: string; readonly after: string }) {
  agent.setClock('2026-03-01T12:00:00Z')
  const push = (path: string) => ({
    adcp_version: line,
    push_notification_config: { url: receiver.origin + path, operation_id: path.slice(1) },
  })
  const created = await agent.create({ ...push(before), packages: PACKAGES }, sandbox)
  await receiver.expect(before, 1)
  const changed = { ...push(after), media_buy_id: created.data.media_buy_id, end_time: '2026-03-11T00:00:00Z' }
  const updated = await agent.run('update_media_buy', changed, sandbox)
  expect(updated.isError, JSON.stringify(updated.data)).toBe(false)
  await receiver.expect(after, 1)
  const follower = line === '3.0' ? before : after
  await told(follower, 'active', '2026-03-02T00:00:00Z')
  await told(follower, 'completed', '2026-03-11T00:00:00Z')
}

it.each(contracts.lines.filter((line) => line !== '3.0'))(
  'the webhook of an update gets the events of the buy from then on under AdCP %s (webhooks page, "Mutability and rotation")',
  async (line) => {
    const paths = { before: `/before-${line}`, after: `/after-${line}` }
    await lifeOfBuy(line, paths)
    expect(statuses(paths.before)).toEqual(['pending_start'])
    expect(statuses(paths.after)).toEqual(['pending_start', 'active', 'completed'])
  },
)

it('the webhook of an update of 3.0 is about the update alone', async () => {
  await lifeOfBuy('3.0', { before: '/creation', after: '/update' })
  expect(statuses('/creation')).toEqual(['pending_start', 'active', 'completed'])
  expect(statuses('/update')).toHaveLength(1)
})
