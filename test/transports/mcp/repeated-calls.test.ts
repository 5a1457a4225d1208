import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../../../src/pipeline/task.ts'
import { endKey, listKeys } from '../../../src/store/identity/api-keys.ts'
import { loadCatalogue } from '../../../src/store/product/products.ts'
import { saveCatalogue } from '../../../src/store/product/save-catalogue.ts'
import { post } from '../../support/credentials.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { type Door, startDoor } from './door.ts'

/** A message as the MCP SDK for Python (id first) or for TypeScript (id last) writes it. */
const idFirst = (id: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"get_products","arguments":${args}}}`
const idLast = (id: string, args: string) =>
  `{"method":"tools/call","params":{"name":"get_products","arguments":${args}},"jsonrpc":"2.0","id":${id}}`

describe('the lane for repeated calls', () => {
  let door: Door
  const state = { good: true, countable: true, counted: 0 }
  const calls: Call[] = []
  const dispatch = async (call: Call): Promise<Outcome> => {
    calls.push(call)
    return {
      ok: true,
      payload: Object.freeze({ products: [], text: 'ü "x"' }),
      replayed: false,
      repeat: {
        isGood: () => state.good,
        async account() {
          state.counted++
          return state.countable
        },
      },
    }
  }
  beforeAll(async () => {
    door = await startDoor({ dispatch })
  })
  afterAll(() => door.close())

  const ask = async (text: string, headers: Record<string, string> = {}) => {
    const before = calls.length
    const sent = Object.entries({ 'content-type': 'application/json', authorization: 'Bearer sk_1', ...headers }).flat()
    const { body } = await post(door.url.href, text, sent)
    return { body, ran: calls.length > before }
  }

  it.each([
    ['first', idFirst],
    ['last', idLast],
  ])(
    'answers the same bytes without the pipeline, with the id of each message, when the id comes %s',
    async (_place, message) => {
      const first = await ask(message('1', '{"brief":"a"}'))
      expect(first.ran).toBe(true)
      for (const id of ['1', '2', '"an-id_3"']) {
        const again = await ask(message(id, '{"brief":"a"}'))
        expect(again).toEqual({ ran: false, body: { ...first.body, id: JSON.parse(id) } })
      }
    },
  )

  it('takes any other byte, caller, address or revision for another call', async () => {
    await ask(idFirst('1', '{"id":5}'))
    const others: [string, Record<string, string>?][] = [
      [idFirst('1', '{"id":6}')],
      [idLast('1', '{"id":5}')],
      [idLast('1', '{"id":6}')],
      [idFirst('1', '{"id":5}').replace('}}}', '}} }')],
      [idFirst('1', '{"id":5}'), { authorization: 'Bearer sk_2' }],
      [idFirst('1', '{"id":5}'), { 'mcp-protocol-version': '2025-06-18' }],
      [idFirst('1', '{"id":5}'), { 'signature-input': 'sig1=()' }],
    ]
    for (const [text, headers] of others) expect((await ask(text, headers)).ran).toBe(true)
    expect((await ask(idFirst('1', '{"id":5}'))).ran).toBe(false)
    const elsewhere = await post(new URL('/t/acme/mcp', door.url).href, idFirst('1', '{"id":5}'), [
      'content-type',
      'application/json',
      'authorization',
      'Bearer sk_1',
    ])
    expect(elsewhere.status).toBe(200)
    expect(calls.at(-1)?.publicTenant).toBe('acme')
  })

  it('does not know callers without credentials', async () => {
    const bare = async () => {
      const before = calls.length
      await post(door.url.href, idFirst('1', '{"brief":"b"}'), ['content-type', 'application/json'])
      return calls.length > before
    }
    expect(await bare()).toBe(true)
    expect(await bare()).toBe(true)
  })

  it('leaves to the pipeline what no longer holds, and what has to be refused', async () => {
    const text = idFirst('1', '{"brief":"c"}')
    await ask(text)
    state.good = false
    expect((await ask(text)).ran).toBe(true)
    state.good = true
    state.countable = false
    expect((await ask(text)).ran).toBe(true)
    state.countable = true
    state.counted = 0
    expect((await ask(text)).ran).toBe(false)
    expect(state.counted).toBe(1)
  })
})

describe('a question asked again', () => {
  const lines: { request?: string; task?: string; principal?: string; msg?: string }[] = []
  let agent: TestAgent
  beforeAll(async () => {
    agent = await startAgent({ demo: true, onLog: (line) => lines.push(JSON.parse(line)) })
  })
  afterAll(() => agent.stop())

  const ask = (id: number, key = agent.key) => {
    const text = idFirst(String(id), '{"buying_mode":"brief","brief":"video","context":{"trace":"t"}}')
    return post(agent.url, text, ['content-type', 'application/json', 'authorization', `Bearer ${key}`])
  }

  it('gives the same answer under its own id, and every call has its line in the log', async () => {
    const [first, ...others] = [await ask(1), await ask(2), await ask(3)]
    expect(first?.body.result.structuredContent).toMatchObject({ status: 'completed', context: { trace: 't' } })
    for (const [index, { body, status }] of others.entries()) {
      expect(status).toBe(200)
      expect(body).toEqual({ ...first?.body, id: index + 2 })
    }
    const answered = [first, ...others].map((reply) => lines.find(({ request }) => request === reply?.headers['x-request-id']))
    for (const line of answered) expect(line).toMatchObject({ task: 'get_products', msg: 'answered', tenant: agent.tenant })
  })

  it('gives the new answer once the catalogue has changed', async () => {
    const before = (await ask(4)).body.result.structuredContent.products
    const gone = before[0].product_id
    await agent.server.store.transaction(async (tx) => {
      const { products } = await loadCatalogue(tx, agent.tenant)
      const kept = products.filter(({ product_id }) => product_id !== gone)
      await saveCatalogue(tx, agent.tenant, { version: 1, products: kept }, { merge: false }, new Date())
    })
    const after = (await ask(5)).body.result.structuredContent.products
    expect(after.map((product: { product_id: string }) => product.product_id)).not.toContain(gone)
  })

  it('is refused at once when the key was revoked', async () => {
    expect((await ask(6)).status).toBe(200)
    expect((await ask(7)).status).toBe(200)
    await agent.server.store.transaction(async (tx) => {
      for (const { key_id } of await listKeys(tx, agent.tenant)) await endKey(tx, agent.tenant, key_id, { revokedAt: new Date() })
    })
    expect((await ask(8)).status).toBe(401)
  })
})

describe('limits', () => {
  it('count repeated questions like all others', async () => {
    const flags = { mode: 'production', trustedProxies: ['127.0.0.1'], 'limits.reads': 3, 'limits.windowSeconds': 600 }
    const agent = await startAgent({ demo: true, flags })
    try {
      const headers = ['content-type', 'application/json', 'x-forwarded-proto', 'https', 'x-forwarded-for', '198.51.100.1']
      const statuses: number[] = []
      for (let id = 0; id < 5; id++) {
        const text = idFirst(String(id), '{"buying_mode":"brief","brief":"video"}')
        statuses.push((await post(agent.url, text, [...headers, 'authorization', `Bearer ${agent.key}`])).status)
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429])
    } finally {
      await agent.stop()
    }
  })
})
