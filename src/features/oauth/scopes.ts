/** Scopes that a person can hand to an assistant, and what the consent page says of them. */
export const AGENT_SCOPES: Readonly<Record<string, string>> = {
  'adcp:products': 'see products, formats and prices',
  'adcp:accounts': 'see and declare accounts',
  'adcp:media_buys': 'buy, change and cancel media buys, and read their delivery',
  'adcp:creatives': 'upload creatives and read how they did',
  'adcp:tasks': 'follow tasks that take time',
  'adcp:lists': 'manage property and collection lists',
  'adcp:content_standards': 'manage content standards',
  'adcp:signals': 'find and activate signals',
  'adcp:audiences': 'upload and remove audiences',
  'adcp:catalogs': 'upload catalogs and read what became of them',
  'adcp:events': 'declare event sources and report events',
  'adcp:governance': 'declare plans, have spending checked and read its log',
  'adcp:brand': 'read brand identities, and find, acquire and change rights',
  'adcp:sponsored_intelligence': 'hold conversations with brands',
  'adcp:compliance': 'run compliance tests in a sandbox',
  'adcp:*': 'everything that you may do yourself',
}

/** The scope of the registry that this deployment serves beside its agent. */
export const REGISTRY_SCOPE = 'registry'

export const SCOPES: Readonly<Record<string, string>> = {
  ...AGENT_SCOPES,
  [REGISTRY_SCOPE]: 'register agents and ask for publishers to be crawled again',
}

/** What OpenID Connect has beside them (Core 1.0, 3.1.2.1, 11): an id token with the user's name, and refresh tokens, which come with their grant type anyway. */
export const OPENID_SCOPES: readonly string[] = ['openid', 'offline_access']

/** What an assistant needs to buy. */
const DEFAULT_SCOPE: readonly string[] = ['adcp:products', 'adcp:accounts', 'adcp:media_buys', 'adcp:creatives', 'adcp:tasks']

/**
 * The scope of a request that names none: what an assistant needs to buy, as far as the client is registered for it; else what it is registered for, never everything at once.
 * `registered`: undefined for a client that is not known.
 */
export function defaultScope(registered: string | undefined): string {
  const own = registered?.split(' ') ?? DEFAULT_SCOPE
  const needed = DEFAULT_SCOPE.filter((scope) => own.includes(scope))
  const named = own.filter((scope) => Object.hasOwn(AGENT_SCOPES, scope) && !NAMED_ONLY.includes(scope))
  return [needed, named, DEFAULT_SCOPE].find((scopes) => scopes.length > 0)?.join(' ') ?? ''
}

/** A resource that tokens are made for (RFC 8707). */
export interface ProtectedResource {
  /** Exactly as clients name it. */
  readonly resource: string
  readonly scopes: readonly string[]
  /** Those that its metadata names: clients ask for all of them. The others are granted to a client that asks for them by name. */
  readonly offered: readonly string[]
}

/** Everything at once, and what only tests of the server need. */
const NAMED_ONLY: readonly string[] = ['adcp:*', 'adcp:compliance']

/** The resource of this name, when tokens are made for it: the agent, at a tenant's own address too, or the registry's API. */
export function findResource(origin: string, name: string): ProtectedResource | undefined {
  const { mcp, api } = protectedResources(origin)
  if (name === api.resource) return api
  const path = name.startsWith(origin) ? name.slice(origin.length) : ''
  return /^(?:\/t\/[a-z0-9-]{1,64}(?:\/rights)?)?\/mcp$/.test(path) ? { ...mcp, resource: name } : undefined
}

/** The agent itself, and the registry's API. A token for the one is no credential for the other. */
export function protectedResources(origin: string): { readonly mcp: ProtectedResource; readonly api: ProtectedResource } {
  const scopes = Object.keys(AGENT_SCOPES)
  return {
    mcp: { resource: `${origin}/mcp`, scopes, offered: scopes.filter((scope) => !NAMED_ONLY.includes(scope)) },
    api: { resource: `${origin}/api`, scopes: [REGISTRY_SCOPE], offered: [REGISTRY_SCOPE] },
  }
}
