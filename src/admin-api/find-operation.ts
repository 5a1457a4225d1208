import { groupBy } from '../domain/group-by.ts'
import { paramNames } from '../operator/act.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { AdminOperation } from './operation.ts'

interface CompiledPath {
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly operations: readonly AdminOperation[]
}

/** Operations by path; paths with fewer parameters come first, so that a fixed word is never taken for a parameter. */
export function compileOperations(operations: readonly AdminOperation[]): readonly CompiledPath[] {
  const byPath = groupBy(operations, ({ path }) => path)
  const paths = [...byPath].map(([path, all]) => ({ path, names: paramNames(path), operations: all }))
  return paths
    .toSorted((a, b) => a.names.length - b.names.length)
    .map(({ path, ...rest }) => ({ ...rest, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }))
}

/** The operation of a method and a path below the API. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for another method and a path that is no text. */
export function findOperation(
  paths: readonly CompiledPath[],
  method: string,
  path: string,
): { readonly operation: AdminOperation; readonly params: Readonly<Record<string, string>> } {
  const served: string[] = []
  for (const { pattern, names, operations } of paths) {
    const match = pattern.exec(path)
    if (!match) continue
    const operation = operations.find((each) => each.method === method)
    if (operation) return { operation, params: paramsOf(names, match) }
    served.push(...operations.map((each) => each.method))
  }
  if (served.length === 0) {
    const message = 'there is no such path; /admin/v1/openapi.json describes those that there are'
    throw new AdcpError('REFERENCE_NOT_FOUND', message, { http: { status: 404 } })
  }
  const allow = [...new Set(served)].join(', ')
  throw new AdcpError('INVALID_REQUEST', `only ${allow} is served here`, { http: { status: 405, headers: { Allow: allow } } })
}

function paramsOf(names: readonly string[], match: RegExpExecArray): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, index) => [name, decoded(name, match[index + 1] ?? '')]))
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${name} in the path is not percent-encoded text`, { field: name, cause })
  }
}
