import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

it('answers trackers with a picture that no cache keeps, and nothing but reading', async () => {
  const url = `${new URL(agent.url).origin}/pixel?sku=a%26b`
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/gif')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 6)
      .toString('latin1'),
  ).toBe('GIF89a')
  expect((await fetch(url, { method: 'POST' })).status).toBe(405)
})
