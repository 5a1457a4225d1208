import { createSecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { authority } from '../../test/support/match-provider.ts'

/** How a provider of the benchmark behaves: answers its package at once, answers for another request a package that was never sold, or never answers. */
export type Behaviour = 'answers' | 'lies' | 'hangs'

export interface BenchProvider {
  readonly endpoint: string
  /** Requests that arrived so far. */
  readonly asked: { count: number }
  stop(): Promise<void>
}

/** The package that a lying provider offers. */
export const LIE = 'never_sold'

/** A provider at 127.0.0.1 that speaks HTTP/2 and does as little as it can, so that its processor time leaves the router's alone. */
export async function startBenchProvider(packageId: string, behaviour: Behaviour): Promise<BenchProvider> {
  const asked = { count: 0 }
  const sessions = new Set<ServerHttp2Session>()
  const server = createSecureServer(authority.issue('127.0.0.1'))
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, { ':path': path = '' }) => {
    const chunks: Buffer[] = []
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      if (path.endsWith('/health')) return stream.respond({ ':status': 200 }, { endStream: true })
      asked.count += 1
      if (behaviour === 'hangs' || stream.destroyed) return
      const { request_id: requestId } = JSON.parse(Buffer.concat(chunks).toString())
      const answer = behaviour === 'lies' ? answerOf(path, 'of another request', LIE) : answerOf(path, requestId, packageId)
      stream.respond({ ':status': 200, 'content-type': 'application/json' })
      stream.end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async stop() {
      for (const session of sessions) session.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function answerOf(path: string, request_id: string, packageId: string): object {
  return path.endsWith('/context')
    ? { type: 'context_match_response', status: 'completed', request_id, offers: [{ package_id: packageId }] }
    : {
        type: 'identity_match_response',
        status: 'completed',
        request_id,
        eligible_package_ids: [packageId],
        serve_window_sec: 60,
      }
}
