import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, post } from '../support/credentials.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const READS = 5
const CHANGES = 2
const ANONYMOUS = 3
let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent({
    flags: {
      mode: 'production',
      trustedProxies: ['127.0.0.1'],
      'limits.reads': READS,
      'limits.changes': CHANGES,
      'limits.anonymous': ANONYMOUS,
      'limits.failuresPerAddress': 2,
      'limits.windowSeconds': 600,
    },
  })
})
afterAll(() => agent.stop())

/** A call as the proxy in front passes it on. */
const call = (task: string, options: { key?: string; from?: string; args?: object } = {}) =>
  post(agent.url, callText(task, options.args), [
    'content-type',
    'application/json',
    'x-forwarded-proto',
    'https',
    'x-forwarded-for',
    options.from ?? '198.51.100.1',
    ...(options.key === undefined ? [] : ['authorization', `Bearer ${options.key}`]),
  ])

type Answer = Awaited<ReturnType<typeof call>>
const expectLimited = (answer: Answer, limit: number) => {
  expect(answer.status).toBe(429)
  const retryAfter = Number(answer.headers['retry-after'])
  expect(retryAfter).toBeGreaterThanOrEqual(1)
  expect(retryAfter).toBeLessThanOrEqual(3600)
  expect(answer.body.error.code).toBe(-32029)
  expect(answer.body.error.data.adcp_error).toMatchObject({
    code: 'RATE_LIMITED',
    recovery: 'transient',
    retry_after: retryAfter,
    details: { limit, remaining: 0, scope: 'global' },
  })
  // The official runner repeats a step whose message has these words.
  expect(JSON.stringify(answer.body)).not.toMatch(/rate limit|too many requests|429/i)
}

describe('limits of a caller', () => {
  it('count a proposal that is refined as a change', async () => {
    const key = await agent.addBuyer({ principal: 'planner' })
    const args = { buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id: 'p', action: 'finalize' }] }
    for (let n = 0; n < CHANGES; n++) expect((await call('get_products', { key, args })).status).toBe(200)
    expectLimited(await call('get_products', { key, args }), CHANGES)
    expect((await call('get_products', { key, args: { buying_mode: 'wholesale' } })).status).toBe(200)
  })

  it('count reads and changes apart, each principal on its own, wherever it calls from', async () => {
    for (let n = 0; n < READS; n++) {
      expect((await call('list_accounts', { key: agent.key, from: `198.51.100.${n}` })).status).toBe(200)
    }
    expectLimited(await call('list_accounts', { key: agent.key }), READS)
    for (let n = 0; n < CHANGES; n++) expect((await call('sync_accounts', { key: agent.key })).status).toBe(200)
    expectLimited(await call('sync_accounts', { key: agent.key }), CHANGES)
    const other = await agent.addBuyer({ principal: 'other' })
    expect((await call('list_accounts', { key: other })).status).toBe(200)
  })

  it('count callers without credentials by address; a public task of a principal counts for the principal', async () => {
    for (let n = 0; n < ANONYMOUS; n++) {
      expect((await call('get_adcp_capabilities', { from: `2001:db8:1:1::${n}` })).status).toBe(200)
    }
    expectLimited(await call('get_adcp_capabilities', { from: '2001:db8:1:1:2::' }), ANONYMOUS)
    expect((await call('get_adcp_capabilities', { from: '2001:db8:1:2::' })).status).toBe(200)
    const key = await agent.addBuyer({ principal: 'public' })
    expect((await call('get_adcp_capabilities', { key, from: '2001:db8:1:1:2::' })).status).toBe(200)
  })

  it('count lists of tools and schemas as reads: they are the longest answers', async () => {
    const list = (method: string, options: { key?: string; from: string }) =>
      post(agent.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { uri: 'adcp://schemas/nothing' } }), [
        'content-type',
        'application/json',
        'x-forwarded-proto',
        'https',
        'x-forwarded-for',
        options.from,
        ...(options.key === undefined ? [] : ['authorization', `Bearer ${options.key}`]),
      ])
    const from = '198.51.100.77'
    for (const method of ['tools/list', 'resources/list', 'resources/read'])
      expect((await list(method, { from })).status).toBe(200)
    for (const method of ['tools/list', 'resources/list', 'resources/read'])
      expectLimited(await list(method, { from }), ANONYMOUS)
    const key = await agent.addBuyer({ principal: 'lister' })
    for (let n = 0; n < READS; n++) expect((await list('tools/list', { from, key })).status).toBe(200)
    expectLimited(await list('tools/list', { from, key }), READS)
  })

  it('refused credentials count for nobody and make their address wait', async () => {
    const from = '203.0.113.50'
    for (let n = 0; n < 3; n++) expect((await call('list_accounts', { key: `sk_none${n}`, from })).status).toBe(401)
    const answer = await call('list_accounts', { key: 'sk_none', from })
    expectLimited(answer, 2)
    expect(answer.headers['www-authenticate']).toBeUndefined()
    expect((await call('get_adcp_capabilities', { from })).status).toBe(200)
  })

  it('do not hold on loopback in development', async () => {
    const local = await startAgent({ flags: { 'limits.reads': 1, 'limits.failuresPerAddress': 1 } })
    for (let n = 0; n < 5; n++) expect((await local.buyer.call('list_accounts')).status).toBe(200)
    for (let n = 0; n < 5; n++) expect((await local.client('sk_wrong').call('list_accounts')).status).toBe(401)
    await local.stop()
  })
})
