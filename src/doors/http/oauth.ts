import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { AdcpError } from '../../errors.ts'
import type { PeerOf } from '../../net/peer.ts'
import type { RateLimit } from '../../net/rate-limit.ts'
import { consentPage, errorPage, loginPage } from '../../oauth/pages.ts'
import { PATHS } from '../../oauth/paths.ts'
import { DEFAULT_SCOPE, type ProtectedResource, protectedResources } from '../../oauth/scopes.ts'
import { readBody } from './read-body.ts'
import type { Route, Routes } from './server.ts'

export interface OauthRouteOptions {
  readonly provider: Provider
  /** Public origin of the deployment: issuer, and the only host that any address is made with. */
  readonly origin: string
  readonly registration: boolean
  readonly peerOf: PeerOf
  readonly limitRegistrations: RateLimit
  readonly register: (body: unknown) => Promise<object>
  /** The user that name and password are of; undefined when they are of nobody. Throws RATE_LIMITED. */
  readonly logIn: (request: IncomingMessage, username: string, password: string) => Promise<string | undefined>
  readonly log: Logger
}

const MAX_BODY_BYTES = 64 * 1024

/** Every route of the authorization server and the metadata of what its tokens are for. */
export function oauthRoutes(options: OauthRouteOptions): Routes {
  const { mcp, api } = protectedResources(options.origin)
  const guarded = (route: Route): Route => overTlsOnly(options, route)
  return [
    [/^\/\.well-known\/oauth-protected-resource\/mcp$/, guarded(resourceRoute(options, mcp))],
    [/^\/\.well-known\/oauth-protected-resource\/api$/, guarded(resourceRoute(options, api))],
    [/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)$/, guarded(libraryRoute(options))],
    [/^\/oauth\/interaction\/([\w-]{1,64})(?:\/(login|confirm|abort))?$/, guarded(interactionRoute(options))],
    ...(options.registration ? [[/^\/(?:oauth\/)?register$/, guarded(registrationRoute(options))] as const] : []),
    [/^\/oauth\/(?:authorize(?:\/[\w-]+)?|token|jwks|revoke)$/, guarded(libraryRoute(options))],
  ]
}

/** Tokens and passwords never travel in clear; only the machine itself may leave TLS out, while developing. */
function overTlsOnly({ peerOf, log }: OauthRouteOptions, route: Route): Route {
  return async (request, response, captured) => {
    if (peerOf(request).channel === 'plain') {
      json(response, 403, { error: 'invalid_request', error_description: 'this is served over https only' })
      return
    }
    try {
      await route(request, response, captured)
    } catch (error) {
      refuse(response, error, log)
    }
  }
}

/** RFC 9728. */
function resourceRoute({ origin }: OauthRouteOptions, { resource, scopes }: ProtectedResource): Route {
  const document = {
    resource,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    // Everything at once is granted to whoever asks for it by name, and offered to nobody.
    scopes_supported: scopes.filter((scope) => scope !== 'adcp:*'),
    resource_name: 'AdCP sales agent',
  }
  return async (_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    json(response, 200, document, 'public, max-age=300')
  }
}

/** RFC 7591. */
function registrationRoute({ limitRegistrations, register, peerOf }: OauthRouteOptions): Route {
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'content-type')
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { 'Access-Control-Allow-Methods': 'POST' }).end()
      return
    }
    if (request.method !== 'POST') {
      response.writeHead(405, { Allow: 'POST' }).end()
      return
    }
    await limitRegistrations(peerOf(request).address ?? '')
    const text = (await readBody(request, MAX_BODY_BYTES)).toString('utf8')
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      throw new AdcpError('INVALID_REQUEST', 'the body is not JSON', { details: { reason: 'invalid_client_metadata' } })
    }
    json(response, 201, await register(body))
  }
}

/** Hands a request to the library under the public address, whatever host and proxy headers it came with. */
function libraryRoute({ provider, origin }: OauthRouteOptions): Route {
  const handle = provider.callback()
  return async (request, response) => {
    asPublic(request, origin)
    request.url = withDefaultScope(request.url ?? '/')
    await handle(request, response)
  }
}

function asPublic(request: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  for (const name of Object.keys(request.headers)) if (name.startsWith('x-forwarded-')) delete request.headers[name]
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = host
}

/** A client that names no scope gets what an assistant needs (RFC 6749 §3.3), never everything. */
function withDefaultScope(target: string): string {
  const [path = '', query] = target.split('?', 2)
  if (path !== PATHS.authorization) return target
  const parameters = new URLSearchParams(query)
  if ((parameters.get('scope') ?? '') !== '' || parameters.get('resource')?.endsWith('/api')) return target
  parameters.set('scope', DEFAULT_SCOPE)
  return `${path}?${parameters}`
}

