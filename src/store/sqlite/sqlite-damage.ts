import { startThread } from '../../platform/concurrency/start-thread.ts'
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts'

/** Long enough for the transactions of a running server to end. */
const BUSY_MS = 30_000
/** What is wrong with a file is clear from the first of its findings. */
const MOST_FINDINGS = 20
const MEMORY_MB = 128

/** What is looked at. A byte that is wrong within a text is none of SQLite's business. */
export const DAMAGE_COVERS = 'every page of the file can be read, and every table is whole'

/**
 * Damaged pages of a file, each with the table or index that it belongs to; empty when every page can be read and every tree is whole (SQLite: PRAGMA
 * quick_check). Reads the whole file; takes no lock that a writer waits for. A file that cannot be opened is damage too.
 */
export function sqliteDamage(path: string, driver: SqliteDriver): readonly string[] {
  let database: SqliteDatabase | undefined
  try {
    database = driver.open(path, { mode: 'readonly', busyMs: BUSY_MS })
    const trees = database.prepare<Tree>('SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0').all([])
    const whole = findingsOf(database, trees)
    if (Array.isArray(whole)) return whole
    // SQLite gives up at some pages; table by table it says which it cannot read.
    const named = trees.filter(({ type }) => type === 'table').flatMap((tree) => inTable(database, trees, tree))
    return named.length > 0 ? named.slice(0, MOST_FINDINGS) : [messageOf(whole)]
  } catch (error) {
    return [messageOf(error)]
  } finally {
    database?.close()
  }
}

interface Tree {
  readonly rootpage: number
  readonly type: string
  readonly name: string
}

/** What the check says of one table, or of the whole file, with the names of tables and indexes in place of their first pages; an Error when it gives up. */
function findingsOf(database: SqliteDatabase | undefined, trees: readonly Tree[], table?: string): readonly string[] | Error {
  const names = new Map(trees.map(({ rootpage, type, name }) => [rootpage, `${type} ${name}`]))
  const argument = table === undefined ? MOST_FINDINGS : `"${table}"`
  try {
    const rows = database?.prepare<{ quick_check: string }>(`PRAGMA quick_check(${argument})`).all([]) ?? []
    return rows
      .flatMap((row) => row.quick_check.split('\n'))
      .filter((text) => text !== 'ok' && !/^\*\*\* in database/.test(text))
      .map((text) => text.replace(/\bTree (\d+)\b/g, (tree, page) => names.get(Number(page)) ?? tree))
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function inTable(database: SqliteDatabase | undefined, trees: readonly Tree[], { name }: Tree): readonly string[] {
  const found = findingsOf(database, trees, name)
  return Array.isArray(found) ? found.map((text) => `table ${name}: ${text}`) : [`table ${name}: ${messageOf(found)}`]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The same in a thread of its own, so that a large file holds nothing up. Rejects when the thread cannot run. */
export function sqliteDamageAside(path: string, driver: SqliteDriver): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB }
    const workerData = { path, driver: driver.name }
    const thread = startThread(import.meta.url, 'sqlite-damage-thread', { workerData, resourceLimits })
    thread.unref()
    thread.once('message', (found: readonly string[]) => resolve(found))
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the thread that checks the store ended')))
  })
}
