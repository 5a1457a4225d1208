import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteDrivers } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { storeContract } from './contract.ts'
import { versionedCacheContract } from './versioned-cache-contract.ts'

for (const driver of sqliteDrivers()) {
  const newFile = () => join(mkdtempSync(join(tmpdir(), 'sales-agent-store-')), 'store.sqlite')
  storeContract(`SQLite by ${driver.name}`, () => openSqlite(newFile(), { driver }))

  const shared = newFile()
  versionedCacheContract(`SQLite by ${driver.name}`, () => openSqlite(shared, { driver }))
}
