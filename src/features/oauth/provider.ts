import { createHmac } from 'node:crypto'
import { type Configuration, errors, Provider } from 'oidc-provider'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type SecretSource, secretsIn } from '../../security/secrets/deployment-secrets.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Store } from '../../store/database.ts'
import { touchOauthRecord } from '../../store/identity/oauth-records.ts'
import type { AuditNotes } from '../audit/audit.ts'
import { createAdapter } from './adapter.ts'
import { auditProvider } from './audit-trail.ts'
import { clientDocuments, type DocumentAdmissions, documentFault } from './client-documents.ts'
import { errorPage } from './pages.ts'
import { PATHS } from './paths.ts'
import { findResource, OPENID_SCOPES, protectedResources, SCOPES } from './scopes.ts'
import { ACCESS_TOKEN_SECONDS, type DatedKey, signingKey } from './token-keys.ts'

export interface ProviderOptions {
  readonly store: Store
  readonly box: SecretBox
  /** Of the deployment: session cookies are signed with what is derived from it. */
  readonly secret: SecretSource
  /** Issuer, e.g. `https://ads.example.com`. */
  readonly origin: string
  readonly registration: boolean
  /** Reads the documents of clients that are known by one. */
  readonly safeFetch: SafeFetch
  readonly audit: AuditNotes
  readonly clock: () => Date
  /** Whether a person of this name may log in. */
  readonly hasUser: (username: string) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** The same, with what each request may have read. */
export interface ServerOptions extends ProviderOptions {
  readonly admissions: DocumentAdmissions
}

/** Seconds. A token that was revoked by its grant counts no more at once, so an hour only bounds its use by a thief of the token alone. */
const TTL = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: 60,
  Grant: 30 * 86_400,
  Interaction: 600,
  RefreshToken: 30 * 86_400,
  Session: 8 * 3600,
}

/**
 * An OAuth 2.1 authorization server for people who connect assistants: authorization code with PKCE (S256), rotating refresh
 * tokens, resource indicators (RFC 8707), signed access tokens (RFC 9068), revocation (RFC 7009), metadata (RFC 8414). No implicit
 * grant and no client credentials: backends use keys. `keys`, newest first, are published; one of them signs.
 */
export function createAuthorizationServer(options: ServerOptions, keys: readonly DatedKey[]): Provider {
  const { store, origin, clock } = options
  const provider = new Provider(origin, configurationOf(options, keys))
  // The route gives it the public address of the deployment and nothing that a caller wrote.
  provider.proxy = true
  auditProvider(provider, options)
  provider.use(answersInQueryAlone)
  provider.on('server_error', (_ctx, error) => options.onError(error))
  provider.on('grant.success', (ctx) => {
    const clientId = ctx.oidc.client?.clientId
    if (clientId === undefined) return
    store.transaction((tx) => touchOauthRecord(tx, 'Client', clientId, clock())).catch(options.onError)
  })
  return provider
}

/** How answers come back: a form that sends itself needs a script, which no page here may run. */
const RESPONSE_MODES = ['query']

/** The library names every mode that it has, and answers in it what it refuses. */
const answersInQueryAlone: Parameters<Provider['use']>[0] = async (ctx, next) => {
  const { response_mode: mode } = ctx.query
  if (ctx.path === PATHS.authorization && mode !== undefined && !RESPONSE_MODES.includes(String(mode))) {
    ctx.status = 400
    ctx.type = 'html'
    ctx.body = errorPage('invalid_request', `response_mode must be ${RESPONSE_MODES.join(' or ')}, or left out`)
    return
  }
  await next()
  if (ctx.oidc?.route === 'discovery' && isObject(ctx.body)) ctx.body = { ...ctx.body, response_modes_supported: RESPONSE_MODES }
}

function configurationOf(
  { store, box, secret, origin, registration, safeFetch, admissions, clock, hasUser }: ServerOptions,
  keys: readonly DatedKey[],
): Configuration {
  const { mcp } = protectedResources(origin)
  const documents = registration ? clientDocuments(safeFetch, admissions) : undefined
  return {
    adapter: createAdapter(store, box, clock),
    jwks: { keys: keys.map(({ key }) => ({ ...key })) },
    cookies: {
      keys: secretsIn(secret)
        .all()
        .map((each) => createHmac('sha256', each).update('oauth cookies').digest('base64url')),
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
      response_modes: RESPONSE_MODES,
    },
    ...(documents && { fetch: documents.fetch }),
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    scopes: [...OPENID_SCOPES, ...Object.keys(SCOPES)],
    claims: {},
    responseTypes: ['code'],
    // Assistants that run in a browser: pages of the origin that the client's answers go to.
    // `null` is the origin of every sandboxed page, and of every app's own scheme.
    clientBasedCORS: (_ctx, origin, client) =>
      origin !== 'null' && (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    ttl: TTL,
    routes: {
      authorization: PATHS.authorization,
      token: PATHS.token,
      jwks: PATHS.jwks,
      revocation: PATHS.revocation,
    },
    discovery: {
      ...(registration && { registration_endpoint: `${origin}${PATHS.registration}` }),
      revocation_endpoint_auth_methods_supported: ['none'],
      service_documentation: 'https://docs.adcontextprotocol.org',
    },
    interactions: { url: (_ctx, interaction) => `${PATHS.interaction}${interaction.uid}` },
    findAccount: async (_ctx, username) =>
      (await hasUser(username)) ? { accountId: username, claims: async () => ({ sub: username }) } : undefined,
    // What is checked with every call: a grant that is gone takes its tokens along.
    extraTokenClaims: async (_ctx, token) => ('grantId' in token && token.grantId !== undefined ? { gid: token.grantId } : {}),
    renderError: async (ctx, { error, error_description: description }, cause) => {
      ctx.type = 'html'
      ctx.body = errorPage(error, documentFault(cause) ?? description)
    },
    features: {
      ...(documents && { clientIdMetadataDocument: documents.feature }),
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      // On by default, and not served here: the agent checks no proofs, so a token bound to a key would count without it.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // Public clients prove nothing but that they hold the token (RFC 7009 §5).
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => mcp.resource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx, resource) => {
          const found = findResource(origin, resource)
          if (!found) throw new errors.InvalidTarget('this server makes no tokens for that resource')
          return {
            scope: found.scopes.join(' '),
            audience: found.resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: TTL.AccessToken,
            jwt: { sign: { alg: 'EdDSA', kid: signingKey(keys, clock()).kid } },
          }
        },
      },
    },
  }
}
