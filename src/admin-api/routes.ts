import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { identifyAdminKey } from '../operator/admin-keys/admin-keys.ts'
import { queryMembers } from '../operator/check-fields.ts'
import type { Caller, OperatorContext } from '../operator/operator-context.ts'
import { perform, requireMay } from '../operator/perform.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import type { RateLimit } from '../platform/net/rate-limit.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { JudgeToken } from '../security/auth/judge-token.ts'
import { onDemand } from '../transports/http/on-demand.ts'
import { respond, respondLongJson } from '../transports/http/respond.ts'
import type { Route, Routes } from '../transports/http/server.ts'
import { compileOperations, findOperation } from './find-operation.ts'
import { isQueried } from './operation.ts'
import { readMembers } from './read-members.ts'
import { refuse } from './refuse.ts'

export interface AdminApiOptions {
  /** The context that acts run in; who acts comes with the key. */
  readonly operator: OperatorContext
  readonly peerOf: PeerOf
  /** Counts requests by the address that they come from, before their key is checked. */
  readonly limit: RateLimit
  /** Checks a key; slows down who sends wrong ones. */
  readonly judgeToken: JudgeToken
  readonly schemas: Schemas
  readonly log: Logger
}

const BASE = '/admin/v1'

/** Routes of the admin API and of its description. The operations, and what they need, are loaded with the first request. */
export function adminApiRoutes(options: AdminApiOptions): Routes {
  const table = onDemand(async () => compileOperations((await import('./operations.ts')).OPERATIONS))
  return [
    [/^\/admin\/v1\/openapi\.json$/, describedRoute(options.schemas)],
    [
      /^\/admin\/v1(?:\/.*)?$/,
      async (request, response) => {
        try {
          await options.limit(options.peerOf(request).address ?? '')
          await answer(await table(), request, response, options)
        } catch (error) {
          refuse(error, request, response, options.log)
        }
      },
    ],
  ]
}

function describedRoute(schemas: Schemas): Route {
  const described = onDemand(async () => Buffer.from(JSON.stringify(schemas.document('own:admin-openapi.json'))))
  return async (_request, response) => {
    respond(response, 200, { type: 'application/json', body: await described() })
  }
}

async function answer(
  table: ReturnType<typeof compileOperations>,
  request: IncomingMessage,
  response: ServerResponse,
  options: AdminApiOptions,
): Promise<void> {
  const { key, caller } = await identified(request, options)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://admin')
  const { operation, params } = findOperation(table, request.method ?? 'GET', pathname.slice(BASE.length))
  // Before a large body is read.
  requireMay(operation, caller)
  const members = isQueried(operation)
    ? queryMembers(searchParams, operation.fields)
    : await readMembers(request, options.peerOf(request).address)
  const idempotencyKey = idempotencyKeyOf(request)
  const once = idempotencyKey === undefined ? undefined : { keyId: key.key_id, idempotencyKey }
  const { answer, replayed } = await perform(options.operator, caller, operation.act, membersOf(params, members), once)
  await respondLongJson(response, 200, answer, replayed ? { 'Idempotency-Replayed': 'true' } : {})
}

/** Parameters of the path and members of the query or body. Throws INVALID_REQUEST for a name that is in both. */
function membersOf(params: Readonly<Record<string, string>>, members: Readonly<Record<string, unknown>>) {
  const twice = Object.keys(params).find((name) => Object.hasOwn(members, name))
  if (twice !== undefined) throw new AdcpError('INVALID_REQUEST', `${twice} is in the path already`, { field: twice })
  return { ...params, ...members }
}

async function identified(request: IncomingMessage, { operator, judgeToken }: AdminApiOptions) {
  const token = /^Bearer ([!-~]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const key = token === undefined ? undefined : await judgeToken(request, () => identifyAdminKey(operator, token))
  if (!key) {
    const message = 'send a key of the admin API as Authorization: Bearer …; sales-agent admin-keys create makes one'
    const headers = { 'WWW-Authenticate': 'Bearer realm="admin"' }
    throw new AdcpError('AUTH_REQUIRED', message, { http: { status: 401, headers } })
  }
  const actor = { who: 'operator', credential: `admin:${key.name} (${key.key_id})`, transport: 'admin' as const }
  const caller: Caller = { actor, tenantId: key.tenant_id, role: key.role, deployment: key.deployment === 1 }
  return { key, caller }
}

/** The key of a request that may be repeated without doing twice what it asks for. Throws INVALID_REQUEST. */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && /^[!-~]{1,255}$/.test(key))) return key
  throw new AdcpError('INVALID_REQUEST', 'Idempotency-Key must be 1 to 255 visible ASCII characters', {
    field: 'Idempotency-Key',
  })
}
