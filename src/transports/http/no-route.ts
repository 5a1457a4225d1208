import type { ServerResponse } from 'node:http'
import { respondJson } from './respond.ts'

/** Addresses of directory and registry, whose errors are `{error, code}` with a text for `error`; `/api` itself is what official readers look for a description at. */
const REGISTRY_PATH = /^\/(?:api(?:\/|$)|v1\/agents\/)/

/** Answers a request that comes before the server has its routes: 503 with `Retry-After` (seconds), in the form of the address. */
export function replyStarting(path: string, response: ServerResponse): void {
  const headers = { 'Cache-Control': 'no-store', 'Retry-After': '1' }
  reply(response, path, {
    status: 503,
    headers,
    codes: ['unavailable', 'SERVICE_UNAVAILABLE'],
    message: 'the server is starting; try again in a second',
  })
}

/** Answers a request for a path that no route has: 404, in the form of the address. */
export function replyNothingHere(path: string, response: ServerResponse): void {
  reply(response, path, {
    status: 404,
    headers: {},
    codes: ['not_found', 'REFERENCE_NOT_FOUND'],
    message: 'there is nothing at this address',
  })
}

interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The registry's code, and that of all other addresses. */
  readonly codes: readonly [registry: string, other: string]
  readonly message: string
}

function reply(response: ServerResponse, path: string, { status, headers, codes, message }: Refusal): void {
  const [registry, other] = codes
  const body = REGISTRY_PATH.test(path) ? { error: message, code: registry } : { error: { code: other, message } }
  respondJson(response, status, body, headers)
}
