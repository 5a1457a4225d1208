import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { type Fleet, startFleet } from '../../tools/faults/fleet.ts'
import { a2aClient, skillMessage } from '../support/a2a-client.ts'
import { agentClient } from '../support/client.ts'
import { callText, post, type RawHeaders, signed, signingKey } from '../support/credentials.ts'

const CONNECTIONS = 64
const KEYS = 8
const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

let fleet: Fleet
let key: string

beforeAll(async () => {
  fleet = await startFleet({
    command: COMMAND,
    environment: {
      SALES_AGENT_LIMITS_ANONYMOUS: '40',
      SALES_AGENT_LIMITS_READS: '300',
      SALES_AGENT_LIMITS_CHANGES: '100000',
      SALES_AGENT_LIMITS_FAILURES_PER_ADDRESS: '6',
    },
  })
  await fleet.command('init', '--demo')
  await fleet.command('buyers', 'add', 'buyer')
  key = (await fleet.command('keys', 'create', '--buyer', 'buyer')).token
  const declared = { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] }
  const { isError, data } = await agentClient(`${fleet.proxy.origin}/mcp`, key).call('sync_accounts', declared)
  expect(isError, JSON.stringify(data)).toBe(false)
}, 120_000)
afterAll(() => fleet?.close())

describe('two processes on one PostgreSQL behind a load balancer', () => {
  it('execute a key that is raced from many connections once', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const ids = new Set<string>()
    for (let n = 0; n < KEYS; n++) {
      const body = callText('create_media_buy', mediaBuy(randomUUID()))
      const replies = await Promise.all(Array.from({ length: CONNECTIONS }, () => call(agent, body)))
      const failed = replies.filter((reply) => reply.isError)
      expect(failed.map((reply) => reply.structuredContent.adcp_error?.code)).toEqual([])
      expect(replies.filter((reply) => reply.structuredContent.replayed !== true)).toHaveLength(1)
      const answered = new Set(replies.map((reply) => reply.structuredContent.media_buy_id))
      expect(answered.size).toBe(1)
      for (const id of answered) ids.add(id)
    }
    agent.destroy()
    expect(fleet.proxy.answered.every((count) => count > (KEYS * CONNECTIONS) / 4)).toBe(true)
    const { data } = await agentClient(`${fleet.proxy.origin}/mcp`, key).call('get_media_buys', {
      status_filter: ['pending_creatives', 'pending_start', 'active'],
    })
    const stored = data.media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id)
    expect(new Set(stored)).toEqual(ids)
    expect(stored).toHaveLength(KEYS)
  })

  it('accept a signed message once, wherever its copies arrive', async () => {
    const { jwk, signer } = signingKey('raced')
    const file = join(tmpdir(), `jwks-${randomUUID()}.json`)
    writeFileSync(file, JSON.stringify({ keys: [jwk] }))
    await fleet.command('buyers', 'signing-keys', 'add', 'signer', '--url', 'https://signer.example/mcp', '--jwks', file)
    const body = callText('get_products', { buying_mode: 'brief', brief: 'video' })
    // Keys of agents that are registered now are known everywhere after 15 s at the latest.
    await expect
      .poll(async () => Promise.all(fleet.origins.map(() => signedCall(body, signer).then(({ status }) => status))), {
        timeout: 45_000,
        interval: 500,
      })
      .toEqual([200, 200])
    for (let n = 0; n < 6; n++) {
      const headers = await signed(`${fleet.proxy.origin}/mcp`, body, signer)
      // From an address each: refused copies would make a single one wait.
      const copies = Array.from({ length: 16 }, (_, i) => [...headers, 'X-Forwarded-For', `198.51.100.${n * 16 + i}`])
      const replies = await Promise.all(copies.map((copy) => post(`${fleet.proxy.origin}/mcp`, body, copy)))
      const codes = replies.map(({ status }) => status).sort()
      expect(codes).toEqual([200, ...Array.from({ length: 15 }, () => 401)])
    }
  })

  it('hold limits in their sum', async () => {
    const url = `${fleet.proxy.origin}/mcp`
    const body = callText('get_adcp_capabilities')
    const statuses = async (count: number, headers: RawHeaders) => {
      const replies = await Promise.all(Array.from({ length: count }, () => post(url, body, headers)))
      return replies.map(({ status }) => status)
    }
    const JSON_BODY = ['Content-Type', 'application/json']
    const anonymous = await statuses(100, [...JSON_BODY, 'X-Forwarded-For', '203.0.113.5'])
    expect(anonymous.filter((status) => status === 200)).toHaveLength(40)
    expect(anonymous.filter((status) => status === 429)).toHaveLength(60)

    const { token } = await fleet.command('keys', 'create', '--buyer', 'buyer')
    const reads = await statuses(420, [...JSON_BODY, 'X-Forwarded-For', '203.0.113.6', 'Authorization', `Bearer ${token}`])
    const passed = reads.filter((status) => status === 200).length
    // The reads of the test above count too; a process may keep a hundredth to itself.
    expect(passed).toBeLessThanOrEqual(300)
    expect(passed).toBeGreaterThan(290)
  })

  it('slow down whoever guesses, by what all of them have refused', async () => {
    const url = `${fleet.proxy.origin}/mcp`
    const guess = async (n: number, address: string) => {
      const headers = ['Content-Type', 'application/json', 'X-Forwarded-For', address]
      const token = `sk_${String(n).padStart(12, '0')}_${'x'.repeat(43)}`
      return (await post(url, callText('list_accounts'), [...headers, 'Authorization', `Bearer ${token}`])).status
    }
    let refused = 0
    while ((await guess(refused, '203.0.113.77')) === 401) refused += 1
    // Six are free and the seventh begins the wait; two that count for themselves would begin at the thirteenth. A slow machine sits out short waits.
    expect(refused).toBeGreaterThanOrEqual(7)
    expect(refused).toBeLessThan(12)
    expect(await guess(99, '203.0.113.78')).toBe(401)
  })

  it('give what a call over A2A was answered, whichever of them is asked', async () => {
    const [here, there] = fleet.origins.map((origin) => a2aClient(`${origin}/mcp`, key))
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.10' }
    const sent = await here?.rpc('message/send', { message: skillMessage('sync_accounts', accountsOf()) }, headers)
    const { result } = JSON.parse((await sent?.text()) ?? '{}')
    expect(result.status.state).toBe('completed')
    const found = await there?.rpc('tasks/get', { id: result.id }, headers)
    expect(JSON.parse((await found?.text()) ?? '{}').result).toEqual(result)
  })

  it('believe a revoked key nowhere', async () => {
    const { token, key_id } = await fleet.command('keys', 'create', '--buyer', 'buyer')
    const ask = () =>
      Promise.all(
        fleet.origins.map(async (origin) => {
          const headers = ['X-Forwarded-Proto', 'https', 'X-Forwarded-For', '203.0.113.9']
          const all = [...headers, 'Content-Type', 'application/json', 'Authorization', `Bearer ${token}`]
          return (await post(`${origin}/mcp`, callText('sync_accounts', accountsOf()), all)).status
        }),
      )
    expect(await ask()).toEqual([200, 200])
    await fleet.command('keys', 'revoke', key_id)
    expect(await ask()).toEqual([401, 401])
  })
})

function accountsOf(): object {
  return { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] }
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

async function signedCall(body: string, signer: Parameters<typeof signed>[2]) {
  return post(`${fleet.proxy.origin}/mcp`, body, await signed(`${fleet.proxy.origin}/mcp`, body, signer))
}

/** A call over one of the agent's connections. */
// biome-ignore lint/suspicious/noExplicitAny: the result of a tool, judged by assertions
function call(agent: Agent, body: string): Promise<any> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` }
    const sent = request(`${fleet.proxy.origin}/mcp`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { result, error } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        resolve(result ?? { isError: true, structuredContent: error.data })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
