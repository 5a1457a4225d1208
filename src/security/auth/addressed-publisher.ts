/** What a request's target begins with where it names a publisher: `/t/{publisher}/…`; ids as in the routes and in {@link tenantAddress}. */
const OF_PUBLISHER = /^\/t\/([a-z0-9-]{1,64})(?=\/)/

/** The publisher that a request's target names, e.g. `acme` in `/t/acme/mcp`, `/t/acme/mcp/compact?x` or `/t/acme/a2a`; undefined where it names none. The only reader of it. */
export function publisherIn(target: string): string | undefined {
  return OF_PUBLISHER.exec(target)?.[1]
}

/** The path of a target that names a publisher, at another publisher; without its query. */
export function pathAt(target: string, tenantId: string): string {
  const [path = ''] = target.split('?', 1)
  return path.replace(OF_PUBLISHER, `/t/${tenantId}`)
}

/** Address of the agent at a publisher of its own. */
export function tenantAddress(origin: string, tenantId: string): string {
  return `${origin}/t/${tenantId}/mcp`
}
