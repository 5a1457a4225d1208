import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifySellerCommand } from '../../src/cli/verify-seller.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
})
afterAll(() => agent.stop())

test('two sellers side by side in one signed report, and a broken promise ends with code 1', async () => {
  const out = join(mkdtempSync(join(tmpdir(), 'sellers-')), 'report')
  const written = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const words = [agent.url, 'http://127.0.0.1:9/mcp', '--key', agent.key, '--no-stories', '--no-load', '--json', '--out', out]
  await verifySellerCommand().parseAsync(words, { from: 'user' })
  const printed = String(written.mock.calls[0]?.[0])
  written.mockRestore()
  expect(process.exitCode).toBe(1)
  process.exitCode = undefined
  expect(`${printed}\n`).toBe(readFileSync(`${out}.json`, 'utf8'))
  const { sellers } = JSON.parse(printed)
  expect(sellers).toMatchObject([{ url: agent.url, counts: { broken: 0 } }, { counts: { held: 0 } }])
  expect(readFileSync(`${out}.html`, 'utf8')).toContain(agent.url)
  expect(existsSync(`${out}.json.jws`) && existsSync(`${out}.key.json`)).toBe(true)
  expect(printed).not.toContain(agent.key)
})

test.each([
  [['ftp://sales.example/mcp'], 'is not the address of an MCP endpoint'],
  [['https://a.example/mcp', '--key', 'x', '--key', 'y'], 'there are 2 keys for 1 sellers'],
])('%j is refused by name', async (words, message) => {
  await expect(verifySellerCommand().parseAsync(words, { from: 'user' })).rejects.toThrow(message)
})
