import { identifierKey } from '../../domain/directory/identifiers.ts'
import { capabilityFacet, channelFacet, typeFacet } from '../../domain/registry/agent-profile.ts'
import { presentAgent, presentListedAgent } from '../../domain/registry/present-agent.ts'
import { pageMirrorRows } from '../../store/directory/directory-mirrors.ts'
import { findByIdentifier } from '../../store/directory/identified-properties.ts'
import { listAgentsOfDomain, pageRegistryAgents } from '../../store/registry/registry-agents.ts'
import {
  agentsOfPublisher,
  countAgents,
  countPublishers,
  domainsOfAgent,
  isAuthorized,
  pagePublishers,
} from '../../store/registry/registry-lookups.ts'
import { agentView } from '../directory/agent-view.ts'
import { publisherView } from '../directory/publisher-view.ts'
import { createAnswerCache } from './answer-cache.ts'
import { agentOf, cursorAt, domainOf, isTrue, numberOf, optionalText, positionIn, textOf } from './arguments.ts'
import { crawlRequestStatus } from './crawl-request-status.ts'
import type { RegistryDeps } from './deps.ts'
import { readFeed } from './feed-operation.ts'
import type { Handlers } from './operations.ts'
import { RegistryRefusal } from './refusal.ts'
import { presentProfiles } from './search-profiles.ts'
import { judgeAdagents } from './validate-adagents.ts'

/** Counting is the one query that reads every row. */
const STATS_MS = 10 * 60_000
/** Agents under one domain that a look-up of the domain shows. */
const MOST_CLAIMING = 100
/** Authorisations around one identifier: most have a handful. */
const MOST_IDENTIFIED = 1_000

