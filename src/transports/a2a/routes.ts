import { onDemand } from '../http/on-demand.ts'
import type { Routes } from '../http/server.ts'
import type { A2aOptions } from './compose.ts'

/**
 * The A2A transport: JSON-RPC at `/a2a`, and the agent card at the well-known places of A2A 1.0 and 0.3 (`agent-card.json`) and of the
 * revisions before, where AdCP clients look first (`agent.json`), of the host, of the endpoint, and of the MCP endpoint, which is the
 * address that they often know. It is loaded, and the A2A SDK with it, when somebody knocks.
 */
export function a2aRoutes(options: A2aOptions): Routes {
  const transport = onDemand(async () => (await import('./compose.ts')).composeA2a(options))
  return [
    [/^(?:\/t\/([a-z0-9-]{1,64}))?\/a2a$/, async (...request) => (await transport()).rpc(...request)],
    [
      /^(?:\/t\/([a-z0-9-]{1,64}))?(?:\/a2a|\/mcp)?\/\.well-known\/agent(?:-card)?\.json$/,
      async (...request) => (await transport()).card(...request),
    ],
  ]
}
