import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { identifyAdminKey } from '../operator/admin-keys/admin-keys.ts'
import { runOnce } from '../operator/admin-keys/run-once.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import type { RateLimit } from '../platform/net/rate-limit.ts'
import { AdcpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import type { Schemas } from '../protocol/schemas.ts'
import { JsonRefused, parseJson } from '../transports/http/parse-json.ts'
import { BodyIncomplete, BodyTooLarge, createBodyBudget, NoRoomForBody, readBody } from '../transports/http/read-body.ts'
import type { Route, Routes } from '../transports/http/server.ts'
import { Fields, queryFields } from './fields.ts'
import { type AdminOperation, OPERATIONS } from './operations.ts'
import { writeProblem } from './problem.ts'

export interface AdminApiOptions {
  /** The context that acts run in; who acts comes with the key. */
  readonly operator: OperatorContext
  readonly peerOf: PeerOf
  /** Counts requests by the address that they come from, before their key is checked. */
  readonly limit: RateLimit
  readonly schemas: Schemas
  readonly log: Logger
}

const BASE = '/admin/v1'
const MAX_BODY_BYTES = 256 * 1024

/** Routes of the admin API, made from the list of its operations, and of its description. */
export function adminApiRoutes(options: AdminApiOptions): Routes {
  const paths = [...new Set(OPERATIONS.map(({ path }) => path))]
  const budget = createBodyBudget()
  const described = describedRoute(options.schemas)
  return [
    [/^\/admin\/v1\/openapi\.json$/, described],
    ...paths.map(
      (path) =>
        [
          patternOf(path),
          pathRoute(
            OPERATIONS.filter((each) => each.path === path),
            options,
            budget,
          ),
        ] as const,
    ),
  ]
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${BASE}${path.replace('{id}', '([^/]{1,400})')}$`)
}

function describedRoute(schemas: Schemas): Route {
  const body = Buffer.from(JSON.stringify(schemas.document('own:admin-openapi.json')))
  return async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
  }
}

type Budget = ReturnType<typeof createBodyBudget>

function pathRoute(operations: readonly AdminOperation[], options: AdminApiOptions, budget: Budget): Route {
  const allow = operations.map(({ method }) => method).join(', ')
  return async (request, response, [captured = '']) => {
    try {
      await options.limit(options.peerOf(request).address ?? '')
      const { operator, role } = await identified(request, options)
      const operation = operations.find(({ method }) => method === request.method)
      if (!operation)
        throw new AdcpError('INVALID_REQUEST', `only ${allow} is served here`, {
          http: { status: 405, headers: { Allow: allow } },
        })
      if (!operation.roles.includes(role))
        throw new AdcpError(
          'PERMISSION_DENIED',
          `${operation.id} needs the role ${operation.roles.join(' or ')}; this key is of a ${role}`,
        )
      const fields = await fieldsOf(request, operation, budget)
      const { context, tenantId, keyId } = operator
      const run = (own: OperatorContext) => operation.run(own, { tenantId, id: decoded(captured), fields })
      const idempotencyKey = idempotencyKeyOf(request)
      if (operation.method === 'GET' || idempotencyKey === undefined) {
        writeJson(response, await run(context))
        return
      }
      const hash = createHash('sha256')
        .update(JSON.stringify([operation.id, captured, fields.canonical()]))
        .digest('hex')
      const { answer, replayed } = await runOnce(context, { keyId, idempotencyKey, hash }, run)
      writeJson(response, answer, replayed ? { 'Idempotency-Replayed': 'true' } : {})
    } catch (error) {
      refuse(error, request, response, options.log)
    }
  }
}

async function identified(request: IncomingMessage, { operator }: AdminApiOptions) {
  const token = /^Bearer ([!-~]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const key = token === undefined ? undefined : await identifyAdminKey(operator, token)
  if (!key)
    throw new AdcpError(
      'AUTH_REQUIRED',
      'send a key of the admin API as Authorization: Bearer …; sales-agent admin-keys create makes one',
      {
        http: { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="admin"' } },
      },
    )
  const actor = { principal: 'operator', credential: `admin:${key.name} (${key.key_id})`, transport: 'admin' as const }
  return { role: key.role, operator: { tenantId: key.tenant_id, keyId: key.key_id, context: { ...operator, actor } } }
}

/** The key of a request that may be repeated without doing twice what it asks for. Throws INVALID_REQUEST. */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && /^[!-~]{1,255}$/.test(key))) return key
  throw new AdcpError('INVALID_REQUEST', 'Idempotency-Key must be 1 to 255 visible ASCII characters', {
    field: 'Idempotency-Key',
  })
}

async function fieldsOf(request: IncomingMessage, { method, fields }: AdminOperation, budget: Budget): Promise<Fields> {
  if (method === 'GET') return queryFields(new URL(request.url ?? '/', 'http://admin').searchParams, fields)
  const bytes = await readBody(request, MAX_BODY_BYTES, budget)
  if (bytes.length === 0) return new Fields({}, fields)
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new AdcpError('INVALID_REQUEST', 'the Content-Type must be application/json', { http: { status: 415 } })
  const value: unknown = parseJson(bytes)
  if (!isObject(value)) throw new AdcpError('INVALID_REQUEST', 'the body must be a JSON object')
  return new Fields({ ...value }, fields)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new AdcpError('INVALID_REQUEST', 'the path is not percent-encoded text', { field: 'id' })
  }
}

function writeJson(response: ServerResponse, value: object, headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(JSON.stringify(value))
  response
    .writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
      ...headers,
    })
    .end(body)
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse, log: Logger): void {
  if (error instanceof BodyIncomplete) {
    response.destroy()
    return
  }
  // What is left of a body that nobody reads would be taken for the next request.
  writeProblem(response, asProblem(error, log), request.complete ? {} : { Connection: 'close' })
}

function asProblem(error: unknown, log: Logger): AdcpError {
  if (error instanceof AdcpError) return error
  if (error instanceof JsonRefused) return new AdcpError('INVALID_REQUEST', error.message)
  if (error instanceof BodyTooLarge)
    return new AdcpError('INVALID_REQUEST', `the body has more than ${MAX_BODY_BYTES} bytes`, { http: { status: 413 } })
  if (error instanceof NoRoomForBody) return new AdcpError('SERVICE_UNAVAILABLE', 'too many large bodies at once; try again')
  log.error({ err: error }, 'admin request failed')
  return new AdcpError('SERVICE_UNAVAILABLE', 'the request failed inside the server', { http: { status: 500 } })
}
