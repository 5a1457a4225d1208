import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as it arrived. */
export interface Received {
  readonly url: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: payloads are judged by assertions
  readonly body: any
}

export interface WebhookReceiver {
  readonly origin: string
  readonly received: Received[]
  /** What it answers from now on; `count` says how many came before on the same path. Default: 200. */
  answer(reply: (webhook: Received, response: ServerResponse, count: number) => void): void
  /** Webhooks of a path, in order of arrival. */
  at(path: string): Received[]
  /** Waits until `count` webhooks have come to a path, with patience for a busy machine (default 20 s). */
  expect(path: string, count: number, withinMs?: number): Promise<Received[]>
  close(): Promise<void>
}

/** A buyer's endpoint on loopback. */
export async function startReceiver(port = 0): Promise<WebhookReceiver> {
  const received: Received[] = []
  let reply = (_webhook: Received, response: ServerResponse, _count: number): void => {
    response.writeHead(200).end('{"ok":true}')
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const path = request.url ?? '/'
      const webhook: Received = {
        url: `http://${request.headers.host}${path}`,
        path,
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        bytes,
        body: JSON.parse(bytes.toString('utf8')),
      }
      const count = received.filter((one) => one.path === path).length
      received.push(webhook)
      reply(webhook, response, count)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const at = (path: string) => received.filter((one) => one.path === path)
  return {
    origin,
    received,
    answer(next) {
      reply = next
    },
    at,
    async expect(path, count, withinMs = 20_000) {
      const deadline = performance.now() + withinMs
      while (at(path).length < count) {
        if (performance.now() > deadline) throw new Error(`${at(path).length} of ${count} webhooks came to ${path}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      return at(path)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
