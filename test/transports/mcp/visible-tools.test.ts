import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AgentClient, agentClient } from '../../support/client.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ sandbox: true })
})
afterAll(() => agent.stop())

async function toolsOf(client: AgentClient): Promise<{ names: string[]; bytes: number }> {
  const text = await (await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })).text()
  return { names: JSON.parse(text).result.tools.map(({ name }: { name: string }) => name), bytes: text.length }
}

it('a principal sees the tools that its scopes cover, and pays for no others', async () => {
  const all = await toolsOf(agent.buyer)
  const key = await agent.addBuyer({ principal: 'reader', scopes: ['adcp:products', 'adcp:media_buys'] })
  const some = await toolsOf(agent.client(key))
  expect(some.names).toEqual(
    expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'create_media_buy', 'get_media_buys']),
  )
  for (const name of ['sync_creatives', 'sync_accounts', 'list_creatives', 'create_property_list']) {
    expect(some.names).not.toContain(name)
    expect(all.names).toContain(name)
  }
  expect(some.bytes).toBeLessThan(all.bytes / 2)
})

it('every tool that is listed may be called, and every one that is left out is refused', async () => {
  const key = await agent.addBuyer({ principal: 'lister', scopes: ['adcp:lists'] })
  const client = agentClient(agent.url, key)
  const { names } = await toolsOf(client)
  const all = await toolsOf(agent.buyer)
  const codeOf = async (name: string) => (await client.call(name, {})).data?.adcp_error?.code
  for (const name of all.names) {
    expect((await codeOf(name)) === 'INSUFFICIENT_PERMISSIONS', name).toBe(!names.includes(name))
  }
})

it('the controller is listed for sandbox agents alone', async () => {
  const key = await agent.addBuyer({ principal: 'tester', sandbox: true })
  expect((await toolsOf(agent.client(key))).names).toContain('comply_test_controller')
  expect((await toolsOf(agent.buyer)).names).not.toContain('comply_test_controller')
})
