import { afterAll, beforeAll, expect, it } from 'vitest'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

const CALLS = 100

let postgres: TestPostgres
let stores: PostgresStore[]
beforeAll(async () => {
  postgres = await startPostgres()
  const url = await postgres.createDatabase('contention')
  stores = [await openPostgres(url), await openPostgres(url)]
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await postgres.stop()
})

it('of many transactions of two processes that change one row, each is committed once', async () => {
  const [first] = stores
  if (!first) throw new Error('no store')
  const tenant = { tenantId: 'acme', name: 'Acme', domain: 'acme.example' }
  await first.transaction((tx) => addTenant(tx, tenant, new Date('2030-01-01T00:00:00Z')))
  const change = (store: PostgresStore) =>
    store.transaction(async (tx) => {
      const { products_revision: revision } = await tx.selectFrom('tenants').select('products_revision').executeTakeFirstOrThrow()
      // Reading, then writing what was read: a serializable transaction that lost has to run again.
      await tx
        .updateTable('tenants')
        .set({ products_revision: Number(revision) + 1 })
        .execute()
    })
  const results = await Promise.allSettled(stores.flatMap((store) => Array.from({ length: CALLS }, () => change(store))))
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  const row = await first.read.selectFrom('tenants').select('products_revision').executeTakeFirstOrThrow()
  expect(Number(row.products_revision)).toBe(stores.length * CALLS)
})
