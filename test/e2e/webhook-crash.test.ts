import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseJson } from '../../src/doors/http/parse-json.ts'
import { type PublishedJwk, readJwks } from '../../src/signing/jwk.ts'
import { registeredKeys } from '../../src/signing/keys.ts'
import { memoryReplayStore } from '../../src/signing/replay-store.ts'
import { operatorRevocations } from '../../src/signing/revocation.ts'
import { verifyWebhook } from '../../src/signing/webhook-verify.ts'
import { agentClient } from '../support/client.ts'
import { type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { CommandLine } from './command-line.ts'

const ROUNDS = 4
const BUYS = 20
const ENVIRONMENT = { SALES_AGENT_LOG_LEVEL: 'error' }
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())

const line = new CommandLine()
let key: string
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  key = (await line.json('init', '--demo')).key
})
afterAll(async () => {
  await line.close()
  await receiver.close()
})

/** Fails, breaks off, answers late, or takes it: in turn, so that every webhook meets several of them. */
function moody(_webhook: Received, response: ServerResponse, count: number): void {
  const moods = [
    () => response.writeHead(503).end(),
    () => response.destroy(),
    () => setTimeout(() => response.writeHead(200).end(), 150),
    () => response.writeHead(200).end(),
  ]
  moods[(count * 7 + Math.floor(count / 3)) % moods.length]?.()
}

test('kill -9 at random moments of buying and telling: every buy is told, the same way each time', async () => {
  receiver.answer(moody)
  const bought = new Map<string, string>()
  let keys: readonly PublishedJwk[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const server = await line.serve(['--sandbox'], ENVIRONMENT)
    keys = await keySetOf(server.origin)
    const buyer = agentClient(server.mcpUrl, key)
    const buy = async () => {
      const idempotencyKey = randomUUID()
      const reply = await buyer.call('create_media_buy', mediaBuy(idempotencyKey)).catch(() => undefined)
      if (reply) expect(reply.isError, JSON.stringify(reply.data)).toBe(false)
      if (reply) bought.set(idempotencyKey, reply.data.media_buy_id)
    }
    // The first call of a server that was not built makes its validators, which takes longer than all that follows.
    await buy()
    const calls = Array.from({ length: BUYS }, buy)
    // From the middle of the calls to the middle of the deliveries.
    await Promise.race([Promise.all(calls), sleep(30 + round * 150)])
    await sleep(round * 40)
    expect(await server.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    await Promise.all(calls)
  }
  expect(bought.size).toBeGreaterThan(BUYS)
  // Else nothing was under way when the servers were killed.
  const waiting = await line.json('webhooks', 'list', '--state', 'pending')
  expect(waiting.webhooks.length).toBeGreaterThan(0)

  receiver.answer((_webhook, response) => response.writeHead(200).end())
  const last = await line.serve(['--sandbox'], ENVIRONMENT)
  expect((await keySetOf(last.origin)).map(({ kid }) => kid)).toEqual(keys.map(({ kid }) => kid))
  // What a killed process was sending waits for the end of its lease.
  await nothingWaits()
  const stored = await agentClient(last.mcpUrl, key).call('get_media_buys', {
    status_filter: ['pending_creatives', 'pending_start', 'active'],
    pagination: { max_results: 100 },
  })
  const told = new Map<string, Received[]>()
  for (const webhook of receiver.received) {
    const id = webhook.body.result.media_buy_id
    told.set(id, [...(told.get(id) ?? []), webhook])
  }
  for (const { media_buy_id: id } of stored.data.media_buys) expect(told.has(id), `${id} was never told`).toBe(true)
  for (const id of bought.values()) expect(told.has(id), `${id} was never told`).toBe(true)
  for (const [id, webhooks] of told) {
    expect(new Set(webhooks.map(({ bytes }) => bytes.toString('hex'))).size, `${id} was told in two ways`).toBe(1)
  }
  await expectGenuine(keys)
}, 120_000)

async function keySetOf(origin: string): Promise<readonly PublishedJwk[]> {
  return readJwks(await (await fetch(`${origin}/.well-known/jwks.json`)).json()) ?? []
}

async function nothingWaits(): Promise<void> {
  for (let attempt = 0; attempt < 45; attempt++) {
    const { webhooks } = await line.json('webhooks', 'list', '--state', 'pending')
    if (webhooks.length === 0) return
    await sleep(1000)
  }
  throw new Error('webhooks are still waiting')
}

/** Every attempt carries a signature of its own that is valid at its time. */
async function expectGenuine(keys: readonly PublishedJwk[]): Promise<void> {
  const options = {
    keys: registeredKeys('https://seller.example/mcp', keys),
    replay: memoryReplayStore(),
    revocations: operatorRevocations(() => false),
    hasDuplicateKey: (body: Uint8Array) => parseJson(body) === undefined,
  }
  for (const { url, rawHeaders, bytes, headers } of receiver.received) {
    const created = Number(/created=(\d+)/.exec(String(headers['signature-input']))?.[1])
    await verifyWebhook({ method: 'POST', url, rawHeaders, body: bytes }, created, options)
  }
}

function mediaBuy(idempotencyKey: string): object {
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
    push_notification_config: { url: `${receiver.origin}/hook` },
  }
}
