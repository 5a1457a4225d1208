import { atOnce } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type InlineFile, parseAdagents } from './adagents-file.ts'
import { agentKey } from './agent-url.ts'
import { publisherDomain } from './publisher-domain.ts'
import { domainsOf, type FileIndex, type Grant, grantsFor, indexFile, isInEffect, unansweredDomains } from './resolve.ts'

/** Why a file does not authorise an agent. */
export type RefusalReason =
  | 'invalid_agent_url'
  | 'invalid_publisher_domain'
  | 'invalid_file'
  | 'file_is_pointer'
  | 'publisher_revoked'
  | 'agent_not_listed'
  | 'entry_malformed'
  | 'not_in_effect'
  | 'signals_only'
  | 'no_matching_property'
  | 'needs_publisher_file'

export interface VerifyOptions {
  /** The moment the answer is about. */
  readonly now: Date
  /** The domain that served the file. Given, only this publisher's properties count, and those without a domain are its own. */
  readonly publisherDomain?: string
}

export interface AuthorizedPublisher {
  /** Undefined for properties whose publisher is left to a location that was not given. */
  readonly publisherDomain: string | undefined
  readonly propertyIds: readonly string[]
  readonly propertiesTotal: number
  readonly signingKeysPinned: boolean
  /** The properties as the file states them. */
  readonly properties: readonly Readonly<Record<string, unknown>>[]
}

export type Verification =
  | { readonly authorized: true; readonly agentUrl: string; readonly publishers: readonly AuthorizedPublisher[] }
  | { readonly authorized: false; readonly agentUrl: string; readonly reason: RefusalReason; readonly detail: string }

/**
 * Checks one decoded adagents.json: does it let the agent sell at least one property? Revocation, effective windows,
 * authorization types and selectors are honoured; being listed alone is not enough. Never throws.
 * Source: AdCP publisher directory page (verify_agent_authorization).
 */
export function verifyAgentAuthorization(adagents: unknown, agentUrl: string, options: VerifyOptions): Verification {
  const refuse = (reason: RefusalReason, detail: string): Verification => ({ authorized: false, agentUrl, reason, detail })
  const agent = agentKey(agentUrl)
  if (agent === undefined) return refuse('invalid_agent_url', 'the agent URL is not an absolute http(s) URL')
  const publisher = options.publisherDomain === undefined ? undefined : publisherDomain(options.publisherDomain)
  if (options.publisherDomain !== undefined && publisher === undefined) {
    return refuse('invalid_publisher_domain', 'the publisher domain is not a domain')
  }
  const parsed = parseAdagents(adagents)
  if ('reason' in parsed) return refuse('invalid_file', parsed.reason)
  if (parsed.file.kind === 'pointer') return refuse('file_is_pointer', `the file points at ${parsed.file.location}`)
  const index = indexFile(parsed.file)
  const now = options.now.getTime()
  const publishers = authorizedPublishers(index, agent, publisher, now)
  if (publishers.length > 0) return { authorized: true, agentUrl: agent, publishers }
  return refuse(...refusal(index, adagents, { agent, publisher, now }))
}

function authorizedPublishers(
  index: FileIndex,
  agent: string,
  publisher: string | undefined,
  now: number,
): readonly AuthorizedPublisher[] {
  // '' is no domain, so with it only the properties without a domain answer.
  const wanted = publisher === undefined ? ['', ...domainsOf(index)] : [publisher]
  return wanted.flatMap((domain) =>
    grantsFor(index, { publisher: domain, impliedByLocation: domain === '' || publisher !== undefined, now, agent }).map(
      (grant) => presentGrant(grant, domain),
    ),
  )
}

function presentGrant(grant: Grant, domain: string): AuthorizedPublisher {
  return {
    publisherDomain: domain === '' ? undefined : domain,
    propertyIds: grant.propertyIds,
    propertiesTotal: grant.total,
    signingKeysPinned: grant.pinned,
    properties: grant.properties.map((property) => property.raw),
  }
}

/** Why a file gives an agent (canonical key) no property of a publisher. `adagents` is the file as it was decoded, where it is at hand. */
export function refusal(
  index: FileIndex,
  adagents: unknown,
  asked: { readonly agent: string; readonly publisher: string | undefined; readonly now: number },
): [RefusalReason, string] {
  const { agent, publisher, now } = asked
  if (publisher !== undefined && index.file.revoked.has(publisher)) {
    return ['publisher_revoked', `the file lists ${publisher} in revoked_publisher_domains`]
  }
  const entries = index.file.agents.filter((entry) => entry.agent === agent)
  if (entries.length === 0) {
    return isListed(adagents, agent)
      ? ['entry_malformed', 'every entry of the agent is malformed']
      : ['agent_not_listed', 'authorized_agents does not list the agent']
  }
  const active = entries.filter((entry) => isInEffect(entry, now))
  if (active.length === 0) return ['not_in_effect', 'every entry of the agent is outside its effective window']
  if (active.every((entry) => entry.scope.kind === 'signals')) return ['signals_only', 'the agent is authorised for signals only']
  const own: InlineFile = { ...index.file, agents: active }
  const open = [...atOnce(unansweredDomains({ ...index, file: own }))].filter(
    (domain) => publisher === undefined || domain === publisher,
  )
  if (open.length > 0) return ['needs_publisher_file', `only the file of ${open[0]} itself can answer the agent's selectors`]
  return ['no_matching_property', 'the entries of the agent match no property']
}

function isListed(adagents: unknown, agent: string): boolean {
  const list = isObject(adagents) && Array.isArray(adagents.authorized_agents) ? adagents.authorized_agents : []
  return list.some((entry) => isObject(entry) && typeof entry.url === 'string' && agentKey(entry.url) === agent)
}
