import { pino } from 'pino'
import { expect, it } from 'vitest'
import { peerOf } from '../../../src/platform/net/peer.ts'
import { listen } from '../../../src/transports/http/server.ts'

it('what comes before the routes are there is told when to come again, in the form of its address', async () => {
  const options = { host: '127.0.0.1', port: 0, log: pino({ level: 'silent' }), drainMs: 0, tls: undefined }
  const listener = await listen({ ...options, peerOf: peerOf({ mode: 'development', trustedProxies: [] }) }, { current: [] })
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`)
    return [answer.status, answer.headers.get('retry-after'), answer.headers.get('cache-control'), await answer.json()]
  }
  const message = 'the server is starting; try again in a second'
  const inForm = { error: message, code: 'unavailable' }
  expect(await ask('/v1/agents/https%3A%2F%2Fads.example/publishers')).toEqual([503, '1', 'no-store', inForm])
  expect(await ask('/api/registry/feed')).toEqual([503, '1', 'no-store', inForm])
  expect(await ask('/mcp')).toEqual([503, '1', 'no-store', { error: { code: 'SERVICE_UNAVAILABLE', message } }])
  await listener.close()
})

it('what no route has is not found, in the form of its address', async () => {
  const options = { host: '127.0.0.1', port: 0, log: pino({ level: 'silent' }), drainMs: 0, tls: undefined }
  const routes = { current: [[/^\/here$/, async () => undefined] as const] }
  const listener = await listen({ ...options, peerOf: peerOf({ mode: 'development', trustedProxies: [] }) }, routes)
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`)
    return [answer.status, await answer.json()]
  }
  const message = 'there is nothing at this address'
  expect(await ask('/api/registry/nothing')).toEqual([404, { error: message, code: 'not_found' }])
  expect(await ask('/nothing')).toEqual([404, { error: { code: 'REFERENCE_NOT_FOUND', message } }])
  await listener.close()
})
