import type { AdminRole } from '../domain/identity/admin-role.ts'
import type { SigningProfileName } from '../domain/identity/principal.ts'
import type { Mode } from '../platform/net/mode.ts'
import type { DigestPolicy } from '../protocol/digest-policy.ts'
import type { AdServerConfig } from './ad-server-settings.ts'
import type { AdsSettings } from './ads-settings.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import type { IdentityProviderSettings } from './identity-provider-settings.ts'
import type { NotificationSettings } from './notification-settings.ts'

/** Everything that can be set from outside, validated and frozen. Documented in `schemas/config.json`. */
export interface Config extends AdServerConfig {
  readonly mode: Mode
  readonly data: string
  /** Connection string of PostgreSQL, with its password; absent: a file in `data`. Never shown: see `redactedConfig`. */
  readonly database?: string
  /** Connections of one process to it. */
  readonly databaseConnections: number
  readonly secretFile?: string
  readonly host: string
  readonly port: number
  readonly workers: number
  readonly publicUrl?: string
  readonly sandbox: boolean
  /** What only the official storyboards need, for sandbox principals; implies `sandbox`. */
  readonly conformance: boolean
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly maxBodyBytes: number
  readonly drainSeconds: number
  readonly log: { readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent' }
  /** Proxies that end TLS for this server, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[]
  /** Paths of PEM files; absent: plain HTTP. */
  readonly tls?: {
    readonly cert: string
    readonly key: string
    readonly clientCa?: string
    readonly clientCrl?: string
  }
  /** Modules of the publisher's own systems. */
  readonly connect: ConnectionSettings
  readonly limits: {
    readonly reads: number
    readonly changes: number
    readonly anonymous: number
    readonly windowSeconds: number
    readonly failuresPerAddress: number
    readonly failuresPerCredential: number
    readonly adminRequests: number
  }
  readonly directory: {
    readonly crawl: boolean
    readonly concurrency: number
    readonly refreshHours: number
    readonly failingHours: number
    readonly requests: number
    readonly requestsPerAddress: number
    readonly continuations: number
    readonly windowSeconds: number
    readonly allowLoopback: boolean
    /** Whether changes of authorisations are in the registry's feed. */
    readonly feed: boolean
    /** Whether anybody may fetch all authorisations as one file. */
    readonly export: boolean
    /** Development: every name resolves to this loopback `address:port`. */
    readonly resolve?: string
    /** Development: path of a PEM file with the root that signs the certificates of crawled hosts. */
    readonly ca?: string
  }
  /** Pages for the publisher's people. */
  readonly console: {
    readonly enabled: boolean
    /** Of a listener of its own; absent: that of the agent. */
    readonly port?: number
    readonly host: string
    readonly idleMinutes: number
    /** Roles that need a second factor at every publisher, and whether they need it after a sign-in at the identity provider too. */
    readonly secondFactor: readonly AdminRole[]
    readonly secondFactorAtProvider: boolean
  }
  /** How the publisher's people are notified. The password is never shown: see `redactedConfig`. */
  readonly notifications: NotificationSettings
  /** How often this agent checks its own promises; absent `every`: never. The key is never shown: see `redactedConfig`. */
  readonly selfCheck: {
    readonly every?: 'day' | 'week'
    /** Of a buyer, on whose sandbox account orders are made and canceled; absent: what needs one is not checked. */
    readonly key?: string
    readonly brief: string
    /** Whether everybody may read the reports. */
    readonly publish: boolean
  }
  readonly auth: {
    /** Whether MCP calls may carry their Bearer token in the old `x-adcp-auth` header. */
    readonly aliasHeader: boolean
  }
  readonly signing: {
    readonly profile: SigningProfileName
    readonly requiredFor: readonly string[]
    readonly protocolMethodsRequiredFor: readonly string[]
    readonly contentDigest: DigestPolicy
    readonly allowRsaPss: boolean
    readonly maxNoncesPerKey: number
    readonly grading: boolean
  }
  readonly oauth: {
    readonly enabled: boolean
    readonly registration: boolean
    /** Its secret is never shown: see `redactedConfig`. */
    readonly identityProvider?: IdentityProviderSettings
  }
  readonly idempotency: {
    readonly replayTtlSeconds: number
    readonly tombstoneSeconds: number
    readonly leaseSeconds: number
    readonly waitSeconds: number
  }
  readonly webhooks: { readonly retryHorizonSeconds: number }
  /** Neither port nor token: nothing is collected. The token is never shown: see `redactedConfig`. */
  readonly metrics: { readonly port?: number; readonly host: string; readonly token?: string }
  /** The embedded ad server, as pages reach it. */
  readonly ads: AdsSettings
  /** No endpoint: no spans. The headers are never shown: see `redactedConfig`. */
  readonly tracing: {
    readonly endpoint?: string
    /** `name=value`, percent-encoded. */
    readonly headers: readonly string[]
    readonly serviceName: string
    readonly sampleRatio: number
  }
  readonly privacy: {
    readonly audienceRetentionDays: number
    readonly eventRetentionDays: number
    readonly minimumAudienceSize: number
  }
}

/** Origin under which callers reach this server, without a trailing slash. */
export function publicOrigin({ publicUrl, tls, host, port }: Pick<Config, 'publicUrl' | 'tls' | 'host' | 'port'>): string {
  return publicUrl ?? `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * The deployment's secrets that the environment gives: the current one in place of the file, the next one of a rotation, and earlier ones (separated by
 * commas, newest first).
 */
export function givenSecrets(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const previous = (environment.SALES_AGENT_SECRET_PREVIOUS ?? '').split(',').map((secret) => secret.trim())
  return {
    current: environment.SALES_AGENT_SECRET,
    next: environment.SALES_AGENT_SECRET_NEXT,
    previous: previous.filter((secret) => secret !== ''),
  }
}

/** The buyer's key for `serve --stdio`: a secret, so it comes from the environment and not from an argument. */
export function stdioKey(environment: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  return environment.SALES_AGENT_KEY
}
