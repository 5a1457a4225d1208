import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addTenant, listTenants } from '../../src/store/identity/tenants.ts'
import { settleAll } from '../../src/store/settle-all.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-store-'))
const now = new Date('2026-01-01T00:00:00Z')
let store: SqliteStore

beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const tenant = (tenantId: string) => ({ tenantId, name: tenantId, domain: `${tenantId}.example` })

test('results come in the order of the statements', async () => {
  expect(await settleAll([Promise.resolve(1), 'two', undefined])).toEqual([1, 'two', undefined])
})

test('nothing of a failed transaction stays, not even what was asked for beside the statement that failed', async () => {
  await store.transaction((tx) => addTenant(tx, tenant('first'), now))
  const attempt = store.transaction((tx) =>
    settleAll([addTenant(tx, tenant('first'), now), addTenant(tx, tenant('second'), now), addTenant(tx, tenant('third'), now)]),
  )
  await expect(attempt).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  expect((await listTenants(store.read)).map(({ tenantId }) => tenantId)).toEqual(['first'])
})
