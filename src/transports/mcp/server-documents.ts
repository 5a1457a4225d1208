import type { IncomingMessage, ServerResponse } from 'node:http'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Tenant } from '../../domain/identity/principal.ts'
import { registryEntry, type ServerEntryFacts, serverCard } from '../../domain/identity/server-entry.ts'
import { readsOnly, respondEmpty, respondJson, respondTagged } from '../http/respond.ts'
import type { Route, Routes } from '../http/server.ts'
import { MODERN_REVISION } from './server.ts'

export interface ServerDocumentOptions extends Pick<ServerEntryFacts, 'origin' | 'version'> {
  /** The publisher of an address; undefined: the one that `/mcp` answers for. */
  readonly tenantOf: (tenantId: string | undefined) => Promise<Tenant | undefined>
}

/** Newest first. */
const REVISIONS = [MODERN_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS]

/**
 * The documents by which the MCP server of a publisher is found, at `/mcp/…` and `/t/{publisher}/mcp/…`: `server-card`, where the experimental extension of MCP
 * puts it (SEP-2127), and `server.json`, the file that a publisher hands to the MCP registry.
 */
export function serverDocumentRoutes(options: ServerDocumentOptions): Routes {
  const card = documentRoute(options, 'application/mcp-server-card+json', (facts) => serverCard(facts, REVISIONS))
  return [
    [/^(?:\/t\/([a-z0-9-]{1,64}))?\/mcp\/server-card$/, card],
    [/^(?:\/t\/([a-z0-9-]{1,64}))?\/mcp\/server\.json$/, documentRoute(options, 'application/json', registryEntry)],
  ]
}

function documentRoute(
  { origin, version, tenantOf }: ServerDocumentOptions,
  type: string,
  documentOf: (facts: ServerEntryFacts) => object | undefined,
): Route {
  return async (request: IncomingMessage, response: ServerResponse, [tenantId]) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'content-type')
    if (request.method === 'OPTIONS') {
      respondEmpty(response, 204, { 'Access-Control-Allow-Methods': 'GET' })
      return
    }
    if (!readsOnly(request, response)) return
    const tenant = await tenantOf(tenantId)
    const path = tenantId === undefined ? '/mcp' : `/t/${tenantId}/mcp`
    const named = tenantId === undefined ? {} : { tenantId }
    const document = tenant && documentOf({ origin, version, path, publisherName: tenant.name, ...named })
    if (document === undefined) {
      const message = tenant
        ? 'this agent has no https address with the name of a host to publish (publicUrl or tls)'
        : 'there is no such publisher'
      respondJson(response, 404, { error: { code: 'REFERENCE_NOT_FOUND', message } })
      return
    }
    const headers = { 'Cache-Control': 'public, max-age=3600' }
    respondTagged(request, response, { type, body: JSON.stringify(document), headers })
  }
}
