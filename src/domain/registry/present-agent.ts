/** An agent of the registry, as far as answers show it. Lists are JSON arrays. */
export interface ShownAgent {
  readonly domain: string
  readonly agent_url: string
  readonly name: string | null
  readonly types: string
  readonly capabilities: string
  readonly channels: string
  readonly source: string
  readonly health: string
  readonly checked_at: string | null
  readonly last_seen_at: string | null
  readonly response_ms: number | null
  readonly error: string | null
}

/** A registry agent entry as introductions to AdCP show it: four fields, and more only for those who ask for them (schemas/registry-openapi.json, RegistryAgent). */
export function presentAgent(agent: ShownAgent, more: { readonly health: boolean; readonly details: boolean }): object {
  return {
    domain: agent.domain,
    agent_url: agent.agent_url,
    capabilities: JSON.parse(agent.capabilities),
    channels: JSON.parse(agent.channels),
    ...(more.details && {
      ...(agent.name !== null && { name: agent.name }),
      types: JSON.parse(agent.types),
      source: agent.source,
    }),
    ...(more.health && {
      health: {
        status: agent.health,
        checked_at: agent.checked_at,
        last_seen_at: agent.last_seen_at,
        response_time_ms: agent.response_ms === null ? null : Number(agent.response_ms),
        ...(agent.error !== null && { error: agent.error }),
      },
    }),
  }
}

/** Kinds of agent that the public registry's entries know (AdCP registry, FederatedAgentWithDetails); others are `unknown` there. */
const TYPES = ['sales', 'creative', 'signals', 'governance', 'brand', 'rights', 'measurement', 'buying']

/** The one kind of an agent that the public registry's entries have room for; sales where it is that among others. */
export function mainType(types: readonly string[]): string {
  return TYPES.find((type) => types.includes(type)) ?? 'unknown'
}

/**
 * An agent as the public registry lists it, which its official clients read (AdCP registry, FederatedAgentWithDetails), with the members of the other
 * form that do not contradict it. Of tools only the AdCP tasks are known, without their descriptions.
 */
export function presentListedAgent(
  agent: ShownAgent,
  more: { readonly health: boolean; readonly details: boolean; readonly capabilities: boolean },
): object {
  const types: readonly string[] = JSON.parse(agent.types)
  const tasks: readonly string[] = JSON.parse(agent.capabilities)
  return {
    url: agent.agent_url,
    name: agent.name ?? agent.domain,
    type: mainType(types),
    protocol: 'mcp',
    mcp_endpoint: agent.agent_url,
    domain: agent.domain,
    agent_url: agent.agent_url,
    channels: JSON.parse(agent.channels),
    ...(more.details && { types, source: agent.source }),
    // The form has no word for an agent that nobody has called yet.
    ...(more.health &&
      agent.checked_at !== null && {
        health: {
          online: agent.health === 'online',
          status: agent.health,
          checked_at: agent.checked_at,
          last_seen_at: agent.last_seen_at,
          tools_count: tasks.length,
          ...(agent.response_ms !== null && { response_time_ms: Number(agent.response_ms) }),
          ...(agent.error !== null && { error: agent.error }),
        },
      }),
    ...(more.capabilities && {
      capabilities: { tools_count: tasks.length, tools: tasks.map((name) => ({ name, description: '' })) },
    }),
  }
}
