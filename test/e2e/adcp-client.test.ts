import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_ACCOUNT, startAgent, type TestAgent } from '../support/start-agent.ts'

/** The official command line client, as a developer runs it. */
const ADCP = join(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'), '../bin/adcp.js')

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, sandbox: true })
})
afterAll(() => agent.stop())

function adcp(url: string, task: string, args: object, ...more: string[]): Promise<string> {
  const words = [ADCP, url, task, JSON.stringify(args), '--protocol', 'a2a', '--allow-http', ...more]
  const env = { ...process.env, ADCP_SKIP_VERSION_CHECK: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env, timeout: 30_000 }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}

test.each(['', '/a2a', '/.well-known/agent-card.json'])('finds the agent at its origin and %s', async (path) => {
  const url = `${new URL(agent.url).origin}${path}`
  const request = { buying_mode: 'brief', brief: 'video for coffee drinkers' }
  const output = await adcp(url, 'get_products', request, '--auth', agent.key)
  expect(output).toContain('SUCCESS')
  expect(output).toContain('"product_id"')
})

test('reads the code and the message of an error', async () => {
  const request = {
    idempotency_key: 'adcp-client-over-a2a',
    account: DEMO_ACCOUNT,
    media_buy_id: 'nothing',
    paused: true,
  }
  const output = await adcp(`${new URL(agent.url).origin}/a2a`, 'update_media_buy', request, '--auth', agent.key)
  expect(output).toContain('MEDIA_BUY_NOT_FOUND: media_buy_id names no media buy of this account')
})

test('is told that it needs credentials', async () => {
  expect(await adcp(`${new URL(agent.url).origin}/a2a`, 'list_accounts', {})).toContain('Authentication required')
})
