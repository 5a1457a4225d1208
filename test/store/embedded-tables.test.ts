import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, it } from 'vitest'
import { changeSqlite, openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { expectEmbeddedTables, makeHouseTables } from './embedded-tables-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-tables-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a store from before the tables of the embedded ad server had its name keeps their rows and indexes', async () => {
  const path = join(folder, 'store.sqlite')
  await changeSqlite(path, makeHouseTables)
  const store = await openSqlite(path)
  try {
    await expectEmbeddedTables(store)
  } finally {
    await store.close()
  }
})
