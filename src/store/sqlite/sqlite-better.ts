import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { isNodeAtLeast } from './node-version.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/** The driver better-sqlite3; undefined where it is not installed, was built for another Node, or has a version that this Node does not run. */
export function betterSqlite(): SqliteDriver | undefined {
  const require = createRequire(import.meta.url)
  const Connection = addedByHand(require) ?? installed(require)
  return (
    Connection && {
      name: 'better-sqlite3',
      open: (path, { mode = 'create', busyMs = 0 } = {}) =>
        new Connection(path, { readonly: mode === 'readonly', fileMustExist: mode === 'existing', timeout: busyMs }),
    }
  )
}

/**
 * A better-sqlite3 that an operator has added. Version 13 ends Node 20 with a segmentation fault; version 12 ends Node 24.19 and later when a
 * statement is collected.
 */
function addedByHand(require: NodeJS.Require): typeof Database | undefined {
  return usable(() => {
    const { version }: { version: string } = require('better-sqlite3/package.json')
    const isFit = Number.parseInt(version, 10) >= 13 ? isNodeAtLeast(22, 0) : !isNodeAtLeast(24, 19)
    return isFit ? require('better-sqlite3') : undefined
  })
}

/** The one of the optional package for this Node (package.json: `optionalDependencies`). */
function installed(require: NodeJS.Require): typeof Database | undefined {
  return usable(() => require(`@adcp-sales-agent/sqlite-node-${isNodeAtLeast(22, 0) ? 22 : 20}`))
}

function usable(load: () => typeof Database | undefined): typeof Database | undefined {
  try {
    const Connection = load()
    // The native module is loaded with the first connection.
    if (Connection) new Connection(':memory:').close()
    return Connection
  } catch {
    return undefined
  }
}
