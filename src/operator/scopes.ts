import { AdcpError } from '../protocol/errors.ts'
import { TASKS } from '../tasks/index.ts'

/** Every scope that a task asks for, its family, all of them, and that of writers to the registry. */
const SCOPES: readonly string[] = [
  ...new Set(['adcp:*', 'registry', ...TASKS.flatMap(({ scope }) => [`adcp:${scope.split(':', 1)[0]}`, `adcp:${scope}`])]),
]

/** Scopes from a comma-separated list; without one, all. Throws INVALID_REQUEST for an unknown scope. */
export function readScopes(list: string | undefined): readonly string[] {
  if (list === undefined) return ['adcp:*']
  const scopes = list.split(',').map((scope) => scope.trim())
  const wrong = scopes.find((scope) => !SCOPES.includes(scope))
  if (wrong !== undefined)
    throw new AdcpError('INVALID_REQUEST', `"${wrong}" is no scope; there are ${SCOPES.join(', ')}`, { field: 'scopes' })
  return scopes
}
