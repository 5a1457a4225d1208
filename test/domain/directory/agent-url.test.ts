import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentKey } from '../../../src/domain/directory/agent-url.ts'

interface Vector {
  readonly name: string
  readonly input_url: string
  readonly expected_target_uri?: string
  readonly reject?: boolean
}
const VECTORS = 'node_modules/@adcp/sdk/compliance/cache/3.0.6/test-vectors/request-signing/canonicalization.json'
const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { cases: Vector[] }

describe('official canonical-URL vectors', () => {
  it.each(cases)('the key of $name is its canonical form, or there is none', (vector) => {
    const { reject, input_url, expected_target_uri = '' } = vector
    const isKey = !reject && !input_url.includes('@')
    // A key has no trailing slashes in its path.
    const [path = '', query] = expected_target_uri.split(/(?=\?)/)
    expect(agentKey(input_url)).toBe(isKey ? path.replace(/\/+$/, '') + (query ?? '') : undefined)
  })
})

describe('agent key', () => {
  it.each([
    ['https://sales-agent.example.com/', 'https://sales-agent.example.com'],
    ['HTTPS://Agent.Example.COM:443', 'https://agent.example.com'],
    ['https://agent.example.com./mcp', 'https://agent.example.com/mcp'],
    ['https://agent.example.com/MCP/', 'https://agent.example.com/MCP'],
    ['https://agent.example.com/mcp//', 'https://agent.example.com/mcp'],
    ['http://agent.example.com:80/mcp', 'http://agent.example.com/mcp'],
    ['https://agent.example.com:8443/mcp', 'https://agent.example.com:8443/mcp'],
    ['https://agent.example.com/?a=1', 'https://agent.example.com?a=1'],
    ['https://agent.example.com/mcp/?A=/#top', 'https://agent.example.com/mcp?A=/'],
    ['https://agent.example.com/%7Ea/%2e%2e/b', 'https://agent.example.com/b'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ])('%s is indexed as %s', (input, key) => {
    expect(agentKey(input)).toBe(key)
    expect(agentKey(key)).toBe(key)
  })

  it.each([
    '',
    'foo',
    '/mcp',
    'ftp://agent.example.com',
    'https://user@agent.example.com/',
    'https://agent.example.com/*',
    'https://agent.example.com/a b',
    'https://agent.example.com/\u0007',
    'https://agent..example.com/',
    'https://.agent.example.com/',
    'https://agent.example.com:99999/',
    'https://agent.example.com/%zz',
    'https:///p',
    `https://agent.example.com/${'a'.repeat(2100)}`,
  ])('refuses %j', (input) => expect(agentKey(input)).toBeUndefined())

  it('keeps path case and port apart, unlike a key that is lower-cased as a whole', () => {
    expect(agentKey('https://a.example/MCP')).not.toBe(agentKey('https://a.example/mcp'))
    expect(agentKey('https://a.example:443/MCP')).toBe('https://a.example/MCP')
  })
})
