import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP has it in JSON, with its attributes as a record. */
export interface CollectedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly status: { readonly code?: number; readonly message?: string }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
}

/** A collector of OTLP over HTTP (JSON) on loopback. */
export interface SpanCollector {
  /** Where spans are posted. */
  readonly endpoint: string
  readonly spans: readonly CollectedSpan[]
  /** Every body as it came. */
  readonly bodies: readonly string[]
  /** Headers of every batch. */
  readonly headers: readonly IncomingHttpHeaders[]
  close(): Promise<void>
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Starts one. `answer` replaces its 200, e.g. by a refusal or by silence. */
export async function startSpanCollector(answer?: RequestListener): Promise<SpanCollector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      bodies.push(body)
      headers.push(request.headers)
      if (answer) return answer(request, response)
      if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end()
      spans.push(...spansIn(body))
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    bodies,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function spansIn(body: string): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: the official form of OTLP, judged by assertions
  const { resourceSpans }: any = JSON.parse(body)
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: see above
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: see above
      spans.map((span: any) => ({
        ...span,
        attributes: recordOf(span.attributes),
        resource: recordOf(resource.attributes),
      })),
    ),
  )
}

function recordOf(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}
