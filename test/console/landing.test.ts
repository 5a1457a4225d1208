import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

it('/ is a page for browsers whose look-up leads to the directory, and JSON for programs', async () => {
  const origin = new URL(agent.url).origin
  const page = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain(`<code>${agent.url}</code>`)
  const [, action, name] = /<form[^>]* action="([^"]+)"[\s\S]*?name="([^"]+)"/.exec(page) ?? []
  const found = await fetch(`${origin}${action}?${name}=news.example`, { redirect: 'manual', headers: { accept: 'text/html' } })
  expect([found.status, found.headers.get('location')]).toEqual([303, '/directory/publisher?domain=news.example'])
  expect(await (await fetch(origin)).json()).toMatchObject({ mcp_url: agent.url })
})
