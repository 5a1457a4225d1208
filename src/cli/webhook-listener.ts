import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Receiver, Reception } from '../operator/webhooks/receive-webhooks.ts'
import { JsonRefused, parseJson } from '../platform/decode/parse-json.ts'
import { senderAt } from '../platform/net/body-room.ts'
import { readBody } from '../transports/http/read-body.ts'
import { respondEmpty, respondJson } from '../transports/http/respond.ts'

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  /** Origin under which the seller knows this listener, when a proxy is in front of it. */
  readonly publicOrigin?: string | undefined
  readonly receive: Receiver
  /** HTTP status for genuine webhooks; anything but 2xx shows how the seller tries again. */
  readonly answer: number
  readonly onWebhook: (webhook: HeardWebhook) => void
  readonly clock?: () => Date
}

/** A webhook and what was made of it. */
export interface HeardWebhook {
  readonly at: string
  readonly path: string
  readonly reception: Reception
  /** Its `idempotency_key` was seen before: a repetition, to be answered and otherwise ignored. */
  readonly repeated: boolean
  readonly answered: number
  readonly payload: unknown
}

const MAX_BODY_BYTES = 1024 * 1024
/** Keys remembered to recognise repetitions. */
const REMEMBERED = 10_000

/** A receiver of webhooks for developers. Resolves once it listens. */
export async function startListener(options: ListenerOptions): Promise<{ server: Server; origin: string }> {
  const seen = new Set<string>()
  const clock = options.clock ?? (() => new Date())
  const server = createServer((request, response) => {
    const answer = async (): Promise<HeardWebhook> => {
      const body = await readBody(request, { maxBytes: MAX_BODY_BYTES, sender: senderAt(request.socket.remoteAddress) })
      const path = request.url ?? '/'
      const origin = options.publicOrigin ?? `http://${request.headers.host}`
      const message = { method: request.method ?? 'POST', url: origin + path, rawHeaders: request.rawHeaders, body }
      const now = clock()
      const reception = await options.receive(message, now, hasDuplicateKey)
      const payload = parsed(body)
      const key = keyOf(payload)
      const answered = reception.genuine ? options.answer : 401
      const repeated = key !== undefined && seen.has(key)
      if (key !== undefined && reception.genuine && seen.size < REMEMBERED) seen.add(key)
      return { at: now.toISOString(), path, reception, repeated, answered, payload }
    }
    answer().then(
      (heard) => {
        const { reception } = heard
        if (!reception.genuine) response.setHeader('WWW-Authenticate', `Signature error="${reception.code}"`)
        respondJson(response, heard.answered, {})
        options.onWebhook(heard)
      },
      () => respondEmpty(response, 400),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => resolve())
  })
  const { port } = server.address() as AddressInfo
  return { server, origin: options.publicOrigin ?? `http://${options.host}:${port}` }
}

function hasDuplicateKey(body: Uint8Array): boolean {
  try {
    parseJson(body)
    return false
  } catch (error) {
    return error instanceof JsonRefused && error.fault === 'duplicate-key'
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function keyOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('idempotency_key' in payload)) return undefined
  return typeof payload.idempotency_key === 'string' ? payload.idempotency_key : undefined
}
