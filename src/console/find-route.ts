import type { ConsoleRoute } from './route.ts'

/** A route of the table with a pattern for its path. */
export interface CompiledRoute {
  readonly route: ConsoleRoute
  readonly pattern: RegExp
}

/** A parameter is one segment; ids of buyers' making arrive percent-encoded. */
const PARAMETER = /\{(\w+)\}/g

export function compileRoutes(routes: readonly ConsoleRoute[]): readonly CompiledRoute[] {
  return routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(PARAMETER, '(?<$1>[^/]{1,600})')}$`),
  }))
}

export type Found =
  | { readonly kind: 'route'; readonly route: ConsoleRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: string }
  | { readonly kind: 'none' }

/** The route of a path below the console; a path with routes of other methods only, or none. */
export function findRoute(routes: readonly CompiledRoute[], method: string, path: string): Found {
  const matching = routes.filter(({ pattern }) => pattern.test(path))
  const [first] = matching
  if (!first) return { kind: 'none' }
  const wanted = matching.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method))
  if (!wanted) return { kind: 'method', allow: matching.map(({ route }) => route.method).join(', ') }
  const params = decodeAll(wanted.pattern.exec(path)?.groups ?? {})
  return params === undefined ? { kind: 'none' } : { kind: 'route', route: wanted.route, params }
}

/** The decoded groups; undefined where the percent-encoding is invalid. */
function decodeAll(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return undefined
  }
}