/** The pages between the client's request and its answer: log in, then agree. */
function interactionRoute(options: OauthRouteOptions): Route {
  return async (request, response, [uid = '', step]) => {
    const { provider, origin } = options
    asPublic(request, origin)
    const isPost = request.method === 'POST'
    if ((step !== undefined) !== isPost) {
      response.writeHead(405, { Allow: step === undefined ? 'GET' : 'POST' }).end()
      return
    }
    // A form of another site may not decide here, whatever the cookie's rules are.
    if (isPost && request.headers.origin !== undefined && request.headers.origin !== origin) {
      html(response, 403, errorPage('invalid_request', 'this form was sent by another site'))
      return
    }
    const interaction = await provider.interactionDetails(request, response).catch(() => undefined)
    if (interaction?.uid !== uid) {
      html(response, 400, errorPage('invalid_request', 'this login is over or was started in another browser; start again'))
      return
    }
    if (step === 'abort')
      return finish(options, request, response, { error: 'access_denied', error_description: 'the person refused' })
    if (step === 'login') return logIn(options, request, response, interaction)
    if (step === 'confirm' && interaction.prompt.name === 'consent') return agree(options, request, response, interaction)
    await show(options, response, interaction)
  }
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

async function show({ provider }: OauthRouteOptions, response: ServerResponse, interaction: Interaction, failure?: string) {
  const { uid, prompt, params, session } = interaction
  const client = await provider.Client.find(String(params.client_id))
  const name = client?.clientName ?? 'an unnamed client'
  if (prompt.name === 'login') return html(response, failure === undefined ? 200 : 401, loginPage(uid, name, failure))
  const redirectUri = String(params.redirect_uri)
  const scopes = missingScopes(prompt.details)
  const resources = Object.keys(scopes)
  const page = consentPage({
    uid,
    client: name,
    username: session?.accountId ?? '',
    redirectUri,
    resource: resources.join(', ') || String(params.resource ?? ''),
    scopes: resources.flatMap((resource) => scopes[resource] ?? []),
  })
  html(response, 200, page, redirectUri)
}

async function logIn(options: OauthRouteOptions, request: IncomingMessage, response: ServerResponse, interaction: Interaction) {
  const form = new URLSearchParams((await readBody(request, MAX_BODY_BYTES)).toString('utf8'))
  const username = form.get('username') ?? ''
  const user = await options.logIn(request, username, form.get('password') ?? '')
  if (user === undefined) return show(options, response, interaction, 'That name and password do not go together.')
  return finish(options, request, response, { login: { accountId: user, remember: false } })
}

async function agree(
  { provider, ...options }: OauthRouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  interaction: Interaction,
) {
  const { grantId, params, prompt, session } = interaction
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
  const { missingOIDCScope } = prompt.details
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingScopes(prompt.details)))
    grant.addResourceScope(resource, scopes.join(' '))
  await finish({ provider, ...options }, request, response, { consent: { grantId: await grant.save() } })
}

function missingScopes({ missingResourceScopes }: Interaction['prompt']['details']): Readonly<Record<string, readonly string[]>> {
  const entries =
    typeof missingResourceScopes === 'object' && missingResourceScopes !== null ? Object.entries(missingResourceScopes) : []
  return Object.fromEntries(entries.map(([resource, scopes]) => [resource, Array.isArray(scopes) ? scopes.map(String) : []]))
}

type InteractionResults = Parameters<Provider['interactionFinished']>[2]

function finish(
  { provider }: OauthRouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  results: InteractionResults,
) {
  return provider.interactionFinished(request, response, results, { mergeWithLastSubmission: false })
}

/** A page with forms. Browsers hold the redirect after a form to `form-action` too, so the client's address is named. */
function html(response: ServerResponse, status: number, body: string, redirectUri?: string): void {
  const target = redirectUri === undefined ? '' : ` ${formTarget(redirectUri)}`
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    // Without a referrer at all, browsers would send these forms with the origin `null`.
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${target}`,
  })
  response.end(body)
}

function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

function json(response: ServerResponse, status: number, body: object, cache = 'no-store'): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': cache })
  response.end(JSON.stringify(body))
}

/** RFC 7591 §3.2.2, RFC 6749 §5.2. */
function refuse(response: ServerResponse, error: unknown, log: Logger): void {
  if (response.headersSent) throw error
  if (!(error instanceof AdcpError)) {
    log.error({ err: error }, 'the authorization server failed')
    json(response, 500, { error: 'server_error', error_description: 'something went wrong here' })
    return
  }
  for (const [name, value] of Object.entries(error.http?.headers ?? {})) response.setHeader(name, value)
  const reason = typeof error.details?.reason === 'string' ? error.details.reason : 'invalid_request'
  const code = error.code === 'RATE_LIMITED' ? 'temporarily_unavailable' : reason
  json(response, error.http?.status ?? 400, { error: code, error_description: error.message })
}
