import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { addTenant, listTenants } from '../../src/store/identity/tenants.ts'
import { sqliteDriver, sqliteDrivers } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { type SqliteDatabase, sqliteFault } from '../../src/store/sqlite/sqlite-driver.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-driver-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** 2 is FULL: a commit waits for the disk (SQLite: PRAGMA synchronous). */
const SETTINGS = ['journal_mode', 'synchronous', 'foreign_keys', 'cache_size']

const drivers = sqliteDrivers()
const faultOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return sqliteFault(error)
  }
  return 'none'
}

it('this Node has a driver', () => {
  expect(drivers.length).toBeGreaterThan(0)
})

it('is found by its name, the first without one', () => {
  expect(drivers.map(({ name }) => sqliteDriver(name).name)).toEqual(drivers.map(({ name }) => name))
  expect(sqliteDriver().name).toBe(drivers[0]?.name)
})

describe.each(drivers)('$name', ({ name, open }) => {
  const at = (file: string) => join(folder, `${name.replaceAll(/[:/]/g, '-')}-${file}`)
  const withTable = (file: string): SqliteDatabase => {
    const database = open(at(file))
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (id TEXT PRIMARY KEY, n INTEGER, any_value)')
    return database
  }

  it('gives back what was written, value for value', () => {
    const database = withTable('values.sqlite')
    const insert = database.prepare('INSERT INTO things VALUES (?, ?, ?)')
    const rows = [
      [name === '@photostructure/sqlite' ? 'no nul' : 'nul \0 within', 2 ** 53 - 1, 1.5],
      ['Grüße, 你好, 🎈', -1, ''],
      ['nothing', null, undefined],
    ]
    for (const row of rows) expect(Number(insert.run(row).changes)).toBe(1)
    const read = database.prepare<{ id: string; n: number; any_value: unknown }>('SELECT * FROM things ORDER BY rowid').all([])
    expect(read.map(({ id, n, any_value }) => [id, n, any_value ?? undefined])).toEqual(rows)
    database.close()
  })

  it.runIf(name === '@photostructure/sqlite')('refuses a text that it would cut', () => {
    const database = withTable('cut.sqlite')
    expect(() => database.prepare('INSERT INTO things VALUES (?, 1, 1)').run(['nul \0 within'])).toThrow('U+0000')
    expect(database.prepare('SELECT * FROM things').all([])).toEqual([])
    database.close()
  })

  it.each(['SELECT n FROM things', 'UPDATE things SET n = n + 1 RETURNING n'])(
    'reads an integer beyond 2^53 as the nearest number, and runs %s once',
    (sql) => {
      const database = withTable(`integers-${sql.length}.sqlite`)
      database.exec("INSERT INTO things VALUES ('big', 9007199254740993, 0)")
      const statement = database.prepare<{ n: number }>(sql)
      expect(statement.reader).toBe(true)
      expect(statement.all([])[0]?.n).toBeGreaterThanOrEqual(2 ** 53)
      database.exec("UPDATE things SET n = 3 WHERE id = 'big'")
      expect(statement.all([])[0]?.n).toBe(sql.startsWith('UPDATE') ? 4 : 3)
      database.close()
    },
  )

  it('streams rows', () => {
    const database = withTable('rows.sqlite')
    const insert = database.prepare('INSERT INTO things VALUES (?, ?, NULL)')
    expect(insert.reader).toBe(false)
    for (let n = 0; n < 5; n++) insert.run([`row ${n}`, n])
    const rows = database.prepare<{ n: number }>('SELECT n FROM things WHERE n > ? ORDER BY n').iterate([1])
    expect([...rows].map(({ n }) => n)).toEqual([2, 3, 4])
    database.close()
  })

  it('says what SQLite refused', () => {
    const first = withTable('faults.sqlite')
    const second = open(at('faults.sqlite'), { busyMs: 0 })
    first.exec('BEGIN IMMEDIATE')
    expect([first.inTransaction, second.inTransaction]).toEqual([true, false])
    expect(faultOf(() => second.exec('BEGIN IMMEDIATE'))).toBe('busy')
    expect(faultOf(() => second.prepare('BEGIN IMMEDIATE').run([]))).toBe('busy')
    first.exec("INSERT INTO things VALUES ('once', 1, NULL)")
    expect(faultOf(() => first.prepare("INSERT INTO things VALUES ('once', 1, NULL)").run([]))).toBe('other')
    expect(faultOf(() => first.prepare('no statement'))).toBe('other')
    first.exec('ROLLBACK')
    second.close()
    first.close()
    expect(sqliteFault(new Error('of something else'))).toBeUndefined()
  })

  it('opens only what the mode allows', () => {
    expect(faultOf(() => open(at('missing.sqlite'), { mode: 'readonly' }))).toBe('other')
    expect(faultOf(() => open(at('missing.sqlite'), { mode: 'existing' }))).toBe('other')
    expect(existsSync(at('missing.sqlite'))).toBe(false)
    withTable('a name with spaces, % and ?.sqlite').close()
    const existing = open(at('a name with spaces, % and ?.sqlite'), { mode: 'existing' })
    existing.exec("INSERT INTO things VALUES ('written', 1, NULL)")
    existing.close()
    const readonly = open(at('a name with spaces, % and ?.sqlite'), { mode: 'readonly' })
    expect(readonly.prepare('SELECT * FROM things').all([])).toHaveLength(1)
    expect(faultOf(() => readonly.exec('DELETE FROM things'))).toBe('other')
    readonly.close()
  })

  it('copies a file that is written meanwhile', async () => {
    const writer = withTable('source.sqlite')
    const insert = writer.prepare('INSERT INTO things VALUES (?, ?, NULL)')
    writer.exec('BEGIN')
    for (let n = 0; n < 2_000; n++) insert.run([`before ${n}`, n])
    writer.exec('COMMIT')
    const source = open(at('source.sqlite'), { mode: 'readonly', busyMs: 5_000 })
    const copying = source.backup(at('copy.sqlite'))
    insert.run(['meanwhile', 1])
    await copying
    source.close()
    writer.close()
    const copy = open(at('copy.sqlite'))
    const [row] = copy.prepare<{ rows: number }>("SELECT count(*) AS rows FROM things WHERE id LIKE 'before%'").all([])
    expect(row?.rows).toBe(2_000)
    expect(copy.prepare<{ integrity_check: string }>('PRAGMA integrity_check').all([])[0]?.integrity_check).toBe('ok')
    copy.close()
  })

  it('opens a store that each driver has written, with the same settings', async () => {
    const now = new Date('2026-01-01T00:00:00Z')
    const file = at('store.sqlite')
    for (const driver of [...drivers, ...drivers]) {
      const store = await openSqlite(file, { driver })
      const before = await listTenants(store.read)
      const tenantId = `tenant-${before.length}`
      const settings = await store.transaction(async (tx) => {
        await addTenant(tx, { tenantId, name: tenantId, domain: `${tenantId}.example` }, now)
        return Promise.all(
          SETTINGS.map(async (name) => Object.values((await sql.raw(`PRAGMA ${name}`).execute(tx)).rows[0] ?? {})[0]),
        )
      })
      expect(settings).toEqual(['wal', 2, 1, -16_000])
      expect(await listTenants(store.read)).toHaveLength(before.length + 1)
      await store.close()
    }
  })
})
