import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'

export interface LastingKeyTables {
  /** Keys that outlive a rotation of the deployment's secret, sealed. */
  lasting_keys: { purpose: string; sealed: string; created_at: string }
}

export type LastingKeyRow = Selectable<LastingKeyTables['lasting_keys']>

export function findLastingKeys(db: Db): Promise<LastingKeyRow[]> {
  return db.selectFrom('lasting_keys').selectAll().execute()
}

/** Stores a key; one that is stored already stays. */
export async function insertLastingKey(tx: Db, row: LastingKeyRow): Promise<void> {
  await tx
    .insertInto('lasting_keys')
    .values(row)
    .onConflict((c) => c.column('purpose').doNothing())
    .execute()
}
