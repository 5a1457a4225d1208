import type { Db } from '../database.ts'

/** Agents that bought in an account, by principal id: its own and those that it is shared with. */
export async function buyersIn(db: Db, tenantId: string, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('media_buys')
    .select('principal_id')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .orderBy('principal_id')
    .execute()
  return rows.map((row) => row.principal_id)
}
