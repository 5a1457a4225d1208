import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

it('a database that is read-only takes no writes, and says so', async () => {
  const url = await postgres.createDatabase('read_only')
  const before = await openPostgres(url)
  expect(await before.writeFault()).toBeUndefined()
  await before.pool.query('ALTER DATABASE read_only SET default_transaction_read_only = on')
  await before.close()
  const store = await openPostgres(url)
  expect(await store.writeFault()).toBe('the database is read-only')
  await store.ping()
  await store.close()
})
