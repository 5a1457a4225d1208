import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTenant } from '../../../src/store/identity/tenants.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/sqlite.ts'

/** A new store with the two publishers of the contract suite. */
export async function openPublishers(): Promise<{ readonly store: SqliteStore; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ad-server-'))
  const store = await openSqlite(join(folder, 'store.db'))
  const now = new Date('2026-06-01T00:00:00Z')
  for (const tenantId of ['acme', 'other'])
    await store.transaction((tx) => addTenant(tx, { tenantId, name: tenantId, domain: `${tenantId}.example` }, now))
  return {
    store,
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
