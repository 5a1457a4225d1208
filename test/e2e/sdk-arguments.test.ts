import { AdCPClient } from '@adcp/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Schemas } from '../../src/protocol/schemas.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ sandbox: true })
})
afterAll(() => agent.stop())

/** What the SDK sends whatever a tool lists (`ADCP_ENVELOPE_FIELDS` in its types/adcp.js). */
const ALWAYS_SENT = new Set(['adcp_major_version', 'context', 'context_id', 'ext'])

/** The npm SDK drops every argument that the listed schema does not name; what it leaves is what reaches the server. */
it('the SDK passes on every member that the official request of a listed tool has', async () => {
  const config = { id: 'seller', name: 'seller', agent_uri: agent.url, protocol: 'mcp' as const, auth_token: agent.key }
  const buyer = new AdCPClient([config]).agent('seller')
  const { tools } = await buyer.getAgentInfo()
  const documents = new Schemas()
  expect(tools.length).toBeGreaterThan(20)
  for (const { name, parameters } of tools) {
    if (!TASKS.some((task) => task.name === name)) throw new Error(`${name} is no task`)
    const official = documents.document(documents.pathsOf(name)!.request).properties ?? {}
    const needed = Object.keys(official).filter((member) => !ALWAYS_SENT.has(member))
    expect(parameters, name).toEqual(expect.arrayContaining(needed))
  }
})

it('an argument of the creative request of list_creative_formats arrives, and filters', async () => {
  const config = { id: 'seller', name: 'seller', agent_uri: agent.url, protocol: 'mcp' as const, auth_token: agent.key }
  const buyer = new AdCPClient([config]).agent('seller')
  await buyer.getCapabilities()
  const answer = await buyer.executeTask('list_creative_formats', { type: 'audio' })
  const formats = (answer.data as { formats: { format_id: { id: string } }[] }).formats
  expect(formats.length).toBeGreaterThan(0)
  for (const { format_id } of formats) expect(format_id.id).toMatch(/audio|daast|podcast/)
})