/** Operations that read the store and nothing else. Every page is a range of an index. */
export function readOperations({ store, clock, checkAdagents }: RegistryDeps): Handlers {
  const db = store.read
  const stats = createAnswerCache<object>({ most: 1, keepMs: () => STATS_MS })
  return {
    async listRegistryAgents(args) {
      const [capability, channel, type] = ['capability', 'channel', 'type'].map((name) => optionalText(args, name))
      const query = ['agents', capability, channel, type]
      const facets = [
        ...(capability === undefined ? [] : [capabilityFacet(capability)]),
        ...(channel === undefined ? [] : [channelFacet(channel)]),
        ...(type === undefined ? [] : [typeFacet(type)]),
      ]
      const [domain, agentId] = positionIn(args, query)
      const after = domain === undefined || agentId === undefined ? undefined : { domain, agentId }
      const page = await pageRegistryAgents(db, {
        facets: facets.length > 0 ? facets : [''],
        after,
        limit: numberOf(args, 'limit'),
      })
      const [health, details, capabilities] = ['health', 'details', 'capabilities'].map((name) => isTrue(args, name))
      const more = { health: health === true, details: details === true, capabilities: capabilities === true }
      // Introductions search by task or channel and show entries with lists; the public registry, and its clients, know neither word.
      const isSearch = capability !== undefined || channel !== undefined
      const agents = page.agents.map((agent) => (isSearch ? presentAgent(agent, more) : presentListedAgent(agent, more)))
      const nextCursor = page.next === undefined ? null : cursorAt(query, page.next.domain, page.next.agentId)
      return { agents, count: agents.length, next_cursor: nextCursor }
    },
    async lookupDomain(args) {
      const domain = domainOf(args, 'domain')
      const query = ['domain', domain]
      const limit = numberOf(args, 'limit')
      const rows = await agentsOfPublisher(db, domain, positionIn(args, query)[0] ?? '', limit + 1)
      const shown = rows.slice(0, limit)
      const claiming = await listAgentsOfDomain(db, domain, MOST_CLAIMING)
      const claims = await Promise.all(
        claiming.map(async (agent) => ({ agent, authorised: await isAuthorized(db, agent.agent_url, domain) })),
      )
      return {
        domain,
        authorized_agents: shown.map(({ agent_url: url, discovery_method, registered }) => ({
          url,
          source: sourceOf(registered),
          discovery_method,
        })),
        sales_agents_claiming: claims
          .filter(({ authorised }) => !authorised)
          .map(({ agent }) => ({ url: agent.agent_url, source: sourceOf(agent.source) })),
        next_cursor: rows.length > limit ? cursorAt(query, shown.at(-1)?.agent_id ?? '') : null,
      }
    },
    async lookupAgentDomains(args) {
      const agent = agentOf(args, 'agent_url')
      const query = ['domains', agent]
      const limit = numberOf(args, 'limit')
      const rows = await domainsOfAgent(db, agent, positionIn(args, query)[0] ?? '', limit + 1)
      const domains = rows.slice(0, limit)
      const nextCursor = rows.length > limit ? cursorAt(query, domains.at(-1) ?? '') : null
      return { agent_url: agent, domains, count: domains.length, next_cursor: nextCursor }
    },
    async lookupProperty(args) {
      const type = textOf(args, 'type')
      const value = identifierKey(type, textOf(args, 'value'))
      const found = await findByIdentifier(db, { type, value, limit: MOST_IDENTIFIED })
      const agents = found.map(({ agent_url, publisher_domain, property_id, discovery_method }) => ({
        agent_url,
        publisher_domain,
        property_id,
        discovery_method,
      }))
      return { type, value, agents }
    },
    async listPublishers(args) {
      const query = ['publishers']
      const limit = numberOf(args, 'limit')
      const rows = await pagePublishers(db, positionIn(args, query)[0] ?? '', limit + 1)
      const publishers = rows.slice(0, limit).map((row) => ({
        domain: row.publisher_domain,
        agent_count: row.agents,
        last_validated: row.verified_at,
        has_valid_adagents: Number(row.valid) === 1,
      }))
      const nextCursor = rows.length > limit ? cursorAt(query, publishers.at(-1)?.domain ?? '') : null
      return { publishers, count: publishers.length, next_cursor: nextCursor }
    },
    getRegistryStats: () =>
      stats.get('', clock().getTime(), async () => {
        const [agents, publishers] = [await countAgents(db), await countPublishers(db)]
        return {
          agents: agents.all,
          agents_online: agents.some,
          publishers: publishers.all,
          publishers_with_adagents: publishers.some,
          counted_at: clock().toISOString(),
        }
      }),
    async validatePropertyAuthorization(args) {
      const agent = agentOf(args, 'agent_url')
      const domain = domainOf(args, 'identifier_value')
      return {
        agent_url: agent,
        identifier_type: 'domain',
        identifier_value: domain,
        authorized: await isAuthorized(db, agent, domain),
        checked_at: clock().toISOString(),
      }
    },
    async searchAgentProfiles(args) {
      const [names, type] = [optionalText(args, 'channels'), optionalText(args, 'type')]
      const query = ['profiles', names, type]
      const channels = (names ?? '').split(',').filter((channel) => channel !== '')
      const facets = [...channels.map(channelFacet), ...(type === undefined ? [] : [typeFacet(type)])]
      const [domain, agentId] = positionIn(args, query)
      const page = await pageRegistryAgents(db, {
        facets: facets.length > 0 ? facets : [''],
        after: domain === undefined || agentId === undefined ? undefined : { domain, agentId },
        limit: numberOf(args, 'limit'),
      })
      const filters = [...(channels.length > 0 ? ['channels'] : []), ...(type === undefined ? [] : ['type'])]
      return {
        results: await presentProfiles(db, page.agents, filters),
        has_more: page.next !== undefined,
        cursor: page.next === undefined ? null : cursorAt(query, page.next.domain, page.next.agentId),
      }
    },
    async getAgent(args) {
      const agent = agentOf(args, 'agent_url')
      const query = ['agent', agent]
      const view = await agentView(db, agent, { after: positionIn(args, query)[0] ?? '', limit: numberOf(args, 'limit') })
      if (!view) throw new RegistryRefusal(404, 'agent_not_found', `no file that the directory has read names ${agent}`)
      const { next, ...shown } = view
      return { ...shown, next_cursor: next === undefined ? null : cursorAt(query, next) }
    },
    async lookupMirrors(args) {
      const agent = agentOf(args, 'agent_url')
      const query = ['mirrors', agent]
      const limit = numberOf(args, 'limit')
      const [domain = '', source = ''] = positionIn(args, query)
      const { rows, isCut } = await pageMirrorRows(db, { agentUrl: agent, after: [domain, source], limit })
      const claims = rows.map((row) => ({
        publisher_domain: row.publisher_domain,
        ...JSON.parse(row.claim),
        source: row.source,
        imported_at: row.imported_at,
      }))
      const last = isCut ? rows.at(-1) : undefined
      return { agent_url: agent, claims, next_cursor: last ? cursorAt(query, last.publisher_domain, last.source) : null }
    },
    async getPublisher(args) {
      const domain = domainOf(args, 'domain')
      const view = await publisherView(db, domain, clock())
      if (!view) throw new RegistryRefusal(404, 'publisher_not_found', `the directory knows nothing of ${domain}`)
      return view
    },
    getCrawlRequest: (args) => crawlRequestStatus(db, textOf(args, 'crawl_request_id'), clock()),
    async validateAdagentsDocument(args) {
      const publisher = args.domain === undefined ? undefined : domainOf(args, 'domain')
      const options = { now: clock().getTime(), ...(publisher !== undefined && { publisher }) }
      const { pointsAt, agents, properties, ...verdict } = await judgeAdagents(args.document, checkAdagents, options)
      const counts = { authorized_agent_count: agents, property_count: properties }
      return { ...verdict, ...counts, ...(pointsAt !== undefined && { points_at: pointsAt }) }
    },
    async getRegistryFeed(args) {
      // The same place in the feed whatever the types: a reader may change its mind.
      const query = ['feed']
      const { events, position, hasMore, freshness } = await readFeed(db, {
        position: positionIn(args, query),
        limit: numberOf(args, 'limit'),
        types: optionalText(args, 'types'),
        now: clock(),
      })
      return { events, cursor: cursorAt(query, ...position), has_more: hasMore, freshness }
    },
  }
}

function sourceOf(source: string | null): 'registered' | 'discovered' {
  return source === 'registered' || source === 'own' ? 'registered' : 'discovered'
}
