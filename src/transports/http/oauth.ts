import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import type { ExternalLogins } from '../../features/oauth/external-login.ts'
import type { ActingAgent } from '../../features/oauth/pages.ts'
import { PATHS } from '../../features/oauth/paths.ts'
import { defaultScope, findResource, type ProtectedResource } from '../../features/oauth/scopes.ts'
import { largeJsonIn } from '../../platform/decode/foreign-json.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import type { PeerOf } from '../../platform/net/peer.ts'
import type { RateLimit } from '../../platform/net/rate-limit.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { callbackRoute, interactionRoute } from './oauth-interaction.ts'
import { asPublic, partsOf } from './public-address.ts'
import { BodyIncomplete, BodyTooLarge, holdBodyRoom, readBody } from './read-body.ts'
import { respondAndClose, respondEmpty, respondJson } from './respond.ts'
import type { Route, Routes } from './server.ts'

export interface OauthRouteOptions {
  /** The current state. */
  readonly provider: () => Provider
  /** The library's own routes. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, admitDocument: () => Promise<void>) => Promise<void>
  /** Public origin of the deployment: issuer, and the only host that any address is made with. */
  readonly origin: string
  readonly registration: boolean
  readonly peerOf: PeerOf
  readonly limitRegistrations: RateLimit
  /** Each login that is begun is stored for some minutes. */
  readonly limitLogins: RateLimit
  /** Documents by which clients are known, when they are read. */
  readonly limitDocuments: RateLimit
  readonly register: (body: unknown, admit: () => Promise<void>) => Promise<object>
  /** The user that name and password are of; undefined when no user has them. Throws RATE_LIMITED. */
  readonly logIn: (request: IncomingMessage, username: string, password: string) => Promise<string | undefined>
  /** Takes note of a login that did not count. */
  readonly refusedLogin: (code: string) => void
  /** Absent: people log in here, with name and password. */
  readonly external: ExternalLogins | undefined
  /** Whether somebody of this name may log in. */
  readonly hasUser: (username: string) => Promise<boolean>
  /** Whom a person may let a client act as; the first where nothing is chosen. */
  readonly agentsOf: (username: string) => Promise<readonly ActingAgent[]>
  /** The agent that was chosen for a grant. */
  readonly grantedAgent: (grantId: string) => Promise<string | undefined>
  readonly chooseAgent: (grantId: string, principalId: string) => Promise<void>
  readonly log: Logger
}

const MAX_BODY_BYTES = 64 * 1024
/** Far more than OAuth and its extensions name; the library's parser takes the square of their number. */
const MAX_PARAMETERS = 100

/** Every route of the authorization server and the metadata of what its tokens are for. */
export function oauthRoutes(options: OauthRouteOptions): Routes {
  const guarded = (route: Route): Route => overTlsOnly(options, route)
  return [
    [
      /^\/\.well-known\/oauth-protected-resource(\/api|(?:\/t\/[a-z0-9-]{1,64}(?:\/rights)?)?\/mcp)?$/,
      guarded(resourceRoute(options)),
    ],
    [/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)$/, guarded(libraryRoute(options))],
    [/^\/oauth\/interaction\/([\w-]{1,64})(?:\/(login|confirm|abort|external|switch))?$/, guarded(interactionRoute(options))],
    ...(options.external
      ? [[/^\/oauth\/callback$/, guarded(callbackRoute(options.external, options.refusedLogin))] as const]
      : []),
    ...(options.registration ? [[/^\/(?:oauth\/)?register$/, guarded(registrationRoute(options))] as const] : []),
    [/^\/oauth\/(?:authorize(?:\/[\w-]+)?|token|jwks|revoke)$/, guarded(libraryRoute(options))],
  ]
}

/** Tokens and passwords never travel in clear; only the machine itself may leave TLS out, while developing. */
function overTlsOnly({ peerOf, log }: OauthRouteOptions, route: Route): Route {
  return async (request, response, captured) => {
    if (peerOf(request).channel === 'plain') {
      respondJson(response, 403, { error: 'invalid_request', error_description: 'this is served over https only' })
      return
    }
    try {
      await route(request, response, captured)
    } catch (error) {
      refuse(request, response, error, log)
    }
  }
}

