import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { ExternalLogins } from '../../features/oauth/external-login.ts'
import { consentPage, errorPage, loginPage } from '../../features/oauth/pages.ts'
import { PATHS } from '../../features/oauth/paths.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { OauthRouteOptions } from './oauth.ts'
import { asPublic, partsOf } from './public-address.ts'
import { readBody } from './read-body.ts'
import { redirect, respondEmpty, respondPage } from './respond.ts'
import type { Route } from './server.ts'

/** A form of two fields. */
const MAX_FORM_BYTES = 16 * 1024

/** Where the identity provider sends people back to. */
export function callbackRoute(external: ExternalLogins, refusedLogin: OauthRouteOptions['refusedLogin']): Route {
  return async (request, response) => {
    try {
      const answer = new URLSearchParams(partsOf(request.url)[1])
      redirect(response, await external.finish(answer))
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      refusedLogin(error.code)
      html(response, error.http?.status ?? 400, errorPage(error.code, error.message))
    }
  }
}

/** The pages between the client's request and its answer: log in, then agree. */
export function interactionRoute(options: OauthRouteOptions): Route {
  return async (request, response, [uid = '', step]) => {
    const { origin } = options
    asPublic(request, origin)
    const isPost = request.method === 'POST'
    const isForm = step !== undefined && step !== 'external'
    if (isForm !== isPost) {
      respondEmpty(response, 405, { Allow: isForm ? 'POST' : 'GET' })
      return
    }
    if (isPost && !isOwnForm(request, origin)) {
      html(response, 403, errorPage('invalid_request', 'this form was sent by another site'))
      return
    }
    const interaction = await options
      .provider()
      .interactionDetails(request, response)
      .catch(() => undefined)
    if (interaction?.uid !== uid) {
      html(response, 400, errorPage('invalid_request', 'this login is over or was started in another browser; start again'))
      return
    }
    if (step === 'abort')
      return finish(options, request, response, { error: 'access_denied', error_description: 'the person refused' })
    const isLogin = interaction.prompt.name === 'login'
    if (step === 'external' && isLogin) return logInElsewhere(options, request, response, interaction)
    if (step === 'login' && isLogin) return logIn(options, request, response, interaction)
    if (step === 'switch') return logInAnew(options, response, interaction)
    if (step === 'confirm' && interaction.prompt.name === 'consent') return agree(options, request, response, interaction)
    await show(options, response, interaction)
  }
}

/**
 * Whether one of our own pages sent a form: a form of another site may not decide here, whatever the cookie's rules are. Browsers send both
 * headers, old ones only `Origin`; a request with neither comes from no form (Fetch, "Origin" header; Fetch Metadata, Sec-Fetch-Site).
 */
function isOwnForm({ headers }: IncomingMessage, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined && site === undefined) return false
  return (origin === undefined || origin === ownOrigin) && (site === undefined || site === 'same-origin')
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** Why a login did not count. */
interface Failure {
  readonly message: string
  readonly status?: number
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

async function show(
  { provider, external, ...options }: OauthRouteOptions,
  response: ServerResponse,
  interaction: Interaction,
  failure?: Failure,
) {
  const { uid, prompt, params, session, grantId } = interaction
  const client = await provider().Client.find(String(params.client_id))
  const name = client?.clientName ?? 'an unnamed client'
  const redirectUri = String(params.redirect_uri)
  if (prompt.name === 'login') {
    const page = loginPage({ uid, client: name, provider: external?.name, failure: failure?.message })
    if (failure?.retryAfter !== undefined) response.setHeader('Retry-After', String(failure.retryAfter))
    return html(response, failure === undefined ? 200 : (failure.status ?? 401), page, redirectUri)
  }
  const scopes = missingScopes(prompt.details)
  const resources = Object.keys(scopes)
  const page = consentPage({
    uid,
    client: name,
    published: client && URL.canParse(client.clientId) ? client.clientId : undefined,
    username: session?.accountId ?? '',
    redirectUri,
    resource: resources.join(', ') || String(params.resource ?? ''),
    scopes: resources.flatMap((resource) => scopes[resource] ?? []),
    agents: await options.agentsOf(session?.accountId ?? ''),
    chosen: grantId === undefined ? undefined : await options.grantedAgent(grantId),
  })
  html(response, failure?.status ?? 200, page, redirectUri)
}

async function readForm({ peerOf }: OauthRouteOptions, request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request, { maxBytes: MAX_FORM_BYTES, sender: senderAt(peerOf(request).address) })
  return new URLSearchParams(body.toString('utf8'))
}

