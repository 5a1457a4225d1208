import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { inspectAnswers } from '../../src/store/inspect/inspect-answers.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const BURST = 60

let postgres: TestPostgres
let agent: TestAgent
let origin: string

beforeAll(async () => {
  postgres = await startPostgres()
  agent = await startAgent({
    demo: true,
    flags: {
      database: await postgres.createDatabase('outage'),
      'idempotency.leaseSeconds': 1,
      'idempotency.waitSeconds': 0,
      'metrics.port': 0,
    },
  })
  origin = new URL(agent.url).origin
  const declared = { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] }
  expect((await agent.buyer.call('sync_accounts', declared)).isError).toBe(false)
})
afterAll(async () => {
  await agent?.stop()
  await postgres?.stop()
})

async function scrape(): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${agent.server.metricsPort}/metrics`)
  expect(answer.status).toBe(200)
  return answer.text()
}

describe('an agent whose database goes away', () => {
  it('says so everywhere, and serves again by itself when it is back', async () => {
    const stored = await buy(randomUUID())
    expect(stored.isError).toBe(false)
    const retried = randomUUID()

    const well = await scrape()
    expect(well).toContain('\nadcp_store_up 1\n')
    expect(well).toContain('\nadcp_outbox_pending 0\n')
    expect(well).toContain('\nadcp_store_connections_limit{pool="calls"} 10\n')
    expect(well).toMatch(/\nadcp_store_connections\{pool="calls",state="idle"\} [1-9]/)
    expect(well).toContain('\nadcp_store_waiting{pool="calls"} 0\n')

    await postgres.halt()
    expect((await fetch(`${origin}/readyz`)).status).toBe(503)
    const away = await scrape()
    expect(away).toContain('\nadcp_store_up 0\n')
    expect(away).toContain('\nadcp_calls_total{')
    // Nobody knows what waits there: no value, rather than none waiting.
    expect(away).not.toMatch(/\nadcp_outbox_pending \d/)
    expect((await fetch(`${origin}/livez`)).status).toBe(200)
    for (const refused of [
      await buy(retried),
      await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'video' }),
    ]) {
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('2')
      expect(refused.data.adcp_error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', recovery: 'transient', retry_after: 2 })
      expect(JSON.stringify(refused.raw)).not.toMatch(/ECONN|postgres|127\.0\.0\.1/)
    }
    expect((await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(503)
    const lookup = await fetch(`${origin}/v1/agents/${encodeURIComponent('https://a.example')}/publishers`)
    expect(lookup.status).toBe(503)
    expect(lookup.headers.get('retry-after')).toBe('2')

    await postgres.start()
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 60_000 }).toBe(200)
    expect(await scrape()).toContain('\nadcp_outbox_pending 0\n')
    const again = await buy(retried)
    expect(again.data).toMatchObject({ media_buy_id: expect.any(String) })
    expect(again.data).not.toHaveProperty('replayed')
    expect(new Set(await everyMediaBuy())).toEqual(new Set([stored.data.media_buy_id, again.data.media_buy_id]))
  })

  it('loses nothing that it acknowledged, and repeats nothing, when the database is killed under load', async () => {
    const before = await everyMediaBuy()
    const keys = Array.from({ length: BURST }, () => randomUUID())
    const burst = keys.map(async (key) => ({ key, reply: await buy(key) }))
    // In the middle of the burst: some are answered, some are at work, some wait.
    await Promise.race(burst)
    await postgres.crash()
    const first = await Promise.all(burst)
    const acknowledged = first.filter(({ reply }) => !reply.isError)
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(acknowledged.length).toBeLessThan(BURST)
    expect(new Set(first.filter(({ reply }) => reply.isError).map(({ reply }) => reply.data.adcp_error.code))).toEqual(
      new Set(['SERVICE_UNAVAILABLE']),
    )

    await postgres.start()
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 60_000 }).toBe(200)
    const ids = new Map<string, string>()
    for (const key of keys) {
      await expect.poll(async () => ((await buy(key)).isError ? 'refused' : 'done'), { timeout: 60_000 }).toBe('done')
      ids.set(key, (await buy(key)).data.media_buy_id)
    }
    for (const { key, reply } of acknowledged) expect(ids.get(key)).toBe(reply.data.media_buy_id)
    const added = (await everyMediaBuy()).filter((id) => !before.includes(id))
    expect(added).toHaveLength(BURST)
    expect(new Set(added)).toEqual(new Set(ids.values()))
    const { read } = agent.server.store
    expect((await inspectStore(read)).problems).toEqual([])
    expect(await inspectAnswers(read)).toEqual({ answers: BURST + before.length, problems: [] })
  })
})

function buy(idempotencyKey: string) {
  return agent.buyer.call('create_media_buy', {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  })
}

async function everyMediaBuy(): Promise<string[]> {
  const rows = await agent.server.store.read.selectFrom('media_buys').select('media_buy_id').execute()
  return rows.map((row) => row.media_buy_id)
}
