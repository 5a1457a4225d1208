import type { IncomingHttpHeaders } from 'node:http'
import { AdcpError } from '../../protocol/errors.ts'

const ALIAS = 'x-adcp-auth'

/**
 * The `Authorization` value of a request; undefined when it was sent twice: which of the two would count? With `acceptAlias` a
 * token in the older header represents a Bearer token (AdCP authentication page, MCP only).
 * @throws AdcpError AUTH_INVALID when both headers are there and disagree
 */
export function authorizationOf(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  acceptAlias: boolean,
): string | undefined {
  let sent = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') sent++
  const authorization = sent === 1 ? headers.authorization : undefined
  const alias = headers[ALIAS]
  if (!acceptAlias || typeof alias !== 'string') return authorization
  const token = alias.replace(/^bearer +/i, '').trim()
  if (sent === 0) return `Bearer ${token}`
  if (authorization !== undefined && authorization.replace(/^bearer +/i, '').trim() === token) return authorization
  throw new AdcpError('AUTH_INVALID', 'two different credentials were sent', {
    http: { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } },
    cause: 'alias header and Authorization disagree',
  })
}
