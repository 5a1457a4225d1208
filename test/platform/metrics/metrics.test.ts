import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startAgent } from '../../support/start-agent.ts'

const TOKEN = 'scrape-me-if-you-know-this'

describe('metrics', () => {
  let agent: MediaBuyAgent
  beforeAll(async () => {
    agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })], {
      flags: { 'metrics.port': 0, 'metrics.token': TOKEN },
    })
  })
  afterAll(() => agent.stop())

  const scrape = async () => (await fetch(`http://127.0.0.1:${agent.server.metricsPort}/metrics`)).text()
  const value = (text: string, sample: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
    return line === undefined ? 0 : Number(line.slice(sample.length + 1))
  }

  it('count calls by task, transport and outcome, replays, refused callers, and what waits', async () => {
    const before = await scrape()
    const args = { idempotency_key: randomUUID() }
    await agent.create(args)
    await agent.create(args)
    await agent.create({ ...args, po_number: 'another' })
    await agent.create({ packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 1000 }] })
    await agent.client('no-key-of-ours').call('list_creatives', {})
    await agent.client().call('list_creatives', {})
    const after = await scrape()
    const grown = (sample: string) => value(after, sample) - value(before, sample)
    expect(grown('adcp_calls_total{task="create_media_buy",transport="mcp",outcome="ok"}')).toBe(3)
    expect(grown('adcp_call_duration_seconds_count{task="create_media_buy",transport="mcp"}')).toBe(4)
    expect(grown('adcp_idempotency_total{result="replay"}')).toBe(1)
    expect(grown('adcp_idempotency_total{result="IDEMPOTENCY_CONFLICT"}')).toBe(1)
    expect(grown('adcp_auth_failures_total{code="AUTH_INVALID",reason="unknown"}')).toBe(1)
    expect(grown('adcp_auth_failures_total{code="AUTH_INVALID",reason="wrong_password"}')).toBe(0)
    expect(grown('adcp_auth_failures_total{code="AUTH_REQUIRED",reason="auth_required"}')).toBe(1)
    expect(grown('adcp_approvals_waiting')).toBe(1)
    expect(value(after, 'adcp_nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
    for (const name of ['adcp_outbox_pending', 'adcp_outbox_oldest_seconds', 'adcp_crawl_due', 'adcp_crawl_overdue_seconds'])
      expect(after).toContain(`\n${name} `)
  })

  it('count directory lookups over HTTP as calls of their task', async () => {
    const before = await scrape()
    const lookup = (agentUrl: string) =>
      fetch(new URL(`/v1/agents/${encodeURIComponent(agentUrl)}/publishers`, agent.url)).then(({ status }) => status)
    expect(await lookup('https://nobody-knows.example')).toBe(404)
    expect(await lookup('no address')).toBe(400)
    const after = await scrape()
    for (const outcome of ['REFERENCE_NOT_FOUND', 'INVALID_REQUEST']) {
      const sample = `adcp_calls_total{task="list_agent_publishers",transport="http",outcome="${outcome}"}`
      expect(value(after, sample) - value(before, sample), outcome).toBe(1)
    }
    expect(value(after, 'adcp_call_duration_seconds_count{task="list_agent_publishers",transport="http"}')).toBe(2)
    expect(after).not.toContain('nobody-knows')
  })

  it('have no label that a caller chose, and none of a tenant or principal', async () => {
    await agent.buyer.call('a_tool_named_by_the_caller', {})
    const text = await scrape()
    expect(text).not.toContain('a_tool_named_by_the_caller')
    expect(text).toContain('task="unknown"')
    expect(text).not.toMatch(/\b(acme|buyer)\b/)
    expect(text).not.toMatch(/tenant|principal/)
  })

  it('are all explained to whoever runs it', async () => {
    const families = [...(await scrape()).matchAll(/^# TYPE (adcp_\w+) /gm)].map(([, name]) => name ?? '')
    const ours = families.filter((name) => !/^adcp_(process|nodejs)_/.test(name))
    expect(ours.length).toBeGreaterThan(10)
    const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    for (const name of ours) expect(operations, name).toContain(`\`${name}\``)
  })

  it('stand on the main port for the token alone', async () => {
    const url = new URL('/metrics', agent.url)
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(url, { headers: { authorization: `Bearer ${agent.key}` } })).status).toBe(401)
    const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/plain')
  })

  it('the port of their own serves nothing else', async () => {
    expect((await fetch(`http://127.0.0.1:${agent.server.metricsPort}/mcp`, { method: 'POST' })).status).toBe(404)
  })
})

it('without a port or token nothing is collected and nothing is served', async () => {
  const agent = await startAgent()
  try {
    expect(agent.server.metrics).toBeUndefined()
    expect((await fetch(new URL('/metrics', agent.url))).status).toBe(404)
  } finally {
    await agent.stop()
  }
})
