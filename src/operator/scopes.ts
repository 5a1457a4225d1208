import { AdcpError } from '../protocol/errors.ts'
import { text } from './fields.ts'

/** The field of scopes. */
export const SCOPES = text('comma-separated, e.g. adcp:products,adcp:media_buys (default: all)')

/** Scopes from a comma-separated list; without one, all. Throws INVALID_REQUEST for an unknown scope. */
export async function readScopes(list: string | undefined): Promise<readonly string[]> {
  if (list === undefined) return ['adcp:*']
  const scopes = list.split(',').map((scope) => scope.trim())
  const known = await knownScopes()
  const wrong = scopes.find((scope) => !known.has(scope))
  if (wrong !== undefined)
    throw new AdcpError('INVALID_REQUEST', `"${wrong}" is no scope; there are ${[...known].join(', ')}`, { field: 'scopes' })
  return scopes
}

/** Every scope that a task asks for, its family, all of them, and that of writers to the registry. The tasks are loaded when a list is checked. */
async function knownScopes(): Promise<ReadonlySet<string>> {
  const { TASKS } = await import('../tasks/index.ts')
  return new Set(['adcp:*', 'registry', ...TASKS.flatMap(({ scope }) => [`adcp:${scope.split(':', 1)[0]}`, `adcp:${scope}`])])
}
