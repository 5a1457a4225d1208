import type { Issue } from '../protocol/errors.ts'
import { fieldOf } from '../protocol/field-of.ts'
import type { Schemas, Validate } from '../protocol/schemas.ts'
import { adServerIssues, resolveAdServers } from './ad-server-settings.ts'
import { adsIssues } from './ads-settings.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigProblem, readConfigFile } from './config-file.ts'
import { fillDefaults, readText, setPath, settingsOf } from './config-settings.ts'
import { resolveConnections } from './connection-settings.ts'
import { moduleFolder } from './module-choice.ts'
import { notificationIssues } from './notification-settings.ts'
import { tracingVariables } from './tracing-environment.ts'

export interface ConfigSources {
  /** Path of a YAML or JSON file. */
  readonly file?: string | undefined
  /** Values from the command line; they win over everything. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Defaults to the process environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const PREFIX = 'SALES_AGENT_'
/** Variables of the same prefix that are secrets for one command, not settings. */
const RESERVED = new Set(['SALES_AGENT_SECRET', 'SALES_AGENT_SECRET_NEXT', 'SALES_AGENT_SECRET_PREVIOUS', 'SALES_AGENT_KEY'])

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
  adsIssues(merged).forEach(report)
  if (problems.length > 0) throw new ConfigError(problems)
  const mode = merged.mode ?? defaultMode(merged)
  if (mode === 'production') problems.push(...developmentOnly(merged, fromEnvironment, sources))
  if (problems.length > 0) throw new ConfigError(problems)
  const folder = moduleFolder(sources.file)
  const connect = resolveConnections(merged.connect, folder)
  const settled = { ...merged, connect, mode, sandbox: merged.sandbox || merged.conformance, signing: gradedSigning(merged) }
  return deepFreeze(resolveAdServers(settled, folder))
}

/** A server that a signing suite grades has a method of JSON-RPC to sign, of which the suite has a vector. */
function gradedSigning({ conformance, signing }: Settled): Settled['signing'] {
  const isOpen = conformance && signing.grading && signing.protocolMethodsRequiredFor.length === 0
  return isOpen ? { ...signing, protocolMethodsRequiredFor: ['tasks/cancel'] } : signing
}

/** What is refused in production mode, and why. */
const DEVELOPMENT_ONLY = [
  { key: 'conformance', isSet: ({ conformance }: Settled) => conformance, why: 'relaxes rules for sandbox principals' },
  {
    key: 'adServer.sandboxOrders',
    isSet: ({ adServer }: Settled) => adServer.sandboxOrders === 'same',
    why: 'lets sandbox principals, who pay nothing, book what is served',
  },
] as const

function developmentOnly(
  settled: Settled,
  fromEnvironment: ReadonlyMap<string, string>,
  { file, flags }: ConfigSources,
): ConfigProblem[] {
  return DEVELOPMENT_ONLY.filter(({ isSet }) => isSet(settled)).map(({ key, why }) => {
    const source = flags?.[key] === undefined ? (fromEnvironment.get(key) ?? file ?? 'configuration') : `--${key}`
    return { key, message: `${why}, so it is refused in production mode; set mode to development, or leave it out`, source }
  })
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

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
