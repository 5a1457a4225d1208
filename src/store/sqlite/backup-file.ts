import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AdcpError } from '../../protocol/errors.ts'
import { migrations } from '../migrations/index.ts'
import { SQUASHED } from '../migrations/squashed.ts'
import { appliedMigrations } from './sqlite-bulk.ts'

/**
 * Checks a file before it is restored, without changing it. Throws INVALID_REQUEST when it holds no store of this program, or
 * one that a newer version made.
 */
export function requireBackup(path: string): void {
  if (!existsSync(path) || !statSync(path).isFile()) throw unusable(`there is no file ${path}`)
  const applied = appliedMigrations(path)
  if ('problem' in applied) throw unusable(`${path} cannot be read: ${applied.problem}`)
  const { names } = applied
  if (names.some((name) => SQUASHED.includes(name))) {
    throw unusable(
      `${path} was made by an earlier version of this program: carry it over with "sales-agent store migrate --from ${path}"`,
    )
  }
  if (!names.some((name) => name in migrations)) throw unusable(`${path} is not a store of this program`)
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0) throw unusable(`${path} was made by a newer version of this program (${unknown.join(', ')})`)
}

/** Throws INVALID_REQUEST when the folder of a file that is to be made does not exist. */
export function requireFolderOf(path: string): void {
  const folder = dirname(path)
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  throw new AdcpError('INVALID_REQUEST', `--to: there is no folder ${folder}`, { field: 'to' })
}

function unusable(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `--from: ${message}`, { field: 'from' })
}
