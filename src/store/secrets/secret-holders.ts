import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { SecretHolderTables } from './rows.ts'

export type SecretHolderRow = Selectable<SecretHolderTables['secret_holders']>

export function listSecretHolders(db: Db): Promise<SecretHolderRow[]> {
  return db.selectFrom('secret_holders').selectAll().orderBy('machine').orderBy('pid').execute()
}

/** Stores what a process has now. */
export async function saveSecretHolder(tx: Db, row: SecretHolderRow): Promise<void> {
  const { seals, opens, seen_at } = row
  await tx
    .insertInto('secret_holders')
    .values(row)
    .onConflict((c) => c.column('holder_id').doUpdateSet({ seals, opens, seen_at }))
    .execute()
}

/** Removes a process that ended, and those that were seen last before `before`. */
export async function removeSecretHolders(tx: Db, holderId: string, before: Date): Promise<void> {
  await tx
    .deleteFrom('secret_holders')
    .where((where) => where.or([where('holder_id', '=', holderId), where('seen_at', '<', before.toISOString())]))
    .execute()
}
