import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/**
 * In place of the account in the key of an idempotency record; no account has such an id. What a call was answered is stored beside the answers to
 * idempotency keys: both are replies that were given, can be had again for a while by their recipient, and are swept away.
 */
export const CALLS = '/call'

/** Keeps what a call was answered, under the id that its transport gave it. */
export async function keepAnsweredCall(
  tx: Db,
  owner: PrincipalRef,
  call: { readonly id: string; readonly answer: string },
  times: { readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  const over = times.expiresAt.toISOString()
  await tx
    .insertInto('idempotency')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      account_id: CALLS,
      idempotency_key: call.id,
      request_hash: '',
      claim: CALLS,
      lease_until: times.now.toISOString(),
      response: call.answer,
      expires_at: over,
      forget_at: over,
    })
    .onConflict((c) => c.doNothing())
    .execute()
}

/** The owner's own, until its time is over; another's is as if it had never been. */
export async function findAnsweredCall(db: Db, owner: PrincipalRef, id: string, now: Date): Promise<string | undefined> {
  const row = await db
    .selectFrom('idempotency')
    .select('response')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', '=', CALLS)
    .where('idempotency_key', '=', id)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row?.response ?? undefined
}
