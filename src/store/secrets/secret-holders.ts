import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'

export interface SecretHolderTables {
  /** Running processes and the ids of the deployment's secrets that each has. */
  secret_holders: {
    holder_id: string
    machine: string
    pid: number
    /** Where it has them from: a file, or `environment`. */
    source: string
    /** Id of the one that it encrypts with. */
    seals: string
    /** JSON array of the ids of those that it opens. */
    opens: string
    seen_at: string
  }
}

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