/** RFC 9728. Without a path it is about `/mcp`: there a client looks that had no challenge to follow (MCP, Authorization: Protected Resource Metadata Discovery). */
function resourceRoute({ origin }: OauthRouteOptions): Route {
  const documentOf = ({ resource, offered }: ProtectedResource) => ({
    resource,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    scopes_supported: offered,
    resource_name: 'AdCP sales agent',
  })
  return async (request, response, [path = '/mcp']) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    // Assistants that run in a browser ask with a header of MCP, which the browser asks about first.
    response.setHeader('Access-Control-Allow-Headers', 'mcp-protocol-version')
    if (request.method === 'OPTIONS') {
      respondEmpty(response, 204, { 'Access-Control-Allow-Methods': 'GET' })
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      respondEmpty(response, 405, { Allow: 'GET' })
      return
    }
    const resource = findResource(origin, origin + path)
    if (resource) respondJson(response, 200, documentOf(resource), { 'Cache-Control': 'public, max-age=300' })
    else respondJson(response, 404, { error: 'invalid_target' })
  }
}

/** RFC 7591. */
function registrationRoute({ limitRegistrations, register, peerOf }: OauthRouteOptions): Route {
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'content-type')
    if (request.method === 'OPTIONS') {
      respondEmpty(response, 204, { 'Access-Control-Allow-Methods': 'POST' })
      return
    }
    if (request.method !== 'POST') {
      respondEmpty(response, 405, { Allow: 'POST' })
      return
    }
    const { address } = peerOf(request)
    const text = (await readBody(request, { maxBytes: MAX_BODY_BYTES, sender: senderAt(address) })).toString('utf8')
    const body = await largeJsonIn(text)
    if (body === undefined)
      throw new AdcpError('INVALID_REQUEST', 'the body is not JSON', { details: { reason: 'invalid_client_metadata' } })
    const admit = async () => limitRegistrations(addressBucket(address ?? ''))
    respondJson(response, 201, await register(body, admit))
  }
}

/** Hands a request to the library under the public address, whatever host and proxy headers it came with. */
function libraryRoute(options: OauthRouteOptions): Route {
  const { handle, origin, peerOf, limitLogins, limitDocuments } = options
  return async (request, response) => {
    const [path, query] = partsOf(request.url)
    if (query.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
      throw new AdcpError('INVALID_REQUEST', `the query has more than ${MAX_PARAMETERS} parameters`)
    const address = addressBucket(peerOf(request).address ?? '')
    if (path === PATHS.authorization) await limitLogins(address)
    holdBodyRoom(request, response, { maxBytes: MAX_BODY_BYTES, sender: senderAt(peerOf(request).address) })
    asPublic(request, origin)
    request.url = await withDefaultScope(request.url ?? '/', (id) => registeredScope(options, id, address))
    await handle(request, response, async () => limitDocuments(address))
  }
}

/** A client that names no scope gets what an assistant needs (RFC 6749 §3.3), never everything. */
async function withDefaultScope(
  target: string,
  registeredFor: (clientId: string) => Promise<string | undefined>,
): Promise<string> {
  const [path, query] = partsOf(target)
  if (path !== PATHS.authorization) return target
  const parameters = new URLSearchParams(query)
  if ((parameters.get('scope') ?? '') !== '' || parameters.get('resource')?.endsWith('/api')) return target
  parameters.set('scope', defaultScope(await registeredFor(parameters.get('client_id') ?? '')))
  return `${path}?${parameters}`
}

/** The scope that a client is registered for, or its document names; undefined where that cannot be known now, which the library answers in its own words. */
async function registeredScope(
  { provider, limitDocuments }: OauthRouteOptions,
  clientId: string,
  address: string,
): Promise<string | undefined> {
  try {
    if (clientId.startsWith('https:')) await limitDocuments(address)
    return (await provider().Client.find(clientId))?.scope
  } catch {
    return undefined
  }
}

/** RFC 7591 §3.2.2, RFC 6749 §5.2. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, log: Logger): void {
  if (response.headersSent) throw error
  if (error instanceof BodyIncomplete) {
    response.destroy()
    return
  }
  if (error instanceof BodyTooLarge) {
    const body = JSON.stringify({ error: 'invalid_request', error_description: 'the body is too large' })
    respondAndClose(request, response, 413, ['Content-Type', 'application/json', 'Cache-Control', 'no-store'], body)
    return
  }
  if (!(error instanceof AdcpError)) {
    log.error({ err: error }, 'the authorization server failed')
    respondJson(response, 500, { error: 'server_error', error_description: 'something went wrong here' })
    return
  }
  for (const [name, value] of Object.entries(error.http?.headers ?? {})) response.setHeader(name, value)
  const reason = typeof error.details?.reason === 'string' ? error.details.reason : 'invalid_request'
  const code = error.code === 'RATE_LIMITED' ? 'temporarily_unavailable' : reason
  respondJson(response, error.http?.status ?? 400, { error: code, error_description: error.message })
}
