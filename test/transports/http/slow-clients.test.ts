import { randomBytes } from 'node:crypto'
import { connect as connectSession } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../../src/platform/log.ts'
import { senderAt } from '../../../src/platform/net/body-room.ts'
import type { Patience } from '../../../src/transports/http/connection-limits.ts'
import { listenForScrapes, metricsRoute } from '../../../src/transports/http/metrics.ts'
import { reply } from '../../../src/transports/trusted-match/match-exchange.ts'
import { listenForMatches } from '../../../src/transports/trusted-match/match-listener.ts'
import { readMatchJson } from '../../../src/transports/trusted-match/read-message.ts'
import { tlsFiles } from '../../support/tls-files.ts'

/** What takes seconds in service, in tenths of them. */
const PATIENCE: Patience = {
  requestTimeout: 1_500,
  headersTimeout: 700,
  handshakeTimeout: 700,
  connectionsCheckingInterval: 100,
  readerTimeout: 400,
}
const WITHIN = { timeout: 15_000 }
/** More than the system keeps for a reader that does not read. */
const ANSWER = randomBytes(8_000_000).toString('latin1')

const files = tlsFiles('127.0.0.1')
afterAll(() => files.remove())

const onFailure = (error: unknown) => createLog('silent').error(error)
const scrapes = () =>
  listenForScrapes({
    ...{ host: '127.0.0.1', port: 0, patience: PATIENCE, onError: onFailure },
    route: metricsRoute({ scrape: async () => ({ contentType: 'text/plain', body: ANSWER }) }),
  })
const matches = (tls?: { readonly cert: string; readonly key: string }) => () =>
  listenForMatches(
    { host: '127.0.0.1', port: 0, tls, drainMs: 0, onFailure, patience: PATIENCE },
    new Map([
      [
        '/metrics',
        async (request, response) => {
          if (request.method === 'POST') await readMatchJson(request, 1_000, senderAt(undefined))
          reply(response, 200, 'text/plain', ANSWER)
        },
      ],
    ]),
  )
const plain = (port: number) => connect(port, '127.0.0.1')
const secure = (port: number) => connectTls({ port, host: '127.0.0.1', ca: files.ca, ALPNProtocols: ['http/1.1'] })

const LISTENERS: readonly [string, () => Promise<{ port: number; close(): Promise<void> }>, (port: number) => Socket][] = [
  ['the listener of scrapes', scrapes, plain],
  ['the listener of Trusted Match', matches(), plain],
  ['the listener of Trusted Match over TLS', matches(files.tls), secure],
]
const HEAD = 'Host: 127.0.0.1\r\n'

describe.each(LISTENERS)('%s', (_name, listen, open) => {
  /** A connection that begins like this, and then sends the same more five times a second. */
  async function dripping(text: string, more = 'a'): Promise<Socket> {
    const listener = await listen()
    onTestFinished(() => listener.close())
    return drip(open(listener.port), text, more)
  }

  it.each([
    ['half a header', `GET /metrics HTTP/1.1\r\n${HEAD}X-Slow: `],
    ['half a body', `POST /metrics HTTP/1.1\r\n${HEAD}Content-Length: 900\r\n\r\n`],
    ['a body in chunks without an end', `POST /metrics HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n384\r\n`],
  ])('ends a connection of %s', async (_what, text) => {
    const socket = await dripping(text)
    socket.resume()
    await expect.poll(() => socket.destroyed, WITHIN).toBe(true)
  })

  it('ends a connection that sends nothing', async () => {
    const listener = await listen()
    onTestFinished(() => listener.close())
    const socket = plain(listener.port).resume()
    onTestFinished(() => void socket.destroy())
    await expect.poll(() => socket.destroyed, WITHIN).toBe(true)
  })

  it('ends a connection that does not read its answer', async () => {
    // Whole requests, so that it is the answers that nobody takes.
    const request = `GET /metrics HTTP/1.1\r\n${HEAD}\r\n`
    const socket = await dripping(request, request)
    socket.pause()
    await expect.poll(() => socket.destroyed, WITHIN).toBe(true)
  })
})

describe('sessions of HTTP/2', () => {
  async function session(headers: Record<string, string>, settings: object = {}) {
    const listener = await matches(files.tls)()
    const client = connectSession(`https://127.0.0.1:${listener.port}`, { ca: files.ca, ...settings })
    client.on('error', () => undefined)
    onTestFinished(async () => {
      client.destroy()
      await listener.close()
    })
    const stream = client.request({ ':path': '/metrics', ...headers }, { endStream: headers[':method'] !== 'POST' })
    stream.on('error', () => undefined)
    return { client, stream }
  }

  it('a stream whose body drips in ends', async () => {
    const { stream } = await session({ ':method': 'POST' })
    const timer = setInterval(() => stream.writable && stream.write('x'), 200)
    onTestFinished(() => clearInterval(timer))
    stream.resume()
    await expect.poll(() => stream.closed, WITHIN).toBe(true)
  })

  it('a session ends that asks nothing, or takes nothing of an answer', async () => {
    const { client: idle, stream } = await session({ ':method': 'GET', ':path': '/unknown' })
    stream.resume()
    const { client: stuck } = await session({ ':method': 'GET' })
    await expect.poll(() => [idle.destroyed, stuck.destroyed], WITHIN).toEqual([true, true])
  })
})

function drip(socket: Socket, text: string, more: string): Socket {
  socket.on('error', () => undefined)
  socket.once(socket.constructor.name === 'TLSSocket' ? 'secureConnect' : 'connect', () => socket.write(text))
  const timer = setInterval(() => socket.writable && !socket.connecting && socket.write(more), 200)
  onTestFinished(() => {
    clearInterval(timer)
    socket.destroy()
  })
  return socket
}
