import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { LastingKeyTables } from './rows.ts'

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
