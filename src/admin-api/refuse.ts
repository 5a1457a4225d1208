import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { MOST_JSON_BYTES } from '../operator/size-limits.ts'
import { JsonRefused } from '../platform/decode/parse-json.ts'
import { AdcpError } from '../protocol/errors.ts'
import { BodyIncomplete, BodyTooLarge } from '../transports/http/read-body.ts'
import { writeProblem } from './problem.ts'

/** Answers a request that failed with problem details; closes the connection when a part of its body was not read. */
export function refuse(error: unknown, request: IncomingMessage, response: ServerResponse, log: Logger): void {
  if (error instanceof BodyIncomplete) {
    response.destroy()
    return
  }
  // What is left of a body that was not read would be taken for the next request.
  writeProblem(response, asProblem(error, log), request.complete ? {} : { Connection: 'close' })
}

function asProblem(error: unknown, log: Logger): AdcpError {
  if (error instanceof AdcpError) return error
  if (error instanceof JsonRefused) return new AdcpError('INVALID_REQUEST', error.message)
  if (error instanceof BodyTooLarge)
    return new AdcpError('INVALID_REQUEST', `the body has more than ${MOST_JSON_BYTES} bytes`, { http: { status: 413 } })
  log.error({ err: error }, 'admin request failed')
  return new AdcpError('SERVICE_UNAVAILABLE', 'the request failed inside the server', { http: { status: 500 } })
}
