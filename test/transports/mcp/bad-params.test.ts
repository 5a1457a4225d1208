import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function errorOf(method: string, params: object, headers: Record<string, string> = {}) {
  const response = await agent.buyer.send({ jsonrpc: '2.0', id: 1, method, params }, headers)
  expect(response.status).toBeLessThan(500)
  const { error } = (await response.json()) as { error: { code: number; message: string } }
  return error
}

describe('parameters of the wrong form are -32602 in words', () => {
  it.each([
    ['initialize', { protocolVersion: 1, capabilities: {}, clientInfo: { name: 'x', version: '1' } }, 'params.protocolVersion'],
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: 'all', clientInfo: { name: 'x', version: '1' } },
      'params.capabilities',
    ],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {} }, 'params.clientInfo'],
    ['initialize', {}, 'params.protocolVersion'],
    ['tools/list', { cursor: 1 }, 'params.cursor'],
    ['resources/list', { cursor: {} }, 'params.cursor'],
    ['resources/templates/list', { cursor: null }, 'params.cursor'],
    ['resources/read', { uri: 7 }, 'params.uri'],
    ['resources/read', {}, 'params.uri'],
  ])('%s %j', async (method, params, field) => {
    const { code, message } = await errorOf(method, params)
    expect(code).toBe(-32602)
    expect(message).toMatch(new RegExp(`^Invalid params: ${field.replaceAll('.', '\\.')}: .*expected`))
    expect(message).not.toMatch(/[[\]{}\n]/)
  })

  it('on 2026-07-28 too', async () => {
    const { code, message } = await errorOf(
      'resources/read',
      { uri: 7, _meta: META },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'resources/read' },
    )
    expect({ code, message }).toMatchObject({ code: -32602 })
    expect(message).not.toMatch(/[[\]{}\n]/)
  })
})
