import { join } from 'node:path'
import { sqliteDriver } from '../src/store/sqlite/choose-sqlite-driver.ts'

/** What a durable write costs on this disk, without anything of ours. */
export interface SqliteFloor {
  /** Rows a second when every row is a commit of its own. */
  readonly single: number
  /** Rows a second when `group` rows share a commit. */
  readonly grouped: number
  readonly group: number
}

/** Inserts 600-byte rows (about what a stored reply takes) with the store's settings: WAL and `synchronous=FULL`. */
export function measureSqlite(folder: string, group: number, seconds: number): SqliteFloor {
  const database = sqliteDriver().open(join(folder, 'floor.sqlite'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE IF NOT EXISTS floor (id INTEGER PRIMARY KEY, body TEXT)')
  const insert = database.prepare('INSERT INTO floor (body) VALUES (?)')
  const body = 'x'.repeat(600)
  const together = (rows: number) => {
    database.exec('BEGIN')
    for (let row = 0; row < rows; row++) insert.run([body])
    database.exec('COMMIT')
  }
  const rate = (rows: number) => {
    const started = performance.now()
    let done = 0
    for (; performance.now() - started < seconds * 1000; done += rows) together(rows)
    return (done * 1000) / (performance.now() - started)
  }
  const floor = { single: rate(1), grouped: rate(group), group }
  database.close()
  return floor
}
