import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import { createServer as createHttp1Server, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createProviderClient, type ProviderClient } from '../../../src/platform/net/provider-client.ts'
import { createAuthority } from '../../support/fake-web/certificate.ts'

const authority = createAuthority()
const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Listens on loopback until the test has ended. */
async function listening(server: Http2SecureServer | Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket: Socket) => sockets.add(socket))
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A server of HTTP/2 whose streams `answer` serves, and how many connections it has had. */
async function http2Server(answer: (stream: ServerHttp2Stream, path: string) => void) {
  const server = createSecureServer(authority.issue('127.0.0.1'))
  const seen = { connections: 0 }
  server.on('session', (session) => {
    seen.connections += 1
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, { ':path': path = '' }) => {
    stream.on('error', () => undefined)
    stream.resume().on('end', () => answer(stream, path))
  })
  return { seen, port: await listening(server) }
}

function clientOf(port: number, maxBytes = 1_000): ProviderClient {
  const client = createProviderClient({ endpoint: `https://127.0.0.1:${port}/v1`, maxBytes, ca: authority.ca, development: {} })
  open.push(() => client.close())
  return client
}

const post = async (client: ProviderClient, signal = AbortSignal.timeout(60_000)) =>
  Buffer.from(await client.post('/context', '{}', { 'content-type': 'application/json' }, signal)).toString()

describe('a client of a provider', () => {
  it('sends all requests over one connection', async () => {
    const { port, seen } = await http2Server((stream, path) => stream.end(path))
    const client = clientOf(port)
    const answers = await Promise.all(Array.from({ length: 300 }, () => post(client)))
    expect(new Set(answers)).toEqual(new Set(['/v1/context']))
    expect(await client.status('/health', AbortSignal.timeout(60_000))).toBe(200)
    expect(seen.connections).toBe(1)
  })

  it('opens another connection after the server has ended one', async () => {
    const { port, seen } = await http2Server((stream) => {
      const { session } = stream
      stream.once('close', () => session?.close())
      stream.end('answered')
    })
    const client = clientOf(port)
    expect(await post(client)).toBe('answered')
    // Requests that meet the connection while it ends fail.
    await expect
      .poll(async () => (await post(client).catch(() => '')) === 'answered' && seen.connections > 1, { timeout: 60_000 })
      .toBe(true)
  })

  it('cancels the request that is given up, and that one alone', async () => {
    const held: ServerHttp2Stream[] = []
    const { port, seen } = await http2Server((stream, path) => {
      if (path === '/v1/health') stream.end('ok')
      else held.push(stream)
    })
    const client = clientOf(port)
    const controller = new AbortController()
    const asked = expect(post(client, controller.signal)).rejects.toThrow('given up')
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1)
    controller.abort()
    await asked
    expect(await client.status('/health', AbortSignal.timeout(60_000))).toBe(200)
    await expect.poll(() => held[0]?.rstCode, { timeout: 60_000 }).toBe(8)
    expect(seen.connections).toBe(1)
  })

  it('asks over another connection at once when one was silent for too long', async () => {
    const { port, seen } = await http2Server((stream) => {
      if (seen.connections > 1) stream.end('answered')
    })
    const client = clientOf(port)
    const controller = new AbortController()
    const asked = post(client, controller.signal).catch((error: Error) => error.message)
    await expect.poll(() => seen.connections, { timeout: 60_000 }).toBe(1)
    const later = performance.now() + 11_000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
    open.push(() => clock.mockRestore())
    controller.abort()
    expect(await asked).toMatch('given up')
    expect(await post(client)).toBe('answered')
  })

  it.each([
    ['is larger than permitted', (stream: ServerHttp2Stream) => stream.end('x'.repeat(1_001)), /larger than 1000 bytes/],
    [
      'is cut off',
      (stream: ServerHttp2Stream) => {
        stream.write('half')
        stream.close(8)
      },
      /cut off/,
    ],
    [
      'comes in thousands of parts',
      (stream: ServerHttp2Stream) => {
        stream.respond({ ':status': 200 })
        const more = () => {
          if (!stream.destroyed) stream.write(' ', () => setImmediate(more))
        }
        more()
      },
      /more than 4000 parts/,
      20_000,
    ],
    [
      'has interim answers without end',
      (stream: ServerHttp2Stream) => {
        for (let n = 0; n < 100; n++) stream.additionalHeaders({ ':status': 103 })
      },
      /more than 8 interim answers/,
    ],
    [
      'has another status and never ends',
      (stream: ServerHttp2Stream) => {
        stream.respond({ ':status': 500 })
        stream.write('x')
      },
      /status 500/,
    ],
  ])('refuses an answer that %s', async (_name, answer, reason, maxBytes = 1_000) => {
    const { port } = await http2Server(answer)
    await expect(post(clientOf(port, maxBytes))).rejects.toThrow(reason)
  })

  it('asks again after answers that were too large, however many', async () => {
    const { port } = await http2Server((stream, path) => stream.end(path === '/v1/context' ? 'x'.repeat(10_000_000) : ''))
    const client = clientOf(port)
    for (let count = 0; count < 3; count += 1) {
      await expect(post(client)).rejects.toThrow(/larger than 1000 bytes/)
      expect(await client.status('/health', AbortSignal.timeout(60_000))).toBe(200)
    }
  })

  it('speaks HTTP/1.1 with a server that has no HTTP/2', async () => {
    const server = createHttp1Server(authority.issue('127.0.0.1'), (request, response) => {
      response.end(`${request.httpVersion} ${request.url}`)
    })
    const client = clientOf(await listening(server))
    expect(await post(client)).toBe('1.1 /v1/context')
    expect(await post(client)).toBe('1.1 /v1/context')
  })

  it('refuses interim answers of HTTP/1.1 without end', async () => {
    const server = createHttp1Server(authority.issue('127.0.0.1'), (_request, response) => {
      for (let n = 0; n < 100; n++) response.writeProcessing()
      response.end()
    })
    await expect(post(clientOf(await listening(server)))).rejects.toThrow(/more than 8 interim answers/)
  })

  it('checks the certificate', async () => {
    const { port } = await http2Server((stream) => stream.end('answered'))
    const client = createProviderClient({ endpoint: `https://127.0.0.1:${port}/v1`, maxBytes: 1_000, development: {} })
    open.push(() => client.close())
    await expect(post(client)).rejects.toThrow()
  })
})
