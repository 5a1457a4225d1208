import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Tables with history, which stays when a tenant is removed. */
const LASTING = /^audit_/

/**
 * Takes a tenant and everything of it out of the store, but for its audit log. A table may refer to another one: what cannot go yet goes in a later
 * round, and a round in which nothing goes is an error of the schema.
 */
export async function removeTenantRows(tx: Db, tenantId: string): Promise<void> {
  // Requests name the key of the admin API that made them, not its publisher.
  const keys = tx.selectFrom('admin_keys').select('key_id').where('tenant_id', '=', tenantId)
  await tx.deleteFrom('admin_requests').where('key_id', 'in', keys).execute()
  const tables = await tx.introspection.getTables()
  let waiting = tables
    .filter(({ name, columns }) => !LASTING.test(name) && columns.some((column) => column.name === 'tenant_id'))
    .map(({ name }) => name)
  while (waiting.length > 0) {
    const left: string[] = []
    for (const name of waiting) if (!(await isRemoved(tx, name, tenantId))) left.push(name)
    if (left.length === waiting.length) throw new Error(`rows of ${left.join(', ')} refer to one another`)
    waiting = left
  }
}

/** False when other rows still refer to these. A refused statement would end the whole transaction on PostgreSQL without the savepoint. */
async function isRemoved(tx: Db, table: string, tenantId: string): Promise<boolean> {
  await sql`savepoint remove_tenant`.execute(tx)
  try {
    await sql`delete from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(tx)
    await sql`release savepoint remove_tenant`.execute(tx)
    return true
  } catch (error) {
    if (!isReferred(error)) throw error
    await sql`rollback to savepoint remove_tenant`.execute(tx)
    return false
  }
}

/** SQLSTATE 23503 of PostgreSQL, the extended code of SQLite. */
function isReferred(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return (
    code === '23503' ||
    code === 'SQLITE_CONSTRAINT_FOREIGNKEY' ||
    (error instanceof Error && /FOREIGN KEY constraint/i.test(error.message))
  )
}
