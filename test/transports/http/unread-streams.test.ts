import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createFeedPages } from '../../../src/features/registry/feed-pages.ts'
import type { Registry } from '../../../src/features/registry/registry.ts'
import { createSlots } from '../../../src/platform/concurrency/slots.ts'
import { createLog } from '../../../src/platform/log.ts'
import { REGISTRY_STREAMS, registryStreamRoute } from '../../../src/transports/http/registry-stream.ts'
import { beginEvents, writeEvents } from '../../../src/transports/http/respond.ts'
import { dropStuckReaders } from '../../../src/transports/http/stuck-readers.ts'

const MEGABYTE = 'x'.repeat(1_000_000)
/** Megabytes that the system keeps for one reader that does not read, about; whoever does not wait for readers writes on for ever. */
const MOST_KEPT = 12

async function listen(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly server: ReturnType<typeof createServer> }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** An answer whose body nobody reads. */
function unread(url: string): Promise<{ readonly status: number; readonly read: () => void }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      response.on('error', () => undefined)
      resolve({ status: response.statusCode ?? 0, read: () => void response.resume() })
    })
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
}

/** A feed without an end, of pages of a megabyte. */
async function endlessFeed(addressOf: (target: string) => string) {
  const made: (string | undefined)[] = []
  let making = 0
  let most = 0
  const registry = {
    operations: [{ id: 'getRegistryFeed', parameters: [], notServed: [] }],
    document: {},
    refused: () => undefined,
    async perform(_operation: unknown, { cursor }: { readonly cursor?: string }) {
      making++
      most = Math.max(most, making)
      await sleep(1)
      making--
      made.push(cursor)
      const next = String(Number(cursor ?? 0) + 1)
      return { status: 200, body: { events: [{ text: MEGABYTE }], cursor: next, has_more: true } }
    },
  }
  const route = registryStreamRoute({
    pages: createFeedPages(registry as unknown as Registry, { dataVersion: () => 1 }, REGISTRY_STREAMS.inAll),
    peerOf: ({ url = '' }) => ({ address: addressOf(url), channel: 'plain', certificate: undefined }),
    clock: () => new Date(),
    log: createLog('silent'),
    newRequestId: () => 'r',
    store: { dataVersion: () => 1 },
    streams: createSlots(REGISTRY_STREAMS),
    refused: () => undefined,
  })
  const { url } = await listen((request, response) => void route(request, response, []))
  return { url, made, most: () => most }
}

it('a stream of events waits for a reader that takes none', async () => {
  let written = 0
  const { url } = await listen(async (_request, response) => {
    beginEvents(response)
    for (; !response.destroyed && written < 1_000; written++) await writeEvents(response, MEGABYTE)
  })
  const { read } = await unread(url)
  await sleep(1_000)
  expect(written).toBeLessThan(MOST_KEPT)
  read()
  await expect.poll(() => written).toBeGreaterThan(2 * MOST_KEPT)
})

it('a connection that takes nothing ends although more is written to it', async () => {
  const { url, server } = await listen((_request, response) => {
    beginEvents(response)
    const timer = setInterval(() => response.write(MEGABYTE), 20)
    response.once('close', () => clearInterval(timer))
  })
  dropStuckReaders(server, 500)
  const [stuck, reading] = [await unread(url), await unread(url)]
  reading.read()
  expect(stuck.status).toBe(200)
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  expect(await open()).toBe(2)
  await expect.poll(open, { timeout: 10_000 }).toBe(1)
  await sleep(1_000)
  expect(await open()).toBe(1)
})

it('streams of the feed that nobody reads make few pages, one by one, and keep nobody else from theirs', async () => {
  const feed = await endlessFeed((target) => new URL(target, 'http://x').searchParams.get('from') ?? '')
  const stuck = Array.from({ length: 40 }, (_, index) => unread(`${feed.url}/?from=192.0.2.${Math.floor(index / 10)}`))
  for (const each of stuck) each.catch(() => undefined)
  expect((await Promise.race(stuck)).status).toBe(200)
  await sleep(1_500)
  const before = feed.made.length
  expect(before).toBeLessThan(MOST_KEPT * 4)
  await sleep(500)
  expect(feed.made.length).toBe(before)
  const other = await unread(`${feed.url}/?from=198.51.100.1`)
  other.read()
  await expect.poll(() => feed.made.length).toBeGreaterThan(before + 2 * MOST_KEPT)
  expect(feed.most()).toBe(1)
})

it('a page that streams at the same place read at the same time is made once', async () => {
  const feed = await endlessFeed(() => '192.0.2.1')
  await Promise.all([unread(feed.url), unread(feed.url)])
  expect(feed.made.filter((cursor) => cursor === undefined)).toHaveLength(1)
})
