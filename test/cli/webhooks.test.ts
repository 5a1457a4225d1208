import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auditCommand } from '../../src/cli/audit.ts'
import { webhooksCommand } from '../../src/cli/webhooks.ts'
import type { AgentClient } from '../support/client.ts'
import { insertCopies } from '../support/grow/insert-copies.ts'
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
const run = (...args: string[]) => printed(webhooksCommand(), ...args)

async function printed(command: Command, ...args: string[]) {
  const written = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    await command.parseAsync([...args, '--data', agent.config.data, '--json'], { from: 'user' })
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

test('webhooks and the audit log come by pages, each entry once, also those of one moment', async () => {
  const buy = await agent.create({ push_notification_config: { url: `${receiver.origin}/pages` } }, sandbox)
  expect(buy.isError).toBe(false)
  await agent.server.webhooks.dispatcher.idle()
  const { store } = agent.server
  const [model] = await store.read.selectFrom('webhook_outbox').selectAll().limit(1).execute()
  if (!model) throw new Error('there is no webhook to copy')
  const copies = Array.from({ length: 7 }, (_empty, n) => ({
    delivery_id: `whd_page_${n}`,
    idempotency_key: `whk_page_${n}`,
    ordering_key: `page/${n}`,
  }))
  await store.transaction((tx) => insertCopies(tx, 'webhook_outbox', { ...model, state: 'dead' }, copies))
  await agent.server.audit.settled()
  for (const [command, words, id] of [
    [webhooksCommand, ['--state', 'dead'], 'delivery_id'],
    [auditCommand, [], 'seq'],
  ] as const) {
    const whole = await printed(command(), 'list', ...words, '--limit', '200')
    expect(whole.items.length).toBeGreaterThan(1)
    const seen: unknown[] = []
    let cursor: string | null = null
    for (let page = 0; page < 20 && (page === 0 || cursor !== null); page += 1) {
      const on: string[] = cursor === null ? [] : ['--cursor', cursor]
      const { items, next_cursor: next } = await printed(command(), 'list', ...words, '--limit', '2', ...on)
      seen.push(...items.map((item: Record<string, unknown>) => item[id]))
      cursor = next
    }
    expect(seen).toEqual(whole.items.map((item: Record<string, unknown>) => item[id]))
  }
})

test('an unknown webhook is named as such', async () => {
  await expect(run('show', 'whd_none')).rejects.toThrow('there is no webhook whd_none')
  await expect(run('redeliver', 'whd_none')).rejects.toThrow('there is no webhook whd_none')
})
