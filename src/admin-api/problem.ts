import type { ServerResponse } from 'node:http'
import type { AdcpError } from '../protocol/errors.ts'
import { respondProblem } from '../transports/http/respond.ts'

/** HTTP status by error code; what is not listed is a wrong request. */
const STATUS: Readonly<Record<string, number>> = {
  AUTH_REQUIRED: 401,
  PERMISSION_DENIED: 403,
  REFERENCE_NOT_FOUND: 404,
  MEDIA_BUY_NOT_FOUND: 404,
  CREATIVE_NOT_FOUND: 404,
  ACCOUNT_NOT_FOUND: 404,
  CONFLICT: 409,
  INVALID_STATE: 409,
  NOT_CANCELLABLE: 409,
  PRODUCT_UNAVAILABLE: 409,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
}

/** Answers with problem details (RFC 9457): `title` is the code, `detail` says what is wrong, `field` where. */
export function writeProblem(response: ServerResponse, error: AdcpError, headers: Readonly<Record<string, string>> = {}): void {
  const status = error.http?.status ?? STATUS[error.code] ?? 400
  const { field, issues } = error
  const problem = {
    title: error.code,
    status,
    detail: error.message,
    ...(field !== undefined && { field }),
    ...(issues && { issues }),
  }
  respondProblem(response, problem, { ...error.http?.headers, ...headers })
}
