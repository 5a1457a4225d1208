/** What the MCP server of a publisher is called, and where it is. */
export interface ServerEntryFacts {
  /** `https://ads.example.com`; only https names of hosts are described. */
  readonly origin: string
  /** Path of the server: `/mcp`, or `/t/{publisher}/mcp`. */
  readonly path: string
  /** Undefined for the publisher that `/mcp` answers for. */
  readonly tenantId?: string
  readonly publisherName: string
  /** Of this program. */
  readonly version: string
}

/** The revision of the registry's format that is written (MCP registry, server.json). */
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
/** SEP-2127, an experimental extension of MCP. */
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
/** A domain whose owner the registry can ask: no address of numbers (whose last label is one, or which has colons), no name of the machine alone. */
const HOST_NAME = /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/
/** Title and description, in both formats. */
const MAX_TEXT = 100
/** Names, in both formats. */
const MAX_NAME = 200

/** The entry of the MCP registry (`server.json`); undefined where the address cannot be published there. */
export function registryEntry(facts: ServerEntryFacts): object | undefined {
  const common = commonOf(facts)
  return common && { $schema: REGISTRY_SCHEMA, ...common, remotes: [remoteOf(facts)] }
}

/**
 * The server card (SEP-2127): as the registry's entry, with the revisions of MCP that are spoken. Undefined where the address cannot be published.
 */
export function serverCard(facts: ServerEntryFacts, supportedProtocolVersions: readonly string[]): object | undefined {
  const common = commonOf(facts)
  return common && { $schema: CARD_SCHEMA, ...common, remotes: [{ ...remoteOf(facts), supportedProtocolVersions }] }
}

function commonOf({ origin, tenantId, publisherName, version }: ServerEntryFacts) {
  const { protocol, hostname } = new URL(origin)
  if (protocol !== 'https:' || !HOST_NAME.test(hostname)) return undefined
  const domain = hostname.split('.').reverse().join('.')
  const name = `${domain}/sales-agent${tenantId === undefined ? '' : `.${tenantId}`}`
  if (name.length > MAX_NAME) return undefined
  return {
    name,
    title: shortened(`${publisherName}: sales agent`),
    description: shortened(`Buy advertising of ${publisherName}: products, orders, creatives, delivery (AdCP)`),
    version,
  }
}

function remoteOf({ origin, path }: ServerEntryFacts) {
  return { type: 'streamable-http', url: origin + path }
}

/** Cut between characters, with an ellipsis where something is left out. */
function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_TEXT ? text : `${characters.slice(0, MAX_TEXT - 1).join('')}…`
}
