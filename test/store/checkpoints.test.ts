import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

const MB = 1_000_000
let folder: string
let file: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  file = join(folder, 'a.sqlite')
  store = await openSqlite(file)
  await store.transaction((tx) => sql`create table texts (id integer primary key, text text)`.execute(tx))
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const sizeOf = (path: string) => statSync(path).size

function write(megabytes: number): Promise<unknown> {
  return store.transaction(async (tx) => {
    for (let n = 0; n < megabytes; n++) await sql`insert into texts (text) values (${'x'.repeat(MB)})`.execute(tx)
  })
}

it('what was committed is copied into the file in a thread, and not by the commit', async () => {
  await write(20)
  expect(sizeOf(file)).toBeLessThan(10 * MB)
  await expect.poll(() => sizeOf(file)).toBeGreaterThan(20 * MB)
  await store.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
  store = await openSqlite(file)
  const { rows } = await sql<{ count: number }>`select count(*) as count from texts`.execute(store.read)
  expect(rows[0]?.count).toBe(20)
})

it('the log is begun anew however long others go on writing', async () => {
  const until = Date.now() + 6_000
  let written = 0
  for (; Date.now() < until && written < 600; written += 2) await write(2)
  expect(sizeOf(`${file}-wal`)).toBeLessThan(Math.max(200, written * 0.7) * MB)
})
