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

/** A registry agent entry: four fields, and more only for those who ask for them (schemas/registry-openapi.json, RegistryAgent). */
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
