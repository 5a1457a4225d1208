import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitraryRequest, mutated, type Words } from './arbitrary-request.ts'
import { BASE_TASKS } from './base-tasks.ts'
import type { TaskReply } from './client.ts'
import { startAgent, type TestAgent } from './start-agent.ts'

/** Among so many requests of a tool that reads, some are accepted. */
const ENOUGH_RUNS = 60
/** Fixed, so that a failure here is a failure everywhere; other seeds are one edit away. */
const SEED = 20_260_316

/** Traces of an interpreter, a file system or a database that a body must not hold. */
const LEAK =
  /node_modules|\bnode:|file:\/\/|\.[jt]s:\d+|\n\s+at |SQLITE|SqliteError|\b(SELECT|INSERT|UPDATE|DELETE)\b.+\b(FROM|INTO|SET|WHERE)\b|TypeError|RangeError|ReferenceError|is not a function|is not iterable|Cannot read prop|\[object Object\]/

/**
 * Requests made from each tool's schema, and near misses of them: each answer is a success that the schema allows or an error that a client can act on.
 * @param runs requests of each kind and tool
 */
export function badInputContract(runs: number): void {
  const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
  const PACKAGE = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }

  const faults: string[] = []
  let agent: TestAgent
  let words: Words
  let examples: Readonly<Record<string, object>>

  beforeAll(async () => {
    const onLog = (line: string) => {
      const entry: { level: number; msg: string } = JSON.parse(line)
      if (entry.level >= 50) faults.push(line)
    }
    agent = await startAgent({ demo: true, conformance: true, onLog })
    const buy = {
      idempotency_key: 'bad-input-media-buy',
      account: ACCOUNT,
      brand: ACCOUNT.brand,
      start_time: day(30),
      end_time: day(44),
      packages: [PACKAGE],
    }
    const { data, isError } = await agent.buyer.call('create_media_buy', buy)
    expect(isError, JSON.stringify(data)).toBe(false)
    const { media_buy_id, packages } = data
    const products = ['ros_display', 'news_homepage_display', 'ctv_prime_evening']
    words = {
      account: [ACCOUNT],
      brand: [ACCOUNT.brand],
      domain: ['brand.example'],
      operator: ['agency.example'],
      product_id: products,
      'product_ids[]': products,
      'packages[]': [PACKAGE],
      pricing_option_id: ['cpm_usd_auction', 'cpm_usd_fixed'],
      media_buy_id: [media_buy_id],
      'media_buy_ids[]': [media_buy_id],
      package_id: [packages[0].package_id],
      agent_url: [agent.url, 'https://ads.example/mcp'],
      currency: ['USD', 'EUR'],
      start_time: [day(30), 'asap'],
      end_time: [day(44)],
      context: [{ trace: 'abc' }],
      since: [day(-1)],
      limit: [10],
      'status[]': ['authorized', 'revoked'],
      'include[]': ['properties'],
    }
    examples = {
      create_media_buy: buy,
      update_media_buy: { idempotency_key: 'bad-input-media-buy-2', account: ACCOUNT, media_buy_id, paused: true },
      get_products: { buying_mode: 'brief', brief: 'video for coffee drinkers', account: ACCOUNT, brand: ACCOUNT.brand },
      sync_accounts: { idempotency_key: 'bad-input-accounts', accounts: [{ ...ACCOUNT, billing: 'operator' }] },
      get_media_buys: { account: ACCOUNT, media_buy_ids: [media_buy_id] },
      get_media_buy_delivery: { account: ACCOUNT, media_buy_ids: [media_buy_id] },
    }
  })
  afterAll(() => agent.stop())

  /** The reply is a success with both copies of its content, or an error in every shape that AdCP asks for. */
  function judge({ status, raw, data, isError }: TaskReply): void {
    expect(status).toBeLessThan(500)
    expect(JSON.stringify(raw)).not.toMatch(LEAK)
    if (raw.result) expect(JSON.parse(raw.result.content[0].text)).toEqual(raw.result.structuredContent)
    if (!isError) return
    const { code, message, recovery } = data.adcp_error
    expect(agent.server.contracts.base.knowsCode(code), code).toBe(true)
    expect(code).not.toBe('SERVICE_UNAVAILABLE')
    expect(message).not.toBe('')
    if (code !== 'IDEMPOTENCY_CONFLICT') expect(recovery).toMatch(/^(transient|correctable|terminal)$/)
    // An error that stands for several names all of them in its message, and has each in `errors`.
    expect(data.errors.length).toBeGreaterThan(0)
    expect(data.errors.map((each: { code: string }) => each.code)).toContain(code)
    if (data.errors.length === 1) expect(data.errors[0]).toMatchObject({ code, message })
    else for (const each of data.errors) expect(message).toContain(each.message)
    expect(data.error).toMatchObject({ code, message })
  }

  describe.each(BASE_TASKS.map(({ name }) => name))('%s', (name) => {
    /** Sends near misses and wilder things; returns how many were accepted. */
    async function bombard(requests: fc.Arbitrary<unknown>): Promise<number> {
      let accepted = 0
      await fc.assert(
        fc.asyncProperty(requests, async (args) => {
          const reply = await agent.buyer.call(name, args as object)
          judge(reply)
          if (!reply.isError) accepted += 1
        }),
        { numRuns: runs, seed: SEED, endOnFailure: true },
      )
      expect(faults.splice(0)).toEqual([])
      return accepted
    }

    const generated = () => {
      const { schemas } = agent.server
      const path = schemas.pathsOf(name)?.request
      if (path === undefined) throw new Error(`no request schema of ${name}`)
      return arbitraryRequest(schemas, schemas.document(path), words)
    }

    test('requests made from the schema', async () => {
      const accepted = await bombard(generated())
      // Else nothing but the validator was tested. The rest needs ids that only a later call can know.
      if (
        runs >= ENOUGH_RUNS &&
        /^(get_adcp_capabilities|get_products|list_accounts|list_creative.*|get_media_buy.*)$/.test(name)
      )
        expect(accepted).toBeGreaterThan(0)
    })

    test('the same with members replaced, removed, renamed and doubled', async () => {
      const example = fc.constant(examples[name] ?? {})
      await bombard(fc.oneof(mutated(generated()), mutated(example)))
    })
  })

  describe('arguments that are no object', () => {
    test.each([null, [], 'text', 1, true])('%j', async (args) => {
      const response = await agent.buyer.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_products', arguments: args },
      })
      expect(response.status).toBeLessThan(500)
      const body = (await response.json()) as TaskReply['raw']
      const data = body.result?.structuredContent ?? body.error.data
      if (args !== null) expect(data.adcp_error.code).toBe('INVALID_REQUEST')
      expect(faults.splice(0)).toEqual([])
    })
  })

  describe('the real server and its own body limit', () => {
    const padded = (bytes: number) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_products', arguments: { buying_mode: 'brief', brief: 'x'.repeat(bytes) } },
      })

    test.each<[string, string | Uint8Array, Record<string, string>, number]>([
      ['too large', padded(4_194_304), {}, 413],
      [
        'nested too deeply',
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_products","arguments":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}}`,
        {},
        400,
      ],
      ['with a key twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', {}, 400],
      ['of invalid UTF-8', Uint8Array.from([0x22, 0xc3, 0x28, 0x22]), {}, 400],
      ['of another type', padded(1), { 'Content-Type': 'application/xml' }, 415],
    ])('a body %s', async (_what, body, headers, status) => {
      const response = await fetch(agent.url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${agent.key}`, 'Content-Type': 'application/json', ...headers },
        body,
      })
      expect(response.status).toBe(status)
      const text = await response.text()
      expect(text).not.toMatch(LEAK)
      expect(JSON.parse(text).error.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.any(String) })
      expect(faults.splice(0)).toEqual([])
    })

    test('a large body within the limit is read', async () => {
      const response = await agent.buyer.send(padded(3_000_000))
      expect(response.status).toBe(200)
      expect(await response.text()).not.toMatch(LEAK)
    })
  })
}
