import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { createAuthority } from './fake-web/certificate.ts'

/** A request that a provider received. */
export interface ReceivedMatch {
  readonly path: string
  readonly httpVersion: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what was sent
  readonly body: any
}

/** How a provider answers: with a value, or by its own hand. */
export type MatchBehaviour = (received: ReceivedMatch, response: Http2ServerResponse) => object | undefined

/** The authority that signs the certificates of all providers of a test. */
export const authority = createAuthority()

/** A provider on loopback that speaks HTTP/2 and keeps what it received. `behave` and `health`, the status of `GET …/health`, may be replaced. */
export async function startMatchProvider(behave: MatchBehaviour) {
  const received: ReceivedMatch[] = []
  const provider = { received, behave, health: 200, endpoint: '', stop: async () => {} }
  const answer = async (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path, httpVersion, headers } = request
    if (path.endsWith('/health')) {
      response.statusCode = provider.health
      response.end()
      return
    }
    const one = { path, httpVersion, headers, body: JSON.parse(Buffer.concat(chunks).toString()) }
    received.push(one)
    const value = provider.behave(one, response)
    if (value === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  const server = createSecureServer({ ...authority.issue('provider.example'), allowHTTP1: true }, (request, response) => {
    answer(request, response).catch(() => response.stream?.destroy())
  })
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provider.endpoint = `https://provider.example:${(server.address() as AddressInfo).port}/v1`
  provider.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return provider
}

export type MatchProvider = Awaited<ReturnType<typeof startMatchProvider>>

/** A valid answer on either path. */
export const offers =
  (...ids: string[]): MatchBehaviour =>
  ({ path, body }) =>
    path.endsWith('/context')
      ? {
          type: 'context_match_response',
          status: 'completed',
          request_id: body.request_id,
          offers: ids.map((package_id) => ({ package_id })),
        }
      : {
          type: 'identity_match_response',
          status: 'completed',
          request_id: body.request_id,
          eligible_package_ids: ids,
          serve_window_sec: 60,
        }
