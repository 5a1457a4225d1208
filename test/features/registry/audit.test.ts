import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyChain } from '../../../src/features/audit/verify-chain.ts'
import { listAudit } from '../../../src/store/audit/audit.ts'
import type { FakeWeb } from '../../support/fake-web/fake-web.ts'
import { type OauthAgent, startOauthAgent, USER } from '../../support/oauth-agent.ts'
import { AGENT, PUBLISHER, startRegistryWorld } from '../../support/registry-world.ts'

let web: FakeWeb
let agent: OauthAgent
let token: string

beforeAll(async () => {
  web = await startRegistryWorld()
  agent = await startOauthAgent({ safeFetch: web.fetch() })
  token = (await agent.tokens({ resource: `${agent.origin}/api`, scope: 'registry' })).access_token
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

const post = (path: string, body: object, bearer?: string) =>
  fetch(agent.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  })
const entries = async (tenant: string) => {
  await agent.server.audit.settled()
  const all = await listAudit(agent.server.store.read, tenant, { limit: 100 })
  return all.filter(({ task }) => task.startsWith('registry'))
}

it('who wrote what to the registry is in the audit log of its publisher', async () => {
  expect((await post('/api/registry/agents', { agent_url: AGENT }, token)).status).toBe(201)
  const call = { name: 'request_crawl', arguments: { domain: PUBLISHER } }
  expect((await post('/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, token)).status).toBe(200)
  const [crawl, registered] = await entries('acme')
  const who = { principal: 'buyer', credential: `oauth:${USER.username}`, outcome: 'ok' }
  expect(registered).toMatchObject({ ...who, transport: 'http', task: 'registry.registerAgent', subject: AGENT })
  expect(crawl).toMatchObject({ ...who, transport: 'mcp', task: 'registry.requestCrawl', subject: PUBLISHER })
  expect(await verifyChain(agent.server.store.read, 'acme')).not.toHaveProperty('broken')
})

it('refusals of writers are there with their code, and reads are not', async () => {
  const before = (await entries('acme')).length
  expect((await post('/api/registry/agents', { agent_url: 'no address' }, token)).status).toBe(400)
  const call = { name: 'request_crawl', arguments: { domain: PUBLISHER } }
  await post('/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, token)
  expect((await fetch(`${agent.origin}/api/registry/agents?limit=0`)).status).toBe(400)
  const [again, wrong, ...older] = await entries('acme')
  expect(wrong).toMatchObject({ task: 'registry.registerAgent', outcome: 'invalid_agent_url', principal: 'buyer' })
  expect(again).toMatchObject({ task: 'registry.requestCrawl', outcome: 'rate_limited', transport: 'mcp' })
  expect(older.length).toBe(before)
})

it('callers without an identity are counted among those that nobody knows', async () => {
  await post('/api/registry/agents', { agent_url: AGENT })
  await post('/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 'not-a-token')
  expect((await entries('')).map(({ task, outcome, transport }) => [task, outcome, transport])).toEqual([
    ['registry', 'invalid_token', 'mcp'],
    ['registry.registerAgent', 'unauthorized', 'http'],
  ])
})
