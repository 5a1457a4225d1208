import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { type AgentClient, agentClient } from '../support/client.ts'

const ROUNDS = 3
const BUYS = 120
const IN_FLIGHT = 12
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** A retry is the same request, so the dates are chosen once. */
const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const EVERY_STATUS = ['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled']
const ENVIRONMENT = { SALES_AGENT_LOG_LEVEL: 'error' }

const line = new CommandLine()
let key: string
beforeAll(async () => {
  await line.json('init', '--demo')
  await line.json('buyers', 'add', 'buyer')
  key = (await line.json('keys', 'create', '--buyer', 'buyer')).token
})
afterAll(() => line.close())

test('kill -9 during a burst: every acknowledged media buy exists once, no other twice, and the first repetition of each is answered', async () => {
  const known = new Map<string, string>()
  let cutOff = 0
  for (let round = 0; round < ROUNDS; round++) {
    const keys = Array.from({ length: BUYS }, () => randomUUID())
    const acknowledged = await burstAndKill(await start(), keys, 20 + round * 25)
    cutOff += keys.length - acknowledged.size

    const server = await start()
    const buyer = agentClient(server.mcpUrl, key)
    for (const idempotencyKey of keys) {
      const reply = await buyer.call('create_media_buy', mediaBuy(idempotencyKey))
      expect(reply.isError, JSON.stringify(reply.data)).toBe(false)
      if (acknowledged.has(idempotencyKey)) {
        expect(reply.data).toMatchObject({ replayed: true, media_buy_id: acknowledged.get(idempotencyKey) })
      }
      known.set(idempotencyKey, reply.data.media_buy_id)
    }
    const stored = await everyMediaBuy(buyer)
    expect(stored).toHaveLength(known.size)
    expect(new Set(stored)).toEqual(new Set(known.values()))
    expect(new Set(known.values()).size).toBe(known.size)
    await server.end()
  }
  // Else the kill came too late, and nothing was tested.
  expect(cutOff).toBeGreaterThan(ROUNDS * IN_FLIGHT)
}, 180_000)

async function start(): Promise<Served> {
  const server = await line.serve([], ENVIRONMENT)
  const declared = { idempotency_key: `declare-${ACCOUNT.brand.domain}`, accounts: [{ ...ACCOUNT, billing: 'operator' }] }
  const { isError, data } = await agentClient(server.mcpUrl, key).call('sync_accounts', declared)
  expect(isError, JSON.stringify(data)).toBe(false)
  return server
}

/** Buys with every key, a dozen at once, and kills the server after `count` answers. Returns what it acknowledged, by key. */
async function burstAndKill(server: Served, keys: readonly string[], count: number): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>()
  const waiting = [...keys]
  let kill: Promise<unknown> | undefined
  const buyer = agentClient(server.mcpUrl, key)
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const reply = await buyer.call('create_media_buy', mediaBuy(next)).catch(() => undefined)
      if (!reply) return
      expect(reply.isError, JSON.stringify(reply.data)).toBe(false)
      acknowledged.set(next, reply.data.media_buy_id)
      if (acknowledged.size === count) kill = server.end('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  expect(await kill).toMatchObject({ signal: 'SIGKILL' })
  return acknowledged
}

async function everyMediaBuy(buyer: AgentClient): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const pagination = { max_results: 100, ...(cursor !== undefined && { cursor }) }
    const { data } = await buyer.call('get_media_buys', { status_filter: EVERY_STATUS, pagination })
    ids.push(...data.media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id))
    cursor = data.pagination?.cursor
  } while (cursor !== undefined)
  return ids
}

function mediaBuy(idempotencyKey: string): object {
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  }
}
