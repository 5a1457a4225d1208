import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

/** A message that was leased by a process that died is sent when its lease is over (features/notifications/dispatcher.ts). */
const WITHIN_MS = 180_000
const ACCOUNT = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true }

const line = new CommandLine({ SALES_AGENT_LOG_LEVEL: 'error' })
let receiver: WebhookReceiver
let server: Served
let key: string

beforeAll(async () => {
  key = (await line.json('init', '--demo')).key
  receiver = await startReceiver()
  server = await line.serve(['--sandbox'])
  await addPerson()
  await line.json('notifications', 'set', 'webhook', '--person', 'robin', '--address', `${receiver.origin}/robin`)
  await line.json('approvals', 'policy', 'set', '--task', 'create_media_buy', '--when', 'always')
}, 120_000)
afterAll(async () => {
  await line.close()
  await receiver.close()
})

/** Robin joins by an invitation, as people do. */
async function addPerson(): Promise<void> {
  const { link, token } = await line.json('people', 'invite', '--role', 'administrator')
  const path = `/console/join/${token ?? String(link).split('/').at(-1)}`
  const page = await fetch(server.origin + path)
  const cookie = page.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const body = new URLSearchParams({ csrf, username: 'robin', name: 'Robin', password: 'correct horse battery staple' })
  const headers = { Cookie: cookie, Origin: server.origin }
  const joined = await fetch(server.origin + path, { method: 'POST', body, headers, redirect: 'manual' })
  expect(joined.status, await joined.text()).toBe(303)
}

async function order(): Promise<string> {
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 2000 }]
  const request = { idempotency_key: randomUUID(), account: ACCOUNT, brand: ACCOUNT.brand, start_time, end_time, packages }
  const { data } = await agentClient(server.mcpUrl, key).call('create_media_buy', request)
  expect(data.status, JSON.stringify(data)).toBe('submitted')
  return data.task_id
}

const idsOf = (webhooks: WebhookReceiver['received']) => webhooks.map(({ body }) => body.idempotency_key)

test('kill -9 while a message is on its way: it arrives after the restart, under the same id, and no other is sent for it', async () => {
  // The receiver is silent, so that the attempt is under way when the process dies.
  receiver.answer(() => undefined)
  const task = await order()
  const [first] = await receiver.expect('/robin', 1, WITHIN_MS)
  expect(first?.body.items.map(({ subject }: { subject: string }) => subject)).toEqual([task])
  await server.end('SIGKILL')
  receiver.answer((_webhook, response) => response.writeHead(200).end())
  server = await line.serve(['--sandbox'])
  const arrived = await receiver.expect('/robin', 2, WITHIN_MS)
  expect(new Set(idsOf(arrived)).size).toBe(1)
  expect(arrived.map(({ body }) => body.items[0].subject)).toEqual([task, task])

  // The receiver is away, so that a message is pending when the process dies.
  receiver.answer((_webhook, response) => response.writeHead(503).end())
  const second = await order()
  await receiver.expect('/robin', 3, WITHIN_MS)
  await server.end('SIGKILL')
  receiver.answer((_webhook, response) => response.writeHead(200).end())
  const before = receiver.at('/robin').length
  server = await line.serve(['--sandbox'])
  const all = await receiver.expect('/robin', before + 1, WITHIN_MS)
  const ofSecond = all.filter(({ body }) => body.items[0].subject === second)
  expect(new Set(idsOf(ofSecond)).size).toBe(1)
  expect(new Set(idsOf(all)).size).toBe(2)
  const { items } = await line.json('notifications', 'sent')
  expect(items.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'delivered'])
}, 600_000)
