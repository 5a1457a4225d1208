import { randomUUID } from 'node:crypto'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { AGENT_HEALTHS, AGENT_SOURCES } from '../../domain/registry/agent-health.ts'
import { capabilityFacet, channelFacet } from '../../domain/registry/agent-profile.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { discoverAgents, refreshDueAgents } from '../../features/registry/refresh-agents.ts'
import { RegistryRefusal } from '../../features/registry/refusal.ts'
import { registerAgent } from '../../features/registry/register-agent.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { unlistedEvent } from '../../store/directory/directory-feed.ts'
import { appendEvent } from '../../store/directory/registry-events.ts'
import {
  type AgentPosition,
  deleteRegistryAgent,
  findRegistryAgent,
  pageRegistryAgents,
  registryAgentId,
} from '../../store/registry/registry-agents.ts'
import { makeAgentsDue } from '../../store/registry/registry-leases.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'
import { defineAct, type Watching } from '../act.ts'
import { flag, required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { boolean, integer, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

const AGENT_MEMBERS = {
  domain: string,
  agent_url: string,
  capabilities: listOf(string),
  channels: listOf(string),
  source: word(...AGENT_SOURCES),
  health: word(...AGENT_HEALTHS),
  last_seen_at: orNull(moment),
}
const agentShape = named('RegistryAgent', object(AGENT_MEMBERS))
const AGENT_URL = required(text('address of the agent'))

/** Agents of one page of the store. */
const PAGE = 500

/** Calls an agent and registers it when it answers. Throws INVALID_REQUEST when it is refused. */
export const addToRegistry = defineAct({
  name: 'registry.add',
  route: 'POST /deployment/registry',
  id: 'addToRegistry',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Calls an agent and registers it when it answers.',
  fields: { agent_url: AGENT_URL },
  answer: object({ ...AGENT_MEMBERS, new: boolean }),
  subject: 'agent_url',
  command: {
    args: ['agent_url'],
    text: (agent) => [
      `${agent.agent_url} is ${agent.new ? 'registered' : 'registered already'}: ${agent.capabilities.length} tasks, domain ${agent.domain}`,
    ],
  },
  watch: watchedAgent,
  async run(context, { agent_url: agentUrl }) {
    try {
      const { row, isNew } = await registerAgent(partsOf(context), agentUrl, { id: context.actor.who })
      return { ...presentAgent(row), new: isNew }
    } catch (error) {
      if (error instanceof RegistryRefusal) throw new AdcpError('INVALID_REQUEST', error.message, { field: 'agent_url' })
      throw error
    }
  },
})

/** The agents that searches show: those that offer a task and declare a channel, where these are given. */
export const listRegistry = defineAct({
  name: 'registry.list',
  route: 'GET /deployment/registry',
  id: 'listRegistry',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'The agents that searches of the registry show.',
  fields: { capability: text('only agents that offer this task'), channel: text('only agents that declare this channel') },
  answer: pageOf(agentShape),
  command: {
    columns: [
      ['DOMAIN', ({ domain }) => domain],
      ['AGENT', (agent) => agent.agent_url],
      ['SOURCE', ({ source }) => source],
      ['HEALTH', ({ health }) => health],
      ['LAST SEEN', (agent) => agent.last_seen_at ?? 'never'],
      ['TASKS', ({ capabilities }) => String(capabilities.length)],
      ['CHANNELS', ({ channels }) => channels.join(',')],
    ],
  },
  async run({ store }, { capability, channel }) {
    const asked = [
      ...(capability === undefined ? [] : [capabilityFacet(capability)]),
      ...(channel === undefined ? [] : [channelFacet(channel)]),
    ]
    const facets = asked.length > 0 ? asked : ['']
    const agents: Of<typeof agentShape>[] = []
    let after: AgentPosition | undefined
    do {
      const page = await pageRegistryAgents(store.read, { facets, after, limit: PAGE })
      agents.push(...page.agents.map(presentAgent))
      after = page.next
    } while (after !== undefined)
    return list(agents)
  },
})

/**
 * Calls the agents that are due, new ones of the directory included, or all, or the one of an address. It decides nothing, so it leaves no audit entry.
 * Throws INVALID_REQUEST for an address that is no URL.
 */
export const refreshRegistry = defineAct({
  name: 'registry.refresh',
  route: 'POST /deployment/registry/refresh',
  id: 'refreshRegistry',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  changes: false,
  summary: 'Calls the agents that are due, or one now; new ones come from the directory.',
  fields: { agent_url: text('one agent'), all: flag('call every agent now') },
  answer: object({ checked: integer }),
  command: { args: ['agent_url'], text: ({ checked }) => [`${checked} agents called`] },
  async run(context, { agent_url: agentUrl, all = false }) {
    const parts = partsOf(context)
    let position: string | undefined = ''
    while (position !== undefined) position = await discoverAgents(parts, position)
    if (all || agentUrl !== undefined) {
      const chosen = agentUrl === undefined ? 'all' : idOf(agentUrl)
      await context.store.transaction((tx) => makeAgentsDue(tx, chosen, context.clock()))
    }
    let checked = 0
    for (let more = true; more; ) {
      const step = await refreshDueAgents(parts)
      checked += step.checked
      more = step.more
    }
    return { checked }
  },
})

/** Removes an agent; one that the directory indexes comes back with it. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export const removeFromRegistry = defineAct({
  name: 'registry.remove',
  route: 'DELETE /deployment/registry',
  id: 'removeFromRegistry',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Removes an agent. An agent that the directory indexes comes back with the next refresh.',
  fields: { agent_url: AGENT_URL },
  answer: object({ agent_url: string, removed: boolean }),
  subject: 'agent_url',
  command: { args: ['agent_url'], text: (answer) => [`${answer.agent_url} is forgotten`] },
  watch: watchedAgent,
  run: ({ store, actor, clock }, { agent_url: agentUrl }) =>
    store.transaction(async (tx) => {
      const row = await findRegistryAgent(tx, idOf(agentUrl))
      if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', 'the registry does not know this agent', { field: 'agent_url' })
      await deleteRegistryAgent(tx, row.agent_id)
      const type = await unlistedEvent(tx, row.agent_id)
      const event = { type, entityType: 'agent', entityId: row.agent_url } as const
      const entry = { ...event, payload: { agent_url: row.agent_url, domain: row.domain }, actor: actor.who }
      if (row.listed === 1) await appendEvent(tx, entry, clock())
      return { agent_url: row.agent_url, removed: true }
    }),
})

/** How the registry has an agent, for the audit log; when it was called last is no change of people. */
async function watchedAgent(tx: Db, _context: Watching, { agent_url: agentUrl }: { readonly agent_url: string }) {
  const row = await findRegistryAgent(tx, idOf(agentUrl))
  return row && { domain: row.domain, source: row.source }
}

function partsOf({ store, config, schemas, clock }: OperatorContext) {
  const { tools } = schemas.manifest
  return {
    store,
    fetch: directoryFetch(config),
    isTask: (tool: string) => Object.hasOwn(tools, tool),
    clock,
    random: Math.random,
    worker: randomUUID(),
  }
}

function idOf(url: string): string {
  const key = agentKey(url)
  if (key !== undefined) return registryAgentId(key)
  throw new AdcpError('INVALID_REQUEST', 'agent_url must be an absolute http(s) URL', { field: 'agent_url' })
}

function presentAgent(row: RegistryAgentRow): Of<typeof agentShape> {
  const [capabilities, channels]: readonly string[][] = [JSON.parse(row.capabilities), JSON.parse(row.channels)]
  return {
    domain: row.domain,
    agent_url: row.agent_url,
    capabilities: capabilities ?? [],
    channels: channels ?? [],
    source: row.source,
    health: row.health,
    last_seen_at: row.last_seen_at,
  }
}
