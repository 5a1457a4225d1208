import type { Issue } from '../protocol/errors.ts'
import { fieldOf, type Schemas, type Validate } from '../protocol/schemas.ts'
import { type AdServerConfig, adServerIssues, resolveModules } from './ad-server-settings.ts'
import type { AdsSettings } from './ads-settings.ts'
import { type ConfigProblem, readConfigFile } from './config-file.ts'
import { fillDefaults, readText, setPath, settingsOf } from './config-settings.ts'
import type { IdentityProviderSettings } from './identity-provider-settings.ts'
import { type NotificationSettings, notificationIssues } from './notification-settings.ts'
import { tracingVariables } from './tracing-environment.ts'

/** Everything that can be set from outside, validated and frozen. Documented in `schemas/config.json`. */
export interface Config extends AdServerConfig {
  readonly mode: 'production' | 'development'
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
  }
  /** How the publisher's people are notified. The password is never shown: see `redactedConfig`. */
  readonly notifications: NotificationSettings
  readonly auth: {
    /** Whether MCP calls may carry their Bearer token in the old `x-adcp-auth` header. */
    readonly aliasHeader: boolean
  }
  readonly signing: {
    readonly profile: '3.0' | '3.1' | '3.2'
    readonly requiredFor: readonly string[]
    readonly contentDigest: 'required' | 'either' | 'forbidden'
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

/** Thrown with every problem found, so that one run is enough to mend them all. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describe).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

function describe({ key, line, message, source }: ConfigProblem): string {
  return `${source}${line === undefined ? '' : `, line ${line}`}: ${key === '' ? '' : `${key} `}${message}`
}

export interface ConfigSources {
  /** Path of a YAML or JSON file. */
  readonly file?: string | undefined
  /** Values from the command line; they win over everything. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Defaults to the process environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const PREFIX = 'SALES_AGENT_'

/** Merges file, environment and flags (in rising precedence), fills defaults, validates, freezes. Throws ConfigError. */
export function loadConfig(schemas: Schemas, sources: ConfigSources = {}): Config {
  const schema = schemas.document('own:config.json')
  const file = sources.file === undefined ? undefined : readConfigFile(sources.file)
  const problems: ConfigProblem[] = [...(file?.problems ?? [])]
  const merged: Record<string, unknown> = { ...(file?.value ?? {}) }
  const fromEnvironment = new Map<string, string>()
  const environment = sources.environment ?? process.env
  const known = new Map(
    settingsOf(schema).map((leaf) => [
      PREFIX +
        leaf.path
          .join('_')
          .replace(/([a-z])([A-Z])/g, '$1_$2')
          .toUpperCase(),
      leaf,
    ]),
  )
  const hasEndpoint =
    environment.SALES_AGENT_TRACING_ENDPOINT !== undefined ||
    (typeof merged.tracing === 'object' && merged.tracing !== null && 'endpoint' in merged.tracing)
  for (const { own, name, text } of tracingVariables(environment, hasEndpoint)) {
    const leaf = known.get(own)
    if (!leaf) continue
    fromEnvironment.set(leaf.path.join('.'), name)
    setPath(merged, leaf.path, readText(text, leaf.schema))
  }
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || text === undefined) continue
    const leaf = known.get(name)
    if (!leaf) {
      if (!RESERVED.has(name)) problems.push({ key: '', message: 'is not a setting', source: name })
      continue
    }
    fromEnvironment.set(leaf.path.join('.'), name)
    setPath(merged, leaf.path, readText(text, leaf.schema))
  }
  for (const [key, value] of Object.entries(sources.flags ?? {})) if (value !== undefined) setPath(merged, key.split('.'), value)
  fillDefaults(merged, schema)
  const report = ({ pointer, message }: Issue) => {
    const key = fieldOf(pointer)
    const line = file?.lineOf(pointer)
    const variable = fromEnvironment.get(key.replace(/\[\d+\]$/, ''))
    const source = variable ?? sources.file ?? 'configuration'
    problems.push({ key, message, source, ...(line !== undefined && variable === undefined && { line }) })
  }
  if (!isSettled(merged, schemas.validator('own:config.json'), report)) throw new ConfigError(problems)
  adServerIssues(merged).forEach(report)
  notificationIssues(merged).forEach(report)
  if (problems.length > 0) throw new ConfigError(problems)
  const mode = merged.mode ?? defaultMode(merged)
  if (merged.conformance && mode === 'production') throw new ConfigError([conformanceInProduction(fromEnvironment, sources)])
  return deepFreeze(resolveModules({ ...merged, mode, sandbox: merged.sandbox || merged.conformance }, sources.file))
}

function conformanceInProduction(fromEnvironment: ReadonlyMap<string, string>, { file, flags }: ConfigSources): ConfigProblem {
  const source =
    flags?.conformance === undefined ? (fromEnvironment.get('conformance') ?? file ?? 'configuration') : '--conformance'
  const message =
    'relaxes rules for sandbox principals, so it is refused in production mode; set mode to development, or leave it out'
  return { key: 'conformance', message, source }
}

/** What the schema asks for; the mode follows from the rest where it is not set. */
type Settled = Omit<Config, 'mode'> & Partial<Pick<Config, 'mode'>>

/** `schemas/config.json` describes `Config`: values in which it finds nothing wrong are one. Reports what it finds. */
function isSettled(values: unknown, validate: Validate, report: (issue: Issue) => void): values is Settled {
  const issues = validate(values)
  issues.forEach(report)
  return issues.length === 0
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** A server that binds to loopback and names no public address is in development; any other is in production. */
function defaultMode({ host, publicUrl, allowedHosts, tls, trustedProxies }: Settled): Config['mode'] {
  const isPublic = publicUrl !== undefined || allowedHosts.length > 0 || tls !== undefined || trustedProxies.length > 0
  return LOOPBACK.test(host) && !isPublic ? 'development' : 'production'
}

/** Origin under which callers reach this server, without a trailing slash. */
export function publicOrigin({ publicUrl, tls, host, port }: Pick<Config, 'publicUrl' | 'tls' | 'host' | 'port'>): string {
  return publicUrl ?? `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Variables of the same prefix that are secrets for one command, not settings. */
const RESERVED = new Set(['SALES_AGENT_SECRET', 'SALES_AGENT_KEY'])

/** The deployment's secret, when the environment gives it instead of a file. */
export function givenSecret(environment: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  return environment.SALES_AGENT_SECRET
}

/** The buyer's key for `serve --stdio`: a secret, so it comes from the environment and not from an argument. */
export function stdioKey(environment: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  return environment.SALES_AGENT_KEY
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
