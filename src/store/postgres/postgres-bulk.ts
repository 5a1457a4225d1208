import type pg from 'pg'
import { BATCH_BYTES, BATCH_ROWS, type Bulk, type BulkTable, type Row } from '../bulk.ts'
import { openPool, PATIENT_LIMITS } from './postgres-pool.ts'

/** Parameters of one statement of the protocol (a 16-bit number). */
const MAX_PARAMETERS = 65_535

/**
 * Runs work on all tables of a database in one transaction: `read` sees one moment and blocks no writer, `write` keeps other writers out.
 */
export async function withPostgresBulk<T>(url: string, mode: 'read' | 'write', work: (store: Bulk) => Promise<T>): Promise<T> {
  const pool = openPool(url, PATIENT_LIMITS)
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  try {
    await client.query(mode === 'read' ? 'START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'START TRANSACTION')
    const tables = await tablesOf(client)
    if (mode === 'write') await client.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(', ')} IN EXCLUSIVE MODE`)
    const result = await work(bulkOf(client, tables))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.release()
    await pool.end()
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function bulkOf(client: pg.PoolClient, tables: readonly BulkTable[]): Bulk {
  return {
    tables: async () => tables,
    rows: (table) => read(client, table),
    insert: (table, rows) => insert(client, table, rows),
    async clear(table) {
      await client.query(`DELETE FROM ${quoted(table.name)}`)
    },
  }
}

async function* read(client: pg.PoolClient, table: BulkTable): AsyncGenerator<readonly Row[]> {
  const columns = table.columns.map(quoted).join(', ')
  await client.query(`DECLARE bulk NO SCROLL CURSOR FOR SELECT ${columns} FROM ${quoted(table.name)}`)
  try {
    // The first rows tell how large the others may be.
    for (let count = 10; ; ) {
      const { rows } = await client.query<Row & unknown[]>({ text: `FETCH ${count} FROM bulk`, rowMode: 'array' })
      if (rows.length === 0) return
      yield rows
      const largest = Math.max(...rows.map((row) => JSON.stringify(row).length))
      count = Math.max(1, Math.min(BATCH_ROWS, count * 4, Math.floor(BATCH_BYTES / largest)))
    }
  } finally {
    await client.query('CLOSE bulk').catch(() => {})
  }
}

async function insert(client: pg.PoolClient, table: BulkTable, rows: readonly Row[]): Promise<void> {
  const width = table.columns.length
  const into = `INSERT INTO ${quoted(table.name)} (${table.columns.map(quoted).join(', ')}) VALUES `
  const perStatement = Math.floor(MAX_PARAMETERS / width)
  for (let start = 0; start < rows.length; start += perStatement) {
    const part = rows.slice(start, start + perStatement)
    const tuples = part.map((_, row) => `(${table.columns.map((_, column) => `$${row * width + column + 1}`).join(', ')})`)
    await client.query(into + tuples.join(', '), part.flat())
  }
}

/** Tables of the connection's schema, each after those that it refers to. */
async function tablesOf(client: pg.PoolClient): Promise<readonly BulkTable[]> {
  const { rows: columns } = await client.query<{ name: string; columns: string[] }>(
    `SELECT t.table_name AS name, array_agg(c.column_name::text) AS columns
     FROM information_schema.tables t
     JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.is_generated = 'NEVER'
     WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND t.table_name NOT LIKE 'kysely\\_%'
     GROUP BY t.table_name ORDER BY t.table_name`,
  )
  const { rows: references } = await client.query<{ child: string; parent: string }>(
    `SELECT c.relname AS child, p.relname AS parent FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
     WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND k.conrelid <> k.confrelid`,
  )
  const waiting = new Map(columns.map((table) => [table.name, { name: table.name, columns: [...table.columns].sort() }]))
  const ordered: BulkTable[] = []
  while (waiting.size > 0) {
    const blocked = new Set(references.filter(({ parent }) => waiting.has(parent)).map(({ child }) => child))
    const ready = [...waiting.values()].filter(({ name }) => !blocked.has(name))
    if (ready.length === 0) throw new Error('tables refer to each other in a circle')
    for (const table of ready) waiting.delete(table.name)
    ordered.push(...ready)
  }
  return ordered
}
