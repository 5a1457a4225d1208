import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { type Config, publicOrigin } from '../../config/config.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { BackgroundJob } from '../../platform/scheduler/background-job.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { identityProvider, isSecure } from '../../security/auth/identity-provider.ts'
import type { OauthTokenOptions } from '../../security/auth/oauth-token.ts'
import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { createSecretBox } from '../../security/secrets/secret-box.ts'
import type { Db, Store } from '../../store/database.ts'
import { findBasicUser } from '../../store/identity/basic-users.ts'
import { chooseGrantPrincipal, findOauthRecord } from '../../store/identity/oauth-records.ts'
import { listUserIdentities } from '../../store/identity/user-principals.ts'
import type { AuditNotes } from '../audit/audit.ts'
import { type ExternalLogins, externalLogins } from './external-login.ts'
import type { ActingAgent } from './pages.ts'
import type { ServedProvider } from './serving.ts'

export interface OauthParts {
  readonly store: Store
  readonly secret: SecretSource
  readonly safeFetch: SafeFetch
  readonly audit: AuditNotes
  readonly clock: () => Date
  readonly log: Logger
}

/** The authorization server of a deployment, and what the rest of it has to know. */
export interface Oauth {
  readonly provider: () => Provider
  readonly handle: ServedProvider['handle']
  readonly origin: string
  readonly registration: boolean
  readonly tokens: Pick<OauthTokenOptions, 'issuer' | 'keys' | 'findGrant'>
  /** Where the agent's metadata says who gives out tokens for it. */
  readonly resourceMetadata: string
  /** Absent: people log in here, with name and password. */
  readonly external: ExternalLogins | undefined
  readonly hasUser: (username: string) => Promise<boolean>
  /** Whom a person may let a client act as; the first where nothing is chosen. */
  readonly agentsOf: (username: string) => Promise<readonly ActingAgent[]>
  /** The agent that was chosen for a grant. */
  readonly grantedAgent: (grantId: string) => Promise<string | undefined>
  readonly chooseAgent: (grantId: string, principalId: string) => Promise<void>
  /** Registers a client (RFC 7591); `admit` rejects when there may be no new one. */
  register(body: unknown, admit: () => Promise<void>): Promise<object>
  /** Takes note of a login that did not count, for the audit log. */
  refusedLogin(code: string): void
  /** Checks for keys that an operator has changed. */
  readonly keys: BackgroundJob
}

/** Seals the records of the authorization server. */
export const oauthBox = (secret: SecretSource) => createSecretBox(secret, 'oauth')

/**
 * Starts the authorization server when the configuration wants one; nothing of it is loaded otherwise. Throws CONFIGURATION_ERROR
 * where its address is readable on the way: OAuth is for https, and for loopback while developing.
 */
export async function composeOauth(
  config: Config,
  { store, secret, safeFetch, audit, clock, log }: OauthParts,
): Promise<Oauth | undefined> {
  if (!config.oauth.enabled) return undefined
  const origin = publicOrigin(config)
  if (!origin.startsWith('https:') && config.mode === 'production') {
    throw new AdcpError('CONFIGURATION_ERROR', 'oauth.enabled needs an https address: set publicUrl, or tls', {
      field: 'oauth.enabled',
    })
  }
  const { serveProvider } = await import('./serving.ts')
  const { registerClient } = await import('./registrations.ts')
  const { oauthFacts } = await import('./audit-trail.ts')
  const box = oauthBox(secret)
  const hasUser = async (username: string) => (await findBasicUser(store.read, username)) !== undefined
  const { identityProvider: elsewhere } = config.oauth
  if (elsewhere && !isSecure(elsewhere.issuer)) {
    throw new AdcpError('CONFIGURATION_ERROR', 'the issuer of an identity provider is an https address', {
      field: 'oauth.identityProvider.issuer',
    })
  }
  const { provider, handle, publicKeys, keys } = await serveProvider({
    store,
    box,
    secret,
    origin,
    registration: config.oauth.registration,
    safeFetch,
    audit,
    clock,
    hasUser,
    onError: (error) => log.error({ err: error }, 'the authorization server failed'),
  })
  return {
    provider,
    handle,
    keys,
    origin,
    registration: config.oauth.registration,
    tokens: {
      issuer: origin,
      keys: publicKeys,
      findGrant: (grantId, now) => findOauthRecord(store.read, 'Grant', grantId, now),
    },
    external: elsewhere && externalLogins({ store, box, origin, provider: identityProvider(elsewhere), clock }),
    hasUser,
    agentsOf: async (username) =>
      (await listUserIdentities(store.read, username)).map(({ principal: { principalId, name } }) => ({ principalId, name })),
    grantedAgent: async (grantId) => (await findOauthRecord(store.read, 'Grant', grantId, clock()))?.principalId,
    chooseAgent: (grantId, principalId) => store.transaction((tx) => chooseGrantPrincipal(tx, grantId, principalId)),
    resourceMetadata: `${origin}/.well-known/oauth-protected-resource/mcp`,
    async register(body, admit) {
      const facts = oauthFacts('oauth.register', clock())
      try {
        const note = (tx: Db, clientId: string) => audit.change(tx, { ...facts, subject: clientId })
        return await registerClient(store, box, body, clock(), { admit, note })
      } catch (error) {
        if (error instanceof AdcpError) audit.ended({ ...facts, outcome: error.code })
        throw error
      }
    },
    refusedLogin: (code) => audit.ended({ ...oauthFacts('oauth.login', clock()), outcome: code }),
  }
}
