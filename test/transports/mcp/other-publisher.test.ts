import { afterAll, beforeAll, expect, it } from 'vitest'
import { callText, post } from '../../support/credentials.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
  await agent.addBuyer({ principal: 'other', tenant: 'globex' })
})
afterAll(() => agent.stop())

async function calledAt(path: string) {
  const { origin } = new URL(agent.url)
  const headers = [
    'Content-Type',
    'application/json',
    'Accept',
    'application/json, text/event-stream',
    'Authorization',
    `Bearer ${agent.key}`,
  ]
  const { status, body } = await post(origin + path, callText('list_accounts'), headers)
  return [status, JSON.stringify(body)]
}

it.each(['/t/globex/mcp', '/t/nope/mcp'])(
  'credentials at %s, which is no address of their publisher, are told the right one',
  async (path) => {
    const [status, text] = await calledAt(path)
    expect(status).toBe(404)
    expect(text).toContain('/t/acme/mcp')
  },
)

it.each(['/mcp', '/t/acme/mcp'])('credentials at %s are served', async (path) => {
  expect((await calledAt(path))[0]).toBe(200)
})
