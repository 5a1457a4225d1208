import { sql } from 'kysely'
import type { Db, Store } from './database.ts'

const NAME = 'sealed-list-tokens'

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
  { table: 'house_lines', column: 'document', key: ['line_id'], token: 'seal' },
  { table: 'house_lists', column: 'reference', key: ['list_key'], token: 'seal' },
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
      const text = JSON.stringify(changed(JSON.parse(row.text ?? ''), change))
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

/** A document with other tokens in every reference to a list (AdCP core/property-list-ref.json). */
function changed(value: unknown, change: (token: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, changed(member, change)])
  if (!('list_id' in value && 'agent_url' in value && 'auth_token' in value && typeof value.auth_token === 'string'))
    return Object.fromEntries(entries)
  const token = change(value.auth_token)
  const rest = entries.filter(([name]) => name !== 'auth_token')
  return Object.fromEntries(token === undefined ? rest : [...rest, ['auth_token', token]])
}
