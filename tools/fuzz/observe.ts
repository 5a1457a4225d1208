import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Reply } from './judge.ts'

/** A loopback proxy in front of an agent that shows every reply to an observer. */
export interface Observer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Forwards requests to an agent and reports status and body of each reply, since a client library hides both.
 * @param target URL of the agent; its path is kept
 */
export async function observe(target: string, seen: (reply: Reply) => void): Promise<Observer> {
  const agent = new URL(target)
  const send = agent.protocol === 'https:' ? httpsRequest : httpRequest
  const forward: RequestListener = (incoming, outgoing) => {
    const headers = { ...incoming.headers, host: agent.host }
    const passed = send(new URL(incoming.url ?? '/', agent), { method: incoming.method ?? 'GET', headers }, async (reply) => {
      const body = await bodyOf(reply)
      seen({ status: reply.statusCode ?? 0, body: body.toString('utf8') })
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      outgoing.end(body)
    })
    passed.once('error', (error) => {
      seen({ status: 599, body: `the connection broke: ${error.message}` })
      outgoing.destroy()
    })
    incoming.pipe(passed)
  }
  const server = createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the observer has no port')
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${address.port}${agent.pathname}`, close }
}

async function bodyOf(reply: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
