import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

/** Sends a POST with these Host headers as bytes; gives the status. */
function statusOf(path: string, ...hosts: readonly string[]): Promise<number> {
  const lines = [
    `POST ${path} HTTP/1.1`,
    ...hosts,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(agent.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
    })
    socket.on('end', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])))
    socket.on('error', reject)
    socket.write(`${lines.join('\r\n')}\r\n\r\n${BODY}`)
  })
}

it.each(['/mcp', '/a2a', '/.well-known/jwks.json', '/nowhere'])('two Host headers are refused on %s', async (path) => {
  expect(await statusOf(path, 'Host: localhost', 'Host: localhost')).toBe(400)
  expect(await statusOf(path, 'Host: localhost', 'hOST: evil.example')).toBe(400)
})

it('one is served', async () => {
  expect(await statusOf('/mcp', 'Host: localhost')).toBe(200)
})
