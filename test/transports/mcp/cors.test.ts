import { expect, it } from 'vitest'
import { startAgent } from '../../support/start-agent.ts'

it('a page of an allowed origin can call, and read where to get a token; no other page can', async () => {
  const agent = await startAgent({ flags: { allowedOrigins: ['https://console.example'] } })
  const url = `http://127.0.0.1:${agent.server.port}/mcp`
  const preflight = (origin: string) =>
    fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const call = (origin: string) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }
    const headers = { origin, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const asked = await preflight('https://console.example')
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'https://console.example'])
  expect(asked.headers.get('access-control-allow-headers')).toContain('authorization')
  const refused = await call('https://console.example')
  expect(refused.status).toBe(401)
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://console.example')
  expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate')
  for (const reply of [await preflight('https://evil.example'), await call('https://evil.example')]) {
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(reply.status).toBeGreaterThanOrEqual(400)
  }
  await agent.stop()
})
