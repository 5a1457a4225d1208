import { AdcpError } from '../../protocol/errors.ts'

/** An answer of the registry other than what was asked for. The body is `{error, code}` and what `more` adds or, where the official schema wants another `error`, replaces. */
export class RegistryRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly more: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    more: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'RegistryRefusal'
    this.status = status
    this.code = code
    this.more = more
    this.headers = headers
  }

  get body(): object {
    return { error: this.message, code: this.code, ...this.more }
  }
}

/** The refusal of an address that does not answer as an AdCP agent. */
export function notAnAgent(agentUrl: string, reason: string): RegistryRefusal {
  return new RegistryRefusal(422, 'agent_not_verified', `the agent could not be verified: ${reason}`, { agent_url: agentUrl })
}

/** Whatever was thrown, as an answer; undefined for a fault of ours, which belongs in the log. */
export function asRegistryRefusal(error: unknown): RegistryRefusal | undefined {
  if (error instanceof RegistryRefusal) return error
  if (!(error instanceof AdcpError)) return undefined
  const { http, message, retryAfter } = error
  const more = retryAfter === undefined ? {} : { retry_after: retryAfter }
  if (http !== undefined) return new RegistryRefusal(http.status, codeOf(error), message, more, http.headers)
  if (error.code === 'PERMISSION_DENIED') return new RegistryRefusal(403, 'not_yours', message)
  if (error.code !== 'INVALID_REQUEST') return undefined
  const reason = error.details?.reason
  if (reason === 'cursor_expired')
    return new RegistryRefusal(410, 'cursor_expired', message, { error: 'cursor_expired', message })
  return new RegistryRefusal(400, `invalid_${(error.field ?? 'request').split(/\W/, 1)[0]}`, message)
}

function codeOf({ code }: AdcpError): string {
  if (code === 'RATE_LIMITED') return 'rate_limited'
  if (code === 'SERVICE_UNAVAILABLE') return 'unavailable'
  return code === 'AUTH_REQUIRED' ? 'unauthorized' : code === 'AUTH_INVALID' ? 'invalid_token' : code.toLowerCase()
}
