import { AdcpError } from '../../protocol/errors.ts'
import { betterSqlite } from './sqlite-better.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { nodeSqlite, prebuiltSqlite } from './sqlite-node.ts'

/** The drivers that can serve on this Node, first the one that is used. */
export function sqliteDrivers(): readonly SqliteDriver[] {
  return [betterSqlite(), nodeSqlite(), prebuiltSqlite()].filter((driver) => driver !== undefined)
}

/**
 * The driver of every connection of this process: better-sqlite3 where it is installed in a version that runs on this Node, else the
 * SQLite that Node itself carries, else the one that a package brings compiled. A thread beside a connection is given the `name` of its driver:
 * two copies of SQLite in one process do not see each other's locks, and damage a file that both have open (https://sqlite.org/howtocorrupt.html,
 * multiple copies of SQLite linked into the same application). Throws CONFIGURATION_ERROR when there is none.
 */
export function sqliteDriver(name?: SqliteDriver['name']): SqliteDriver {
  const driver = sqliteDrivers().find((each) => name === undefined || each.name === name)
  if (driver) return driver
  const { node } = process.versions
  const version = Number.parseInt(node, 10) < 22 ? '12.11.1' : '13.2.0'
  throw new AdcpError(
    'CONFIGURATION_ERROR',
    `the embedded store needs @photostructure/sqlite or better-sqlite3 on Node ${node}, and neither is installed and loads: run "npm install --no-save better-sqlite3@${version}"; Node 24.16 and later need no such package`,
  )
}
