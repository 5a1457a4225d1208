import type { ServerResponse } from 'node:http'

/** Addresses of directory and registry, whose errors are `{error, code}` with a text for `error`. */
const REGISTRY_PATH = /^\/(?:api|v1\/agents)\//

const MESSAGE = 'the server is starting; try again in a second'

/** Answers a request that comes before the server has its routes: 503 with `Retry-After` (seconds), in the form of the address. */
export function replyStarting(path: string, response: ServerResponse): void {
  const body = REGISTRY_PATH.test(path)
    ? { error: MESSAGE, code: 'unavailable' }
    : { error: { code: 'SERVICE_UNAVAILABLE', message: MESSAGE } }
  response.writeHead(503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Retry-After': '1' })
  response.end(JSON.stringify(body))
}
