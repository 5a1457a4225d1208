import { expect, it, onTestFinished } from 'vitest'
import { startAgent } from '../support/start-agent.ts'

it('the port for ads says whether ads are served, and serves nothing else', async () => {
  const agent = await startAgent({ demo: true, flags: { 'ads.port': 0 } })
  onTestFinished(() => agent.stop())
  const get = (path: string) => fetch(`http://127.0.0.1:${agent.server.adsPort}${path}`)
  expect((await get('/livez')).status).toBe(200)
  const ready = await get('/readyz')
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })])
  expect((await get('/.well-known/agent-card.json')).status).toBe(404)
})
