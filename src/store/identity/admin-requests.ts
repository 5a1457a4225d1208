import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { AdminRequestTables } from './rows.ts'

export type AdminRequestRow = Selectable<AdminRequestTables['admin_requests']>

/** Names a request: who sent it (the id of an admin key, or `person:` and that of a person), and its idempotency key. */
export interface RequestName {
  readonly keyId: string
  readonly idempotencyKey: string
}

/** Where the answer to a request may be opened. */
export function answerPlace({ keyId, idempotencyKey }: RequestName): string {
  return JSON.stringify(['admin-answer', keyId, idempotencyKey])
}

/** Takes note of a request; undefined when it is new, else what is known of it. */
export async function addRequest(tx: Db, row: Omit<AdminRequestRow, 'answer' | 'state'>): Promise<AdminRequestRow | undefined> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('admin_requests')
    .values({ ...row, state: 'running', answer: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return undefined
  return tx
    .selectFrom('admin_requests')
    .selectAll()
    .where('key_id', '=', row.key_id)
    .where('idempotency_key', '=', row.idempotency_key)
    .executeTakeFirst()
}

/** Changes a request that is held under a lease. False when another process has it, or it is past the states that `from` names. */
export async function changeRequest(
  tx: Db,
  { keyId, idempotencyKey }: RequestName,
  { lease, from }: { readonly lease: string; readonly from: readonly AdminRequestRow['state'][] },
  change: Partial<Pick<AdminRequestRow, 'state' | 'answer' | 'lease' | 'lease_until'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('admin_requests')
    .set(change)
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('lease', '=', lease)
    .where('state', 'in', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Forgets a request that changed nothing. */
export async function forgetRequest(tx: Db, { keyId, idempotencyKey }: RequestName, lease: string): Promise<void> {
  await tx
    .deleteFrom('admin_requests')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('lease', '=', lease)
    .where('state', '=', 'running')
    .execute()
}

/** Forgets requests from before a moment. */
export async function sweepAdminRequests(tx: Db, before: Date): Promise<void> {
  await tx.deleteFrom('admin_requests').where('created_at', '<', before.toISOString()).execute()
}
