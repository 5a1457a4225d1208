import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type AgentEntry, parseAgentEntry, parseEach } from './agent-entry.ts'
import { grantsTooMuch, hasTooManyEntries } from './grant-bound.ts'
import { parsePlainAgents } from './plain-agents.ts'
import { type Property, parseProperty } from './property.ts'
import { publisherDomain } from './publisher-domain.ts'

/** Warnings stored of one file; a broken generator repeats the same fault thousands of times. */
const MAX_WARNINGS = 100

/** Where in the file (`properties[3]`) and what is wrong there. */
export interface FileWarning {
  readonly path: string
  readonly reason: string
}
export type Warn = (path: string, reason: string) => void

/** Says only where the authoritative file is. */
export interface PointerFile {
  readonly kind: 'pointer'
  readonly location: string
  /** Unix milliseconds of `last_updated`. */
  readonly lastUpdated: number | undefined
}

/** Names properties and the agents that may sell them. */
export interface InlineFile {
  readonly kind: 'inline'
  readonly properties: readonly Property[]
  readonly agents: readonly AgentEntry[]
  /** Canonical revoked domain → Unix milliseconds of `revoked_at`. */
  readonly revoked: ReadonlyMap<string, number>
  /** The file names its agents in the short form `agents[]`, which the official schema does not have. */
  readonly isShortForm: boolean
  readonly lastUpdated: number | undefined
}

export type AdagentsFile = PointerFile | InlineFile

export type ParsedFile =
  | { readonly file: AdagentsFile; readonly warnings: readonly FileWarning[] }
  | { readonly reason: string; readonly warnings: readonly FileWarning[] }

/**
 * Reads a decoded adagents.json. A file that names an `authoritative_location` is a pointer, whatever else it holds.
 * Malformed properties, selectors, entries and revocations are skipped with a warning; the whole file is unusable
 * only when it exceeds the bounds of `grant-bound.ts`, or is neither a pointer nor has `authorized_agents` (or, without it, `agents` in the short form). Source: AdCP adagents.json, AdCP publisher directory page.
 */
export function* parseAdagentsInSteps(document: unknown): Steps<ParsedFile> {
  const warnings: FileWarning[] = []
  const warn: Warn = (path, reason) => {
    if (warnings.length < MAX_WARNINGS) warnings.push({ path, reason })
  }
  if (!isObject(document)) return { reason: 'the file is not a JSON object', warnings }
  const lastUpdated = timestamp(document.last_updated)
  if (typeof document.authoritative_location === 'string') {
    const location = pointerTarget(document.authoritative_location)
    return location
      ? { file: { kind: 'pointer', location, lastUpdated }, warnings }
      : { reason: 'authoritative_location is not an https URL', warnings }
  }
  const tooMany = hasTooManyEntries(document)
  if (tooMany !== undefined) return { reason: tooMany, warnings }
  const plain = Array.isArray(document.authorized_agents) ? undefined : yield* parsePlainAgents(document, warn)
  if (plain) {
    const revoked = parseRevoked(document.revoked_publisher_domains, warn)
    return yield* bounded({ kind: 'inline', ...plain, revoked, isShortForm: true, lastUpdated }, warnings)
  }
  if (!Array.isArray(document.authorized_agents)) {
    const reason =
      document.authorized_agents === undefined
        ? 'the file has neither authorized_agents nor agents nor authoritative_location'
        : 'authorized_agents is not a list'
    return { reason, warnings }
  }
  const file: InlineFile = {
    kind: 'inline',
    properties: (yield* parseEach(document.properties, 'properties', warn, parseProperty)) ?? [],
    agents:
      (yield* parseEach(document.authorized_agents, 'authorized_agents', warn, (item, path) =>
        parseAgentEntry(item, path, warn),
      )) ?? [],
    revoked: parseRevoked(document.revoked_publisher_domains, warn),
    isShortForm: false,
    lastUpdated,
  }
  return yield* bounded(file, warnings)
}

/** As {@link parseAdagentsInSteps}, at once: for files of some hundred kilobytes. */
export function parseAdagents(document: unknown): ParsedFile {
  return atOnce(parseAdagentsInSteps(document))
}

function* bounded(file: InlineFile, warnings: readonly FileWarning[]): Steps<ParsedFile> {
  const reason = yield* grantsTooMuch(file)
  return reason === undefined ? { file, warnings } : { reason, warnings }
}

/** An entry counts when its domain is one after canonicalisation and its `revoked_at` can be read. */
function parseRevoked(list: unknown, warn: Warn): ReadonlyMap<string, number> {
  const revoked = new Map<string, number>()
  if (!Array.isArray(list)) return revoked
  for (const [index, item] of list.entries()) {
    const domain = isObject(item) ? publisherDomain(item.publisher_domain) : undefined
    const revokedAt = isObject(item) ? timestamp(item.revoked_at) : undefined
    if (domain === undefined || revokedAt === undefined) {
      warn(`revoked_publisher_domains[${index}]`, 'needs a publisher_domain and a readable revoked_at')
    } else {
      revoked.set(domain, Math.min(revokedAt, revoked.get(domain) ?? revokedAt))
    }
  }
  return revoked
}

function pointerTarget(location: string): string | undefined {
  if (!/^https:\/\//i.test(location) || !URL.canParse(location)) return undefined
  const url = new URL(location)
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

function timestamp(value: unknown): number | undefined {
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed
}
