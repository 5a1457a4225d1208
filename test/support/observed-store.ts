import type { CompiledQuery } from 'kysely'
import type { Db, Store } from '../../src/store/database.ts'
import { kyselyOver } from '../../src/store/kysely-over.ts'

/** A store, and the tables that were written through it. */
export interface ObservedStore {
  readonly store: Store
  readonly written: Set<string>
}

/** Notes the table of each statement that writes one through a store; what is rolled back is not written. */
export function observedStore(store: Store): ObservedStore {
  const written = new Set<string>()
  const over = kyselyOver(store.engine)
  const noting = (db: Db, tables: Set<string>) =>
    over({
      executeQuery<R>(query: CompiledQuery) {
        const [, table] = WRITES.exec(query.sql) ?? []
        if (table !== undefined) tables.add(table)
        return db.getExecutor().executeQuery<R>(query)
      },
      streamQuery() {
        throw new Error('the store streams nothing')
      },
    })
  return {
    written,
    store: {
      ...store,
      read: noting(store.read, written),
      async transaction(work, options) {
        let own = new Set<string>()
        const result = await store.transaction((tx) => {
          own = new Set()
          return work(noting(tx, own))
        }, options)
        for (const table of own) written.add(table)
        return result
      },
    },
  }
}

/** A statement that writes, and its table; in an `upsert` the word `update` names none. */
const WRITES = /(?:\binsert (?:or \w+ )?into|\bdelete from|(?<!\bdo )\bupdate)\s+"?(\w+)/i
