import { randomUUID } from 'node:crypto'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { capabilityFacet, channelFacet } from '../../domain/registry/agent-profile.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { discoverAgents, refreshDueAgents } from '../../features/registry/refresh-agents.ts'
import { RegistryRefusal } from '../../features/registry/refusal.ts'
import { registerAgent } from '../../features/registry/register-agent.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import {
  type AgentPosition,
  deleteRegistryAgent,
  findRegistryAgent,
  pageRegistryAgents,
  registryAgentId,
} from '../../store/registry/registry-agents.ts'
import { appendEvent } from '../../store/registry/registry-events.ts'
import { makeAgentsDue } from '../../store/registry/registry-leases.ts'
import type { RegistryAgentRow } from '../../store/registry/registry-tables.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export type ShownAgent = ReturnType<typeof presentAgent>

/** Agents of one page of the store. */
const PAGE = 500

/** Calls an agent and registers it when it answers. Throws INVALID_REQUEST when it is refused. */
export async function addToRegistry(
  context: OperatorContext,
  agentUrl: string,
): Promise<{ readonly agent: ShownAgent; readonly isNew: boolean }> {
  const store = auditedStore(context, { task: 'registry.add', subject: agentUrl })
  try {
    const { row, isNew } = await registerAgent(partsOf(context, store), agentUrl, { id: context.actor.principal })
    return { agent: presentAgent(row), isNew }
  } catch (error) {
    if (error instanceof RegistryRefusal) throw new AdcpError('INVALID_REQUEST', error.message, { field: 'agent_url' })
    throw error
  }
}

/** The agents that searches show: those that offer a task and declare a channel, where these are given. */
export async function listRegistry(
  { store }: OperatorContext,
  { capability, channel }: { readonly capability?: string | undefined; readonly channel?: string | undefined },
): Promise<readonly ShownAgent[]> {
  const asked = [
    ...(capability === undefined ? [] : [capabilityFacet(capability)]),
    ...(channel === undefined ? [] : [channelFacet(channel)]),
  ]
  const facets = asked.length > 0 ? asked : ['']
  const agents: ShownAgent[] = []
  let after: AgentPosition | undefined
  do {
    const page = await pageRegistryAgents(store.read, { facets, after, limit: PAGE })
    agents.push(...page.agents.map(presentAgent))
    after = page.next
  } while (after !== undefined)
  return agents
}

/**
 * Calls the agents that are due, new ones of the directory included, or all, or the one of an address. Gives how many were called. It decides nothing, so it
 * leaves no audit entry. Throws INVALID_REQUEST for an address that is no URL.
 */
export async function refreshRegistry(
  context: OperatorContext,
  which: 'due' | 'all' | { readonly agentUrl: string },
): Promise<number> {
  const parts = partsOf(context, context.store)
  let position: string | undefined = ''
  while (position !== undefined) position = await discoverAgents(parts, position)
  if (which !== 'due') {
    const chosen = which === 'all' ? which : idOf(which.agentUrl)
    await context.store.transaction((tx) => makeAgentsDue(tx, chosen, context.clock()))
  }
  let checked = 0
  for (let more = true; more; ) {
    const step = await refreshDueAgents(parts)
    checked += step.checked
    more = step.more
  }
  return checked
}

/** Removes an agent; one that the directory indexes comes back with it. Gives its address. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export async function removeFromRegistry(context: OperatorContext, agentUrl: string): Promise<string> {
  const store = auditedStore(context, { task: 'registry.remove', subject: agentUrl })
  return store.transaction(async (tx) => {
    const row = await findRegistryAgent(tx, idOf(agentUrl))
    if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', 'the registry does not know this agent', { field: 'agent_url' })
    await deleteRegistryAgent(tx, row.agent_id)
    const event = { type: 'agent.removed', entityType: 'agent', entityId: row.agent_url } as const
    const entry = { ...event, payload: { domain: row.domain }, actor: context.actor.principal }
    if (row.listed === 1) await appendEvent(tx, entry, context.clock())
    return row.agent_url
  })
}

function partsOf({ config, schemas, clock }: OperatorContext, store: Store) {
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

function presentAgent(row: RegistryAgentRow) {
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
