import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

const MEGABYTE = 1024 * 1024
const BODY_BYTES = 4 * MEGABYTE
const POST = (length: number) =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const line = new CommandLine({ SALES_AGENT_LOG_LEVEL: 'silent' })
let server: Served
let key: string
const open: Socket[] = []

beforeAll(async () => {
  key = (await line.json('init', '--demo')).key
  server = await line.serve()
  // Warm: what is compiled at first use is no growth.
  for (let n = 0; n < 50; n++) await ask()
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await line.close()
})

describe('clients that mean no good', () => {
  it('idle connections, half a header and half a body cost little, hold nobody up, and are closed in time', async () => {
    const before = server.rssBytes()
    const idle = await connections(1000, '')
    const halfHeaders = await connections(200, 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    const drip = setInterval(() => {
      for (const { socket } of halfHeaders) if (socket.writable) socket.write('a')
    }, 500)
    const halfBodies = await connections(200, `${POST(1000)}{"jsonrpc":`)
    const openOf = (all: readonly Hostile[]) => all.filter(({ socket }) => !socket.destroyed).length
    // Served while every one of them is still there: nobody waits until they are gone.
    for (let n = 0; n < 20; n++) await ask()
    expect([openOf(idle), openOf(halfHeaders), openOf(halfBodies)]).toEqual([1000, 200, 200])
    expect(server.rssBytes() - before).toBeLessThan(120 * MEGABYTE)
    // Headers have ten seconds, however they drip in; a connection that asks for nothing is one of them.
    await expect.poll(() => openOf(halfHeaders), { timeout: 30_000 }).toBe(0)
    expect(halfHeaders.every(({ received }) => received().startsWith('HTTP/1.1 408'))).toBe(true)
    await expect.poll(() => openOf(idle), { timeout: 30_000 }).toBe(0)
    clearInterval(drip)
    for (const { socket } of halfBodies) socket.destroy()
    await ask()
  }, 120_000)

  it('floods of headers are refused at once', async () => {
    const flood = Array.from({ length: 3000 }, (_, n) => `X-Flood-${n}: ${'x'.repeat(20)}\r\n`).join('')
    const flooded = await connections(100, `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${flood}`)
    await expect.poll(() => flooded.filter(({ socket }) => !socket.destroyed).length, { timeout: 60_000 }).toBe(0)
    expect(flooded.every(({ received }) => received() === '' || received().startsWith('HTTP/1.1 431'))).toBe(true)
    await ask()
  })

  it('large bodies that never end share a bounded room, and small calls need none of it', async () => {
    const before = server.rssBytes()
    const piece = 'x'.repeat(64 * 1024)
    const endless = await connections(80, POST(BODY_BYTES))
    for (let sent = 0; sent < BODY_BYTES - MEGABYTE; sent += piece.length) {
      for (const { socket } of endless) if (socket.writable) socket.write(piece)
      await sleep(5)
    }
    await expect
      .poll(() => endless.filter(({ received }) => received().startsWith('HTTP/1.1 503')).length, { timeout: 60_000 })
      .toBeGreaterThan(30)
    expect(endless.some(({ received }) => received() === '')).toBe(true)
    expect(server.rssBytes() - before).toBeLessThan(250 * MEGABYTE)
    for (let n = 0; n < 20; n++) await ask()
    for (const { socket } of endless) socket.destroy()
    // The room is given back as soon as the server has seen that they are gone.
    const whole = async () => {
      const [late] = await connections(1, `${POST(BODY_BYTES)}${'x'.repeat(BODY_BYTES)}`)
      await vi.waitUntil(() => late?.received() !== '', { timeout: 60_000 })
      return late?.received().slice(0, 12)
    }
    await expect.poll(whole, { timeout: 60_000 }).toBe('HTTP/1.1 400')
  })

  it('a body in pieces of one byte costs no more than its bytes', async () => {
    const before = server.rssBytes()
    const dripping = await connections(20, POST(200_000))
    for (const { socket } of dripping) socket.setNoDelay(true)
    for (let n = 0; n < 2_000; n++) {
      for (const { socket } of dripping) socket.write('x')
      if (n % 20 === 0) await sleep(1)
    }
    await ask()
    expect(server.rssBytes() - before).toBeLessThan(60 * MEGABYTE)
    for (const { socket } of dripping) socket.destroy()
  })
})

interface Hostile {
  readonly socket: Socket
  received(): string
}

/** Opens connections that send this much and then wait. */
function connections(count: number, text: string): Promise<readonly Hostile[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Hostile>((resolve, reject) => {
          let received = ''
          const socket = connect(Number(new URL(server.origin).port), '127.0.0.1', () => {
            if (text !== '') socket.write(text)
            resolve({ socket, received: () => received })
          })
          socket.on('data', (chunk: Buffer) => {
            if (received.length < 200) received += chunk.toString('latin1')
          })
          socket.on('error', (error) => {
            if (socket.connecting) reject(error)
          })
          open.push(socket)
        }),
    ),
  )
}

/** One call of a buyer who means well. */
async function ask(): Promise<void> {
  const { isError } = await agentClient(server.mcpUrl, key).call('get_products', { buying_mode: 'brief', brief: 'video' })
  expect(isError).toBe(false)
}
