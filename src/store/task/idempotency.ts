import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'

/** `account_id` of every key: keys are the agent's. Other records of the table have a value of their own there (`answered-calls.ts`). */
export const EVERY_ACCOUNT = ''

export interface IdempotencyScope {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId: string
  readonly key: string
}

export interface ClaimTimes {
  readonly now: Date
  /** When another request may take the claim over. */
  readonly leaseUntil: Date
  /** When the stored answer stops being replayed. */
  readonly expiresAt: Date
  /** When the tombstone goes too. */
  readonly forgetAt: Date
}

export type ClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'replay'; readonly response: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'in-flight'; readonly leaseUntil: string }

const insertClaim = hotQuery(
  ['tenantId', 'principalId', 'accountId', 'key', 'requestHash', 'claim', 'leaseUntil', 'expiresAt', 'forgetAt'],
  (tx, value) =>
    tx
      .insertInto('idempotency')
      .values({
        tenant_id: value('tenantId'),
        principal_id: value('principalId'),
        account_id: value('accountId'),
        idempotency_key: value('key'),
        request_hash: value('requestHash'),
        claim: value('claim'),
        lease_until: value('leaseUntil'),
        response: null,
        expires_at: value('expiresAt'),
        forget_at: value('forgetAt'),
      })
      .onConflict((c) => c.doNothing())
      .returning('claim'),
)

/**
 * Claims a key for `claim`, or gives what is stored under it. A claim whose lease has ended is taken over, and one of which `isOver` knows that its
 * call has ended. Each of its statements decides alone, so it needs no transaction.
 */
export async function claimKey(
  tx: Db,
  scope: IdempotencyScope,
  requestHash: string,
  claim: string,
  times: ClaimTimes,
  isOver: (claim: string) => boolean = () => false,
): Promise<ClaimResult> {
  const inserted = await insertClaim(tx, {
    ...scope,
    requestHash,
    claim,
    leaseUntil: times.leaseUntil.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
    forgetAt: times.forgetAt.toISOString(),
  })
  if (inserted.rows.length > 0) return { kind: 'claimed' }
  const [row] = (await rowAtKey(tx, { ...scope })).rows
  if (!row) return { kind: 'in-flight', leaseUntil: times.leaseUntil.toISOString() }
  // A claim whose answer was lost on the way is tried again, and finds itself.
  if (row.claim === claim && row.response === null) return { kind: 'claimed' }
  const now = times.now.toISOString()
  if (row.response !== null && row.expires_at <= now) return { kind: 'expired' }
  const isFree = row.response === null && (row.lease_until <= now || isOver(row.claim))
  if (!isFree && row.request_hash !== requestHash) return { kind: 'conflict' }
  if (row.response !== null) return { kind: 'replay', response: row.response }
  if (!isFree) return { kind: 'in-flight', leaseUntil: row.lease_until }
  return takeOver(tx, scope, row.claim, requestHash, claim, times)
}

/** The stored row of a key, whatever its state. */
const rowAtKey = hotQuery(['tenantId', 'principalId', 'accountId', 'key'], (db, value) =>
  db
    .selectFrom('idempotency')
    .selectAll()
    .where('tenant_id', '=', value('tenantId'))
    .where('principal_id', '=', value('principalId'))
    .where('account_id', '=', value('accountId'))
    .where('idempotency_key', '=', value('key')),
)

async function takeOver(
  tx: Db,
  scope: IdempotencyScope,
  previous: string,
  requestHash: string,
  claim: string,
  times: ClaimTimes,
): Promise<ClaimResult> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency')
    .set({
      claim,
      request_hash: requestHash,
      lease_until: times.leaseUntil.toISOString(),
      expires_at: times.expiresAt.toISOString(),
      forget_at: times.forgetAt.toISOString(),
    })
    .where('tenant_id', '=', scope.tenantId)
    .where('principal_id', '=', scope.principalId)
    .where('account_id', '=', scope.accountId)
    .where('idempotency_key', '=', scope.key)
    .where('claim', '=', previous)
    .where('response', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n ? { kind: 'claimed' } : { kind: 'in-flight', leaseUntil: times.leaseUntil.toISOString() }
}

const setResponse = hotQuery(['tenantId', 'principalId', 'accountId', 'key', 'claim', 'response'], (tx, value) =>
  tx
    .updateTable('idempotency')
    .set({ response: value('response') })
    .where('tenant_id', '=', value('tenantId'))
    .where('principal_id', '=', value('principalId'))
    .where('account_id', '=', value('accountId'))
    .where('idempotency_key', '=', value('key'))
    .where('claim', '=', value('claim'))
    .where('response', 'is', null),
)

/** Stores the answer in the transaction of the effect. False when the claim was taken over: the effect must not commit. */
export async function publishResponse(tx: Db, scope: IdempotencyScope, claim: string, response: string): Promise<boolean> {
  return (await setResponse(tx, { ...scope, claim, response })).numAffectedRows === 1n
}

/** Puts the end of an unfinished claim's lease off. */
export async function renewClaim(tx: Db, scope: IdempotencyScope, claim: string, leaseUntil: Date): Promise<void> {
  await setLease(tx, { ...scope, claim, leaseUntil: leaseUntil.toISOString() })
}

const setLease = hotQuery(['tenantId', 'principalId', 'accountId', 'key', 'claim', 'leaseUntil'], (tx, value) =>
  tx
    .updateTable('idempotency')
    .set({ lease_until: value('leaseUntil') })
    .where('tenant_id', '=', value('tenantId'))
    .where('principal_id', '=', value('principalId'))
    .where('account_id', '=', value('accountId'))
    .where('idempotency_key', '=', value('key'))
    .where('claim', '=', value('claim'))
    .where('response', 'is', null),
)

/** Gives an unfinished claim back, so that a corrected retry may use the key. */
export async function releaseClaim(tx: Db, scope: IdempotencyScope, claim: string): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('tenant_id', '=', scope.tenantId)
    .where('principal_id', '=', scope.principalId)
    .where('account_id', '=', scope.accountId)
    .where('idempotency_key', '=', scope.key)
    .where('claim', '=', claim)
    .where('response', 'is', null)
    .execute()
}

const KEY = ['tenant_id', 'principal_id', 'account_id', 'idempotency_key'] as const

/**
 * Empties answers past their time (the tombstone keeps only the hash) and drops forgotten rows, `limit` of each at most: calls are not to wait
 * for the work of a day. Gives the larger of the two counts; less than `limit` means that nothing is left.
 */
export async function sweepIdempotency(tx: Db, now: Date, limit: number): Promise<number> {
  const at = now.toISOString()
  const some = tx
    .selectFrom('idempotency')
    .select([...KEY])
    .limit(limit)
  const emptied = await tx
    .updateTable('idempotency')
    // A tombstone has no time of its own any more, so that the next sweep does not walk over it.
    .set({ response: '', expires_at: '' })
    .where((eb) => {
      const over = some.where('expires_at', '>', '').where('expires_at', '<=', at).where('response', 'is not', null)
      return eb(eb.refTuple(...KEY), 'in', over.$asTuple(...KEY))
    })
    .executeTakeFirst()
  const dropped = await tx
    .deleteFrom('idempotency')
    .where((eb) => eb(eb.refTuple(...KEY), 'in', some.where('forget_at', '<=', at).$asTuple(...KEY)))
    .executeTakeFirst()
  return Math.max(Number(emptied.numUpdatedRows), Number(dropped.numDeletedRows))
}
