import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLookupLimit } from '../../../src/features/directory/lookup-limit.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

describe('lookup limit', () => {
  it('is keyed on agent and address, IPv6 by /64, with a ceiling for an address', async () => {
    const limit = createLookupLimit({ requests: 2, requestsPerAddress: 5, continuations: 3, windowSeconds: 60 })
    const attempt = (agent: string, address: string) =>
      (async () => limit(agent, address))().then(
        () => 'ok',
        (error: { code: string; retryAfter: number }) => `${error.code} ${error.retryAfter > 0}`,
      )
    expect(await attempt('a', '2a00:1450::1')).toBe('ok')
    expect(await attempt('a', '2a00:1450::2')).toBe('ok')
    expect(await attempt('a', '2a00:1450::3')).toBe('RATE_LIMITED true')
    expect(await attempt('b', '2a00:1450::3')).toBe('ok')
    expect(await attempt('a', '1.2.3.4')).toBe('ok')
    expect(await attempt('c', '2a00:1450::3')).toBe('ok')
    expect(await attempt('d', '2a00:1450::3')).toBe('RATE_LIMITED true')
  })
})

describe('pages that a cursor continues', () => {
  it('are counted apart from lookups', async () => {
    const limit = createLookupLimit({ requests: 1, requestsPerAddress: 1, continuations: 3, windowSeconds: 60 })
    await limit('a', '1.2.3.4')
    for (let page = 0; page < 3; page += 1) await limit('a', '1.2.3.4', 'continuation')
    expect(() => limit('a', '1.2.3.4', 'continuation')).toThrow(/too many pages/)
    expect(limit.headers('a', '1.2.3.4', 'lookup')).toEqual([
      'RateLimit-Policy',
      '"lookups";q=1;w=60',
      'RateLimit',
      '"lookups";r=0;t=60',
    ])
    expect(limit.headers('b', '1.2.3.5', 'continuation')).toEqual([
      'RateLimit-Policy',
      '"pages-of-address";q=3;w=60',
      'RateLimit',
      '"pages-of-address";r=3;t=60',
    ])
  })
})

describe('over HTTP and as a tool', () => {
  let agent: TestAgent
  beforeAll(async () => {
    agent = await startAgent({ flags: { directory: { requests: 2 }, trustedProxies: ['127.0.0.1', '::1'] } })
  })
  afterAll(() => agent.stop())

  it('429 with Retry-After, and other callers behind the same proxy go on', async () => {
    const url = `${agent.url.replace('/mcp', '')}/v1/agents/${encodeURIComponent('https://a.example')}/publishers`
    const from = (address: string) => fetch(url, { headers: { 'x-forwarded-for': address } })
    expect([(await from('9.9.9.9')).status, (await from('9.9.9.9')).status]).toEqual([404, 404])
    const refused = await from('9.9.9.9')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    expect((await from('9.9.9.8')).status).toBe(404)
  })

  it('the tool has the same limit', async () => {
    const call = { name: 'list_agent_publishers', arguments: { agent_url: 'https://b.example' } }
    const lookup = async () => {
      const reply = await fetch(agent.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-forwarded-for': '9.9.9.7',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      })
      return reply.text()
    }
    expect(await lookup()).not.toContain('RATE_LIMITED')
    await lookup()
    expect(await lookup()).toContain('RATE_LIMITED')
  })
})
