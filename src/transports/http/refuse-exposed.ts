import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondJson } from './respond.ts'

const EXPOSED = {
  code: 'INVALID_REQUEST',
  message: 'credentials are accepted over TLS only; those just sent could be read on the way, so have them replaced',
  recovery: 'terminal',
}
const EXPOSED_BODY = { adcp_error: EXPOSED, errors: [EXPOSED], error: EXPOSED }

/**
 * Refuses credentials that anybody on the way could read (AdCP authentication page). Nothing is processed, and nothing in the
 * reply asks for the same again: no challenge, no redirect, no time to wait.
 */
export function refuseExposed(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  respondJson(response, 403, EXPOSED_BODY, { Connection: 'close' })
}
