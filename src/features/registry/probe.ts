import { agentKey } from '../../domain/directory/agent-url.ts'
import { type AgentProfile, agentProfile } from '../../domain/registry/agent-profile.ts'
import { callTool, listTools } from '../../platform/net/call-tool.ts'
import { type FetchPolicy, publicReason, registrableDomain } from '../../platform/net/fetch-policy.ts'
import { NOT_LEASED } from '../../store/leases.ts'
import { registryAgentId } from '../../store/registry/registry-agents.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'
import type { RegistryDeps } from './deps.ts'

/** AdCP key discovery allows capabilities 64 KiB; a list of sixty tools with their schemas is some hundred kilobytes. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 2_000_000,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 10_000,
  contentTypes: undefined,
}

/** What came of calling an agent. `reason` is ours and public: nothing that the other side said. */
export type Probe =
  | { readonly ok: true; readonly profile: AgentProfile; readonly responseMs: number }
  | { readonly ok: false; readonly reason: string }

/** Calls an agent over MCP without credentials: its tools, then its AdCP capabilities. Never rejects. */
export async function probeAgent({ fetch, isTask }: Pick<RegistryDeps, 'fetch' | 'isTask'>, url: string): Promise<Probe> {
  const startedAt = performance.now()
  try {
    const { serverName, tools } = await listTools(fetch, { url, policy: POLICY })
    const responseMs = Math.round(performance.now() - startedAt)
    const answer = await callTool(fetch, { url, tool: 'get_adcp_capabilities', arguments: {}, policy: POLICY })
    if (answer.isError) return { ok: false, reason: 'it refuses get_adcp_capabilities' }
    const profile = agentProfile(tools, answer.payload, serverName, isTask)
    return profile
      ? { ok: true, profile, responseMs }
      : { ok: false, reason: 'it declares no AdCP protocol or offers no AdCP task' }
  } catch (error) {
    return { ok: false, reason: publicReason(error, 'it does not answer as an MCP server') }
  }
}

/** The domain that an agent is listed under: the registrable domain of its address. */
export function domainOfAgent(agentUrl: string): string {
  const { hostname } = new URL(agentUrl)
  return registrableDomain(hostname) ?? hostname
}

/** An agent of which nothing is known yet. Undefined when the address is none. */
export function newAgentRow(
  url: string,
  more: Pick<RegistryAgentRow, 'source' | 'registered_by'> & { readonly nextCheckAt: Date | undefined; readonly now: Date },
): RegistryAgentRow | undefined {
  const agentUrl = agentKey(url)
  if (agentUrl === undefined) return undefined
  return {
    agent_id: registryAgentId(agentUrl),
    agent_url: agentUrl,
    call_url: url,
    domain: domainOfAgent(agentUrl),
    name: null,
    types: '[]',
    capabilities: '[]',
    channels: '[]',
    source: more.source,
    registered_by: more.registered_by,
    listed: 0,
    health: 'unknown',
    checked_at: null,
    last_seen_at: null,
    failing_since: null,
    failures: 0,
    response_ms: null,
    error: null,
    own_revision: null,
    next_check_at: more.nextCheckAt?.toISOString() ?? null,
    ...NOT_LEASED,
    added_at: more.now.toISOString(),
  }
}
