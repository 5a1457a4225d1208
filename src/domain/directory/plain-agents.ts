import type { Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Warn } from './adagents-file.ts'
import { type AgentEntry, parseEach } from './agent-entry.ts'
import { agentKey } from './agent-url.ts'
import { type Parsed, type Property, parseProperty } from './property.ts'
import { publisherDomain } from './publisher-domain.ts'

/** The agents of a file in the short form, and the properties that they may sell. */
export interface PlainAgents {
  readonly agents: readonly AgentEntry[]
  readonly properties: readonly Property[]
}

/**
 * Reads the short form of an adagents.json: `publisher{name, domain}` and `agents[]{url, protocol, capabilities}`, which names no scope.
 * Every agent may sell every property of the file; a file that lists none means the publisher's own site. Undefined when the file
 * has no list of agents. Source: introduction of the AdCP documentation; the official schema (adagents.json) has another form.
 */
export function* parsePlainAgents(document: Readonly<Record<string, unknown>>, warn: Warn): Steps<PlainAgents | undefined> {
  if (!Array.isArray(document.agents)) return undefined
  const agents = (yield* parseEach(document.agents, 'agents', warn, parsePlainAgent)) ?? []
  const listed = yield* parseEach(document.properties, 'properties', warn, parseProperty)
  return { agents, properties: listed ?? ownSite(document.publisher) }
}

function parsePlainAgent(value: unknown): Parsed<AgentEntry> {
  const agent = isObject(value) && typeof value.url === 'string' ? agentKey(value.url) : undefined
  if (agent === undefined) return { reason: 'has no usable url' }
  return {
    value: {
      agent,
      scope: { kind: 'properties', selects: { by: 'all' } },
      effectiveFrom: Number.NEGATIVE_INFINITY,
      effectiveUntil: Number.POSITIVE_INFINITY,
      pinsSigningKeys: isObject(value) && Array.isArray(value.signing_keys) && value.signing_keys.length > 0,
      delegation: undefined,
    },
  }
}

/** The site of the publisher, which belongs to the domain that serves the file: `publisher.domain` alone makes no domain the manager of another. */
function ownSite(publisher: unknown): readonly Property[] {
  if (!isObject(publisher)) return []
  const domain = publisherDomain(publisher.domain)
  if (domain === undefined) return []
  const name = typeof publisher.name === 'string' && publisher.name !== '' ? publisher.name : domain
  const parsed = parseProperty({ property_type: 'website', name, identifiers: [{ type: 'domain', value: domain }] })
  return 'value' in parsed ? [parsed.value] : []
}
