import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { agentKey } from '../domain/directory/agent-url.ts'
import { capabilityFacet, channelFacet } from '../domain/registry/agent-profile.ts'
import { directoryFetch } from '../features/directory/service.ts'
import { discoverAgents, refreshDueAgents } from '../features/registry/refresh-agents.ts'
import { RegistryRefusal } from '../features/registry/refusal.ts'
import { registerAgent } from '../features/registry/register-agent.ts'
import { AdcpError } from '../protocol/errors.ts'
import { Schemas } from '../protocol/schemas.ts'
import type { Store } from '../store/database.ts'
import {
  type AgentPosition,
  deleteRegistryAgent,
  findRegistryAgent,
  pageRegistryAgents,
  registryAgentId,
} from '../store/registry/registry-agents.ts'
import { appendEvent } from '../store/registry/registry-events.ts'
import { makeAgentsDue } from '../store/registry/registry-leases.ts'
import type { RegistryAgentRow } from '../store/registry/registry-tables.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly json?: boolean
  readonly capability?: string
  readonly channel?: string
  readonly all?: boolean
}

/** Who acts at the command line, in the feed. */
const OPERATOR = { id: 'operator' }
const PAGE = 500

/** `sales-agent registry add|list|refresh|remove`. */
export function registryCommand(): Command {
  const registry = new Command('registry').description('the registry of agents that this deployment keeps')
  withStoreOptions(registry.command('add <agent_url>').description('call an agent and register it when it answers'))
    .option('--json')
    .action(addAction)
  withStoreOptions(registry.command('list').description('the agents that searches show'))
    .option('--capability <task>', 'only agents that offer this task')
    .option('--channel <channel>', 'only agents that declare this channel')
    .option('--json')
    .action(listAction)
  withStoreOptions(
    registry
      .command('refresh [agent_url]')
      .description('call the agents that are due, or one now; new ones come from the directory'),
  )
    .option('--all', 'call every agent now')
    .option('--json')
    .action(refreshAction)
  withStoreOptions(
    registry.command('remove <agent_url>').description('forget an agent; one that the directory indexes comes back with it'),
  )
    .option('--json')
    .action(removeAction)
  return registry
}

async function addAction(url: string, options: Options): Promise<void> {
  const { row, isNew } = await withStore(options, async (store, config) => {
    try {
      return await registerAgent(depsOf(asOperator(store, { task: 'registry.add', subject: url }), config), url, OPERATOR)
    } catch (error) {
      if (error instanceof RegistryRefusal) throw new AdcpError('INVALID_REQUEST', error.message, { field: 'agent_url' })
      throw error
    }
  })
  print(options.json, { ...present(row), new: isNew }, [
    `${row.agent_url} is ${isNew ? 'registered' : 'registered already'}: ${JSON.parse(row.capabilities).length} tasks, domain ${row.domain}`,
  ])
}

async function listAction(options: Options): Promise<void> {
  const facets = [
    ...(options.capability === undefined ? [] : [capabilityFacet(options.capability)]),
    ...(options.channel === undefined ? [] : [channelFacet(options.channel)]),
  ]
  const agents = await withStore(options, async (store) => {
    const rows: RegistryAgentRow[] = []
    let after: AgentPosition | undefined
    do {
      const page = await pageRegistryAgents(store.read, { facets: facets.length > 0 ? facets : [''], after, limit: PAGE })
      rows.push(...page.agents)
      after = page.next
    } while (after !== undefined)
    return rows.map(present)
  })
  print(
    options.json,
    { agents },
    table(
      ['DOMAIN', 'AGENT', 'SOURCE', 'HEALTH', 'LAST SEEN', 'TASKS', 'CHANNELS'],
      agents.map((agent) => [
        agent.domain,
        agent.agent_url,
        agent.source,
        agent.health,
        agent.last_seen_at ?? 'never',
        String(agent.capabilities.length),
        agent.channels.join(','),
      ]),
    ),
  )
}

async function refreshAction(url: string | undefined, options: Options): Promise<void> {
  const result = await withStore(options, async (store, config) => {
    const deps = depsOf(store, config)
    let position: string | undefined = ''
    while (position !== undefined) position = await discoverAgents(deps, position)
    const chosen = url === undefined ? (options.all ? 'all' : undefined) : idOf(url)
    if (chosen !== undefined) await store.transaction((tx) => makeAgentsDue(tx, chosen, deps.clock()))
    let checked = 0
    for (let more = true; more; ) {
      const step = await refreshDueAgents(deps)
      checked += step.checked
      more = step.more
    }
    return { checked }
  })
  print(options.json, result, [`${result.checked} agents called`])
}

async function removeAction(url: string, options: Options): Promise<void> {
  const removed = await withStore(options, (store) =>
    asOperator(store, { task: 'registry.remove', subject: url }).transaction(async (tx) => {
      const row = await findRegistryAgent(tx, idOf(url))
      if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', 'the registry does not know this agent', { field: 'agent_url' })
      await deleteRegistryAgent(tx, row.agent_id)
      const event = { type: 'agent.removed', entityType: 'agent', entityId: row.agent_url } as const
      if (row.listed === 1) await appendEvent(tx, { ...event, payload: { domain: row.domain }, actor: OPERATOR.id }, new Date())
      return row.agent_url
    }),
  )
  print(options.json, { agent_url: removed, removed: true }, [`${removed} is forgotten`])
}

function depsOf(store: Store, config: Config) {
  const { tools } = new Schemas().manifest
  return {
    store,
    fetch: directoryFetch(config),
    isTask: (tool: string) => Object.hasOwn(tools, tool),
    clock: () => new Date(),
    random: Math.random,
    worker: randomUUID(),
  }
}

function idOf(url: string): string {
  const key = agentKey(url)
  if (key === undefined)
    throw new AdcpError('INVALID_REQUEST', 'agent_url must be an absolute http(s) URL', { field: 'agent_url' })
  return registryAgentId(key)
}

function present(row: RegistryAgentRow) {
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
