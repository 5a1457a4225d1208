import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { carryOverPostgres } from '../../src/store/carry-over.ts'
import { migrations } from '../../src/store/migrations/index.ts'
import { INITIAL, SQUASHED } from '../../src/store/migrations/squashed.ts'
import { changePostgres, openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

let postgres: TestPostgres
let url: string
beforeAll(async () => {
  postgres = await startPostgres()
  url = postgres.url
}, 120_000)
afterAll(() => postgres.stop())

it('carries a database of an earlier version over in place, and only once', async () => {
  await makeEarlier(url)
  await expect(openPostgres(url)).rejects.toThrow('sales-agent store migrate --from')
  expect(await carryOverPostgres(url)).toEqual(Object.keys(migrations).filter((name) => name !== INITIAL))
  const store = await openPostgres(url)
  const tenant = await store.read.selectFrom('tenants').selectAll().executeTakeFirstOrThrow()
  expect(tenant.name).toBe('Earlier')
  await store.close()
  await expect(carryOverPostgres(url)).rejects.toThrow('was made by this version or a later one')
})

/** A database as the last version before the squash left it: its schema is that of the initial migration, under the names that led to it. */
async function makeEarlier(database: string): Promise<void> {
  await changePostgres(database, async (db) => {
    const provider = { getMigrations: async (): Promise<Record<string, Migration>> => migrations }
    const { error } = await new Migrator({ db, provider }).migrateTo(INITIAL)
    if (error) throw error
    await sql`insert into tenants (tenant_id, name, domain, is_public_default, settings, created_at)
      values ('t', 'Earlier', 'earlier.example', 0, '{}', '2026-01-01T00:00:00.000Z')`.execute(db)
    const applied = sql.table(DEFAULT_MIGRATION_TABLE)
    await sql`delete from ${applied}`.execute(db)
    for (const name of SQUASHED) await sql`insert into ${applied} (name, timestamp) values (${name}, '')`.execute(db)
  })
}