async function logIn(options: OauthRouteOptions, request: IncomingMessage, response: ServerResponse, interaction: Interaction) {
  const form = await readForm(options, request)
  const username = form.get('username') ?? ''
  let user: string | undefined
  try {
    user = await options.logIn(request, username, form.get('password') ?? '')
  } catch (error) {
    if (!(error instanceof AdcpError) || error.code !== 'RATE_LIMITED') throw error
    const { message, retryAfter } = error
    options.refusedLogin(error.code)
    return show(options, response, interaction, { message, status: 429, retryAfter })
  }
  if (user === undefined) {
    options.refusedLogin('AUTH_INVALID')
    return show(options, response, interaction, { message: 'That name and password do not go together.' })
  }
  return finish(options, request, response, { login: { accountId: user, remember: false } })
}

/** Sends the browser to the identity provider, and takes it from there when it comes back with a ticket. */
async function logInElsewhere(
  options: OauthRouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  interaction: Interaction,
): Promise<void> {
  const { external, hasUser } = options
  if (!external) return html(response, 404, errorPage('invalid_request', 'people log in here, not elsewhere'))
  const ticket = new URLSearchParams(partsOf(request.url)[1]).get('ticket')
  if (ticket === null) {
    await options.limitLogins(addressBucket(options.peerOf(request).address ?? ''))
    redirect(response, await external.begin(interaction.uid))
    return
  }
  const user = await external.redeem(interaction.uid, ticket)
  if (user === undefined) return show(options, response, interaction, { message: 'That login is over. Try again.' })
  if (!(await hasUser(user))) {
    options.refusedLogin('PERMISSION_DENIED')
    return show(options, response, interaction, { message: `${user} has no account here. Ask the publisher for one.` })
  }
  await finish(options, request, response, { login: { accountId: user, remember: false } })
}

/**
 * Starts over with the login: the browser forgets who was logged in, and the request of the client stays what it was. The session itself is left to
 * its end: clients that were connected in it go on.
 */
async function logInAnew(
  { origin, provider }: OauthRouteOptions,
  response: ServerResponse,
  { params }: Interaction,
): Promise<void> {
  const url = new URL(PATHS.authorization, origin)
  for (const [name, value] of Object.entries(params)) if (typeof value === 'string') url.searchParams.set(name, value)
  const name = provider().cookieName('session')
  const gone = [name, `${name}.sig`].map(
    (each) => `${each}=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax; httponly`,
  )
  redirect(response, url.href, 303, { 'Set-Cookie': gone })
}

async function agree(options: OauthRouteOptions, request: IncomingMessage, response: ServerResponse, interaction: Interaction) {
  const { grantId, params, prompt, session } = interaction
  const form = await readForm(options, request)
  const username = session?.accountId ?? ''
  const agents = await options.agentsOf(username)
  const chosen = form.get('principal') ?? agents[0]?.principalId
  if (!agents.some(({ principalId }) => principalId === chosen))
    return show(options, response, interaction, { message: '', status: 400 })
  const { Grant } = options.provider()
  const known = grantId === undefined ? undefined : await Grant.find(grantId)
  const before = grantId === undefined ? undefined : ((await options.grantedAgent(grantId)) ?? agents[0]?.principalId)
  // Tokens that were given out for one agent never become another's.
  const grant = known && before === chosen ? known : new Grant({ accountId: username, clientId: String(params.client_id) })
  const { missingOIDCScope } = prompt.details
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '))
  if (known && grant !== known) {
    for (const resource of Object.keys(known.resources ?? {})) grant.addResourceScope(resource, known.getResourceScope(resource))
    grant.addOIDCScope(known.getOIDCScope())
  }
  for (const [resource, scopes] of Object.entries(missingScopes(prompt.details)))
    grant.addResourceScope(resource, scopes.join(' '))
  const saved = await grant.save()
  if (grant !== known && chosen !== undefined) await options.chooseAgent(saved, chosen)
  await finish(options, request, response, { consent: { grantId: saved } })
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
  return provider().interactionFinished(request, response, results, { mergeWithLastSubmission: false })
}

/** A page with forms. Browsers hold the redirect after a form to `form-action` too, so the client's address is named. */
function html(response: ServerResponse, status: number, body: string, redirectUri?: string): void {
  const target = redirectUri === undefined ? '' : ` ${formTarget(redirectUri)}`
  respondPage(response, status, body, {
    // Without a referrer at all, browsers would send these forms with the origin `null`.
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${target}`,
  })
}

function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri)
  // A policy has no form for an IPv6 address (CSP 3 §2.3.1), and a browser drops what it cannot read.
  if (hostname.startsWith('[')) return protocol
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
