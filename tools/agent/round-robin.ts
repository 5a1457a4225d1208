import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin {
  readonly origin: string
  /** Requests that each upstream answered, in the order of the upstreams. */
  readonly answered: readonly number[]
  close(): Promise<void>
}

/**
 * A small load balancer: gives each request to the next upstream, as one that ends TLS and says so. It retries nothing and remembers
 * nobody; an upstream that cannot be reached is a 502.
 * @param upstreams asked anew for each request, since a killed server comes back
 */
export async function startRoundRobin(upstreams: () => readonly string[]): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 })
  const answered: number[] = []
  let next = 0
  const server = createServer((incoming, response) => {
    const origins = upstreams()
    const index = next++ % origins.length
    forward(incoming, response, `${origins[index]}`, agent, () => {
      answered[index] = (answered[index] ?? 0) + 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(incoming: IncomingMessage, response: ServerResponse, origin: string, agent: Agent, done: () => void): void {
  const { method, headers, socket } = incoming
  const forwarded = {
    ...headers,
    'x-forwarded-for': headers['x-forwarded-for'] ?? socket.remoteAddress ?? '',
    'x-forwarded-proto': 'https',
  }
  const outgoing = request(new URL(incoming.url ?? '/', origin), { method, headers: forwarded, agent }, (reply) => {
    done()
    response.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.on('error', () => response.destroy())
    reply.on('aborted', () => response.destroy())
    reply.pipe(response)
  })
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
  })
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy()
  })
  incoming.pipe(outgoing)
}
