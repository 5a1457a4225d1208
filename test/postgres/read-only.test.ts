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
  const { rows } = await store.pool.query('SHOW data_checksums')
  const covers = rows[0].data_checksums === 'on' ? /checks the checksum/ : /keeps no data checksums/
  expect(await store.findDamage()).toEqual({ found: [], covers: expect.stringMatching(covers) })
  await store.close()
})
