import { Migrator, sql } from 'kysely'
import { expect } from 'vitest'
import type { Db, Store } from '../../src/store/database.ts'
import { migrations } from '../../src/store/migrations/index.ts'

/** Makes the schema of before the tables of the embedded ad server had its name, with an order and a file in it. */
export async function makeHouseTables(db: Db): Promise<void> {
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0945'))
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => before } }).migrateToLatest()
  if (error) throw error
  await sql`insert into house_orders (tenant_id, order_id, anchor, state, document, updated_at)
    values ('acme', 'spring', 'direct_spring', 'active', '{}', '2026-03-01T12:00:00.000Z')`.execute(db)
  await sql`insert into house_files (tenant_id, file_id, mime_type, size, complete, written_at)
    values ('acme', 'f1', 'image/png', 4, 1, '2026-03-01T12:00:00.000Z')`.execute(db)
}

/** What is there once the newest program has opened that store: the rows, under the new names, and every index. */
export async function expectEmbeddedTables({ engine, read, transaction }: Store): Promise<void> {
  expect(await read.selectFrom('embedded_orders').select(['order_id', 'anchor']).execute()).toEqual([
    { order_id: 'spring', anchor: 'direct_spring' },
  ])
  expect(await read.selectFrom('embedded_files').select('file_id').execute()).toEqual([{ file_id: 'f1' }])
  const names =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where sql is not null order by name`
      : sql<{ name: string }>`select relname as name from pg_class where relkind in ('r', 'i') order by relname`
  const found = (await names.execute(read)).rows.map(({ name }) => name)
  expect(found.filter((name) => name.startsWith('house_'))).toEqual([])
  expect(found).toEqual(expect.arrayContaining(['embedded_lines_order', 'embedded_events_waiting', 'embedded_exposures_viewer']))
  const again = { tenant_id: 'acme', order_id: 'other', anchor: 'direct_spring', state: 'active' as const, document: '{}' }
  const insert = transaction((tx) =>
    tx
      .insertInto('embedded_orders')
      .values({ ...again, updated_at: '' })
      .execute(),
  )
  await expect(insert).rejects.toThrow(/unique/i)
}
