import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endKey, listKeys } from '../../src/store/identity/api-keys.ts'
import { listPrincipals, setTextForm } from '../../src/store/identity/principals.ts'
import { loadStoredProducts } from '../../src/store/product/products.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { post } from '../support/credentials.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const BRIEF = { buying_mode: 'brief', brief: 'video for coffee drinkers' }

interface TextReply {
  readonly result: { readonly content: readonly { readonly text: string }[] }
}

/** Calls the pipeline as a transport does; answers that come from the cache are the same object. */
async function dispatch(agent: TestAgent, args: object, { key = agent.key, tool = 'get_products' } = {}) {
  const outcome = await agent.server.dispatch({
    requestId: randomUUID(),
    transport: 'mcp',
    tool,
    arguments: args,
    credentials: {
      authorization: `Bearer ${key}`,
      rawHeaders: ['Authorization', `Bearer ${key}`],
      method: 'POST',
      target: '/mcp',
      body: undefined,
      remoteAddress: '192.0.2.1',
    },
  })
  if (!outcome.ok) throw outcome.error
  return outcome
}

/** Whether a call gets the object of the one before; several, since the server itself may write to its store between two of them. */
async function isCached(agent: TestAgent, args: object, options: { key?: string; tool?: string } = {}): Promise<boolean> {
  let before: object | undefined
  for (let call = 0; call < 8; call++) {
    const { payload } = await dispatch(agent, args, options)
    if (payload === before) return true
    before = payload
  }
  return false
}

describe('a read that is asked again', () => {
  let agent: TestAgent
  let time = Date.now()
  const lines: { request?: string; task?: string; msg?: string; tenant?: string }[] = []
  beforeAll(async () => {
    agent = await startAgent({ demo: true, clock: () => new Date(time), onLog: (line) => lines.push(JSON.parse(line)) })
  })
  afterAll(() => agent.stop())

  it.each([
    ['get_products', BRIEF],
    ['get_products', { buying_mode: 'wholesale' }],
    ['list_creative_formats', {}],
    ['get_adcp_capabilities', {}],
  ])('%s %j is answered from the cache', async (tool, args) => {
    expect(await isCached(agent, args, { tool })).toBe(true)
  })

  it('reads the store where its buyer may just have changed what it reads', async () => {
    const refine = { buying_mode: 'refine', refine: [{ scope: 'request', ask: 'video only' }] }
    expect(await isCached(agent, refine)).toBe(false)
    const list = { agent_url: 'https://lists.example', list_id: 'l1' }
    expect(await isCached(agent, { ...BRIEF, property_list: list })).toBe(false)
  })

  it('claims its idempotency key', async () => {
    const key = { idempotency_key: randomUUID() }
    expect((await dispatch(agent, { ...BRIEF, ...key })).replayed).toBe(false)
    expect((await dispatch(agent, { ...BRIEF, ...key })).replayed).toBe(true)
    await expect(dispatch(agent, { buying_mode: 'wholesale', ...key })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  })

  it('carries its own context, and every call has its line in the log', async () => {
    const ask = (context: object) => agent.buyer.call('get_products', { ...BRIEF, context })
    const replies = [await ask({ n: 1 }), await ask({ n: 2 }), await ask({ n: 3 })]
    expect(replies.map(({ data }) => data.context)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    for (const { headers, data } of replies) {
      expect({ ...data, context: undefined }).toEqual({ ...replies[0]?.data, context: undefined })
      const line = lines.find(({ request }) => request === headers.get('x-request-id'))
      expect(line).toMatchObject({ task: 'get_products', msg: 'answered', tenant: agent.tenant })
    }
  })

  it('is given to no other caller, and to no other view of one', async () => {
    const { payload } = await dispatch(agent, BRIEF)
    const others = [
      await agent.addBuyer({ tenant: agent.tenant, principal: 'another' }),
      await agent.addBuyer({ tenant: agent.tenant, principal: 'narrow', scopes: ['adcp:creatives'] }),
      await agent.addBuyer({ tenant: agent.tenant, principal: 'sandboxed', sandbox: true }),
      await agent.addBuyer({ tenant: 'elsewhere', principal: 'another' }),
    ]
    const payloads = []
    for (const key of others) for (const _thrice of [1, 2, 3]) payloads.push((await dispatch(agent, BRIEF, { key })).payload)
    expect(payloads).not.toContain(payload)
    expect(new Set(payloads.filter((_each, index) => index % 3 === 2)).size).toBe(others.length)
    const [, narrow] = others
    const limited = await dispatch(agent, BRIEF, { key: narrow ?? '' })
    expect(JSON.stringify(payload)).toContain('fixed_price')
    expect(JSON.stringify(limited.payload)).not.toContain('fixed_price')
  })

  it('is written as text as its principal wants it', async () => {
    expect(await isCached(agent, BRIEF)).toBe(true)
    const text = async () => {
      const headers = { 'mcp-protocol-version': '2025-11-25' }
      const params = { name: 'get_products', arguments: BRIEF }
      const reply = await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
      const message: TextReply = JSON.parse(await reply.text())
      return message.result.content[0]?.text ?? ''
    }
    expect(await text()).not.toMatch(/^\{/)
    for (const { principal_id } of await listPrincipals(agent.server.store.read, agent.tenant))
      await agent.server.store.transaction((tx) => setTextForm(tx, agent.tenant, principal_id, 'json'))
    expect(JSON.parse(await text())).toMatchObject({ status: 'completed' })
  })

  it('is computed anew after half a minute, since drafts expire', async () => {
    expect(await isCached(agent, BRIEF)).toBe(true)
    const before = await dispatch(agent, BRIEF)
    time += 30_000
    expect((await dispatch(agent, BRIEF)).payload).not.toBe(before.payload)
  })

  it('is computed anew when the products have changed', async () => {
    expect(await isCached(agent, BRIEF)).toBe(true)
    const ids = async () => {
      const { products } = (await agent.buyer.call('get_products', BRIEF)).data
      return products.map(({ product_id: id }: { product_id: string }) => id)
    }
    const [gone] = await ids()
    await agent.server.store.transaction(async (tx) => {
      const { products } = await loadStoredProducts(tx, agent.tenant)
      const others = products.filter(({ product_id }) => product_id !== gone)
      await saveProducts(tx, agent.tenant, { version: 1, products: others }, { merge: false }, new Date())
    })
    expect(await ids()).not.toContain(gone)
  })

  it('is refused when its key was revoked', async () => {
    expect(await isCached(agent, BRIEF)).toBe(true)
    await agent.server.store.transaction(async (tx) => {
      for (const { key_id } of await listKeys(tx, agent.tenant)) await endKey(tx, agent.tenant, key_id, { revokedAt: new Date() })
    })
    await expect(dispatch(agent, BRIEF)).rejects.toMatchObject({ code: 'AUTH_INVALID' })
  })
})

describe('limits', () => {
  it('count repeated questions like all others', async () => {
    const flags = { mode: 'production', trustedProxies: ['127.0.0.1'], 'limits.reads': 4, 'limits.windowSeconds': 600 }
    const agent = await startAgent({ demo: true, flags })
    try {
      const headers = ['content-type', 'application/json', 'x-forwarded-proto', 'https', 'x-forwarded-for', '198.51.100.1']
      const params = { name: 'get_products', arguments: BRIEF }
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const ask = () => post(agent.url, text, [...headers, 'authorization', `Bearer ${agent.key}`])
      const statuses: number[] = []
      for (let n = 0; n < 6; n++) statuses.push((await ask()).status)
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    } finally {
      await agent.stop()
    }
  })
})
