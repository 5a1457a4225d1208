import type { ServerResponse } from 'node:http'
import { statusOf } from '../operator/refusal-status.ts'
import type { AdcpError } from '../protocol/errors.ts'
import { respondProblem } from '../transports/http/respond.ts'

/** Answers with problem details (RFC 9457): `title` is the code, `detail` says what is wrong, `field` where. */
export function writeProblem(response: ServerResponse, error: AdcpError, headers: Readonly<Record<string, string>> = {}): void {
  const status = statusOf(error)
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
