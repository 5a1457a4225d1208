import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { webhooksCommand } from '../../src/cli/webhooks.ts'
import type { AgentClient } from '../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let agent: MediaBuyAgent
let receiver: WebhookReceiver
let sandbox: AgentClient

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news')], { sandbox: true, webhooks: { limits: { pollMs: 20 } } })
  sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

/** Runs the command on the data folder of the running server, as a second process would. */
async function run(...args: string[]) {
  const written = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    await webhooksCommand().parseAsync([...args, '--data', agent.config.data, '--json'], { from: 'user' })
    return JSON.parse(String(written.mock.calls[0]?.[0]))
  } finally {
    written.mockRestore()
  }
}

test('a refused webhook is listed, shown without secrets, and sent again', async () => {
  receiver.answer((_webhook, response) => response.writeHead(404).end())
  const token = 'validation-token-of-the-buyer'
  await agent.create({ push_notification_config: { url: `${receiver.origin}/hook`, token } }, sandbox)
  await receiver.expect('/hook', 1)
  await agent.server.webhooks.dispatcher.idle()

  const { items: webhooks } = await run('list', '--state', 'dead')
  expect(webhooks).toMatchObject([{ event: 'create_media_buy completed', principal: 'tester', attempts: 1, last_status: 404 }])
  const shown = await run('show', webhooks[0].delivery_id)
  expect(shown).toMatchObject({ authentication: 'rfc9421', body: { task_type: 'create_media_buy' } })
  expect(JSON.stringify(shown)).not.toContain(token)

  receiver.answer((_webhook, response) => response.writeHead(200).end())
  await run('redeliver', webhooks[0].delivery_id)
  const [first, second] = await receiver.expect('/hook', 2)
  expect(second?.bytes).toEqual(first?.bytes)
  await agent.server.webhooks.dispatcher.idle()
  expect((await run('list')).items).toMatchObject([{ state: 'delivered' }])
})

test('an unknown webhook is named as such', async () => {
  await expect(run('show', 'whd_none')).rejects.toThrow('there is no webhook whd_none')
  await expect(run('redeliver', 'whd_none')).rejects.toThrow('there is no webhook whd_none')
})
