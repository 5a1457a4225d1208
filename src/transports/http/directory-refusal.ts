import { agentKey } from '../../domain/directory/agent-url.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** An answer other than the envelope; the body is `{error, code}` and what `more` adds. */
export class DirectoryRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly more: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.name = 'DirectoryRefusal'
    this.status = status
    this.code = code
    this.headers = headers
    this.more = more
  }
}

/** What to answer to a failed lookup; `segment` is the agent's part of the path. */
export function asRefusal(error: unknown, segment: string): DirectoryRefusal {
  if (error instanceof DirectoryRefusal) return error
  if (error instanceof AdcpError && error.code === 'RATE_LIMITED') {
    return new DirectoryRefusal(429, 'rate_limited', error.message, error.http?.headers)
  }
  if (error instanceof AdcpError && error.code === 'SERVICE_UNAVAILABLE') {
    const headers = { 'Retry-After': '5', ...error.http?.headers }
    return new DirectoryRefusal(503, 'unavailable', 'the directory does not answer at the moment; try again', headers)
  }
  if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') {
    const agentUrl = agentKey(decodeURIComponent(segment))
    return new DirectoryRefusal(404, 'agent_not_found', error.message, {}, { agent_url: agentUrl })
  }
  if (error instanceof AdcpError && error.code === 'INVALID_REQUEST') {
    return new DirectoryRefusal(400, String(error.details?.reason), error.message)
  }
  return new DirectoryRefusal(500, 'internal_error', 'the directory failed; try again later')
}
