import { sql } from 'kysely'
import { withEveryListToken } from '../domain/media-buy/list-tokens.ts'
import type { Db, Store } from './database.ts'

/** Counted up when a place turns out to have been written with plain tokens after the last upgrade. */
const NAME = 'sealed-list-tokens-2'

/** A column with documents that may refer to lists, and the rest of the key of its rows beside the publisher. */
interface Place {
  readonly table: string
  readonly column: string
  readonly key: readonly string[]
  /** What is done with a token there: it is sealed where it is still used, else removed. */
  readonly token: 'seal' | 'drop'
}

const PLACES: readonly Place[] = [
  { table: 'packages', column: 'document', key: ['package_id'], token: 'seal' },
  { table: 'approvals', column: 'document', key: ['task_id'], token: 'seal' },
  { table: 'ad_server_orders', column: 'written', key: ['media_buy_id', 'ad_server'], token: 'seal' },
  { table: 'ad_server_orders', column: 'attempted', key: ['media_buy_id', 'ad_server'], token: 'seal' },
  { table: 'ad_server_drift', column: 'expected', key: ['drift_id'], token: 'seal' },
  { table: 'ad_server_drift', column: 'observed', key: ['drift_id'], token: 'seal' },
  { table: 'embedded_lines', column: 'document', key: ['line_id'], token: 'seal' },
  { table: 'embedded_lists', column: 'reference', key: ['list_key'], token: 'seal' },
  { table: 'tasks', column: 'request', key: ['task_id'], token: 'drop' },
  { table: 'tasks', column: 'result', key: ['task_id'], token: 'drop' },
  { table: 'webhook_outbox', column: 'body', key: ['delivery_id'], token: 'drop' },
]

/**
 * Seals the tokens of buyers' lists in what was stored before they were sealed, once in the life of a store. May be interrupted and run by several
 * processes at once: a row that changed meanwhile is written by who changed it.
 */
export async function sealStoredListTokens(
  store: Pick<Store, 'read' | 'transaction'>,
  seal: (tenantId: string, token: string) => string,
): Promise<void> {
  const done = await store.read.selectFrom('stored_upgrades').select('name').where('name', '=', NAME).executeTakeFirst()
  if (done) return
  for (const place of PLACES) {
    for (const row of await unsealedRows(store.read, place)) {
      const change = place.token === 'seal' ? (token: string) => seal(row.tenant_id ?? '', token) : () => undefined
      const text = JSON.stringify(withEveryListToken(JSON.parse(row.text ?? ''), change))
      if (text !== row.text) await store.transaction((tx) => replace(tx, place, row, text))
    }
  }
  const mark = { name: NAME, done_at: new Date().toISOString() }
  await store.transaction((tx) =>
    tx
      .insertInto('stored_upgrades')
      .values(mark)
      .onConflict((c) => c.column('name').doNothing())
      .execute(),
  )
}

type Row = Readonly<Record<string, string | undefined>>

async function unsealedRows(db: Db, { table, column, key }: Place): Promise<readonly Row[]> {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const query = sql<Row>`select tenant_id, ${columns}, ${sql.ref(column)} as text from ${sql.table(table)}
    where ${sql.ref(column)} like ${'%"auth_token":"%'}`
  return (await query.execute(db)).rows
}

async function replace(tx: Db, { table, column, key }: Place, row: Row, text: string): Promise<void> {
  const same = sql.join(
    ['tenant_id', ...key].map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text} where ${same} and ${sql.ref(column)} = ${row.text}`.execute(
    tx,
  )
}
