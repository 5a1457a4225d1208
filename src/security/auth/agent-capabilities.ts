import { callTool } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'

/** AdCP key discovery: capabilities are at most 64 KiB; no redirects, 5 s to connect, 10 s for each step. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 64 * 1024,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 10_000,
  contentTypes: undefined,
}

/** Asks an agent for its AdCP capabilities over MCP, without credentials. Gives the payload; throws when there is none. */
export async function capabilitiesOf(agentUrl: string, safeFetch: SafeFetch): Promise<unknown> {
  const answer = await callTool(safeFetch, { url: agentUrl, tool: 'get_adcp_capabilities', arguments: {}, policy: POLICY })
  if (answer.isError) throw new Error('the agent refuses get_adcp_capabilities')
  return answer.payload
}
