import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { DEFAULT_MIGRATION_TABLE } from 'kysely'
import { AdcpError } from '../errors.ts'
import { migrations } from './migrations/index.ts'

/**
 * Looks into a file before anything is made of it, without changing it. Throws INVALID_REQUEST when it holds no store of this program, or
 * one that a newer version made.
 */
export function requireBackup(path: string): void {
  if (!existsSync(path) || !statSync(path).isFile()) throw unusable(`there is no file ${path}`)
  const names = appliedIn(path)
  if (!names.some((name) => name in migrations)) throw unusable(`${path} is not a store of this program`)
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0) throw unusable(`${path} was made by a newer version of this program (${unknown.join(', ')})`)
}

function appliedIn(path: string): readonly string[] {
  let database: Database.Database | undefined
  try {
    database = new Database(path, { readonly: true, fileMustExist: true })
    const [table] = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').all(DEFAULT_MIGRATION_TABLE)
    if (table === undefined) return []
    const rows = database.prepare<[], { name: string }>(`SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`).all()
    return rows.map(({ name }) => name)
  } catch (error) {
    if (error instanceof Database.SqliteError) throw unusable(`${path} cannot be read: ${error.message}`)
    throw error
  } finally {
    database?.close()
  }
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
