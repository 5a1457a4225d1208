import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerInOrder } from '../../../src/transports/http/answer-in-order.ts'

const MEGABYTE = 1024 * 1024
/** Of the requests in the order in which they were carried out: their paths. */
let asked: string[]
let answer: (response: ServerResponse, path: string) => void
const server = createServer(
  answerInOrder((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    answer(response, path)
  }),
)
let client: Socket
let received: string

beforeEach(async () => {
  asked = []
  received = ''
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  await once(client, 'connect')
})
afterEach(async () => {
  client.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const requests = (count: number) =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('')
const read = () => client.on('data', (chunk) => (received += String(chunk)))

it('carries out what came at once one after the other, and answers in that order', async () => {
  const open: ServerResponse[] = []
  answer = (response) => open.push(response)
  read()
  client.write(requests(20))
  for (let n = 0; n < 20; n++) {
    await expect.poll(() => asked.length).toBe(n + 1)
    expect(open).toHaveLength(n + 1)
    open[n]?.end(`<${n}>`)
  }
  const expected = Array.from({ length: 20 }, (_, n) => `<${n}>`)
  await expect.poll(() => received.match(/<\d+>/g)).toEqual(expected)
})

it('carries out no more for a client that reads nothing than its connection takes', async () => {
  answer = (response) => response.end('x'.repeat(16 * MEGABYTE))
  client.pause()
  client.write(requests(50))
  await expect.poll(() => asked.length).toBe(1)
  // Whoever begins to read is served on.
  answer = (response, path) => response.end(path)
  read().resume()
  await expect.poll(() => received.endsWith('/49')).toBe(true)
  expect(asked).toHaveLength(50)
})

it('drops a connection with more than a hundred that wait', async () => {
  answer = () => {}
  client.resume()
  client.write(requests(102))
  await once(client, 'close')
  expect(asked).toEqual(['/0'])
})
