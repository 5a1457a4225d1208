import { storePath } from '../../../src/store/open.ts'
import { sqliteDriver } from '../../../src/store/sqlite/choose-sqlite-driver.ts'

/**
 * The audit log says of good and of bad calls alike that they were made: entries of refused calls are noted in memory, and a worker writes and
 * chains them within a second. Another one puts changes of accounts in order as soon. The registry notes every half a minute what the publishers here offer. When such rows come says nothing of the
 * call that is looked at.
 */
const WRITTEN_BY_WORKERS: ReadonlySet<string> = new Set([
  'audit_entries',
  'audit_log',
  'account_change_entries',
  'account_changes',
  'registry_agents',
  'registry_facets',
  'registry_events',
  'registry_feed',
])

/** How many rows each table has. */
export type Counts = ReadonlyMap<string, number>

/** A look at the store over a connection of its own: what it sees is committed. */
export interface Witness {
  counts(): Counts
  /** What is kept of the things of these ids. The function that comes back says which of those rows were changed or removed since. */
  remember(ids: readonly string[]): () => string[]
  close(): void
}

export function openWitness(data: string): Witness {
  const database = sqliteDriver().open(storePath(data), { mode: 'readonly' })
  const tables = database
    .prepare<{ name: string }>("select name from sqlite_master where type = 'table'")
    .all([])
    .map(({ name }) => name)
    .filter((name) => !WRITTEN_BY_WORKERS.has(name))
    .map((name) => ({
      name,
      count: database.prepare<{ rows: number }>(`select count(*) as rows from "${name}"`),
      all: database.prepare<{ rowid: number }>(`select rowid, * from "${name}"`),
      one: database.prepare(`select rowid, * from "${name}" where rowid = ?`),
    }))
  return {
    counts: () => new Map(tables.map(({ name, count }) => [name, count.all([])[0]?.rows ?? 0])),
    remember(ids) {
      const rows = tables.flatMap(({ name, all, one }) =>
        all.all([]).flatMap((row) => {
          const text = JSON.stringify(row)
          return ids.some((id) => text.includes(id)) ? [{ name, text, now: () => JSON.stringify(one.all([row.rowid])[0]) }] : []
        }),
      )
      if (rows.length === 0) throw new Error('nothing is kept of these ids')
      return () => rows.filter(({ text, now }) => now() !== text).map(({ name, text }) => `${name} ${text}`)
    },
    close: () => database.close(),
  }
}

/** How many rows of each table came or went. */
export function growth(before: Counts, after: Counts): Readonly<Record<string, number>> {
  const changes = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const)
  return Object.fromEntries(changes.filter(([, by]) => by !== 0))
}
