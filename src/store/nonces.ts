import type { CapOf, NonceOutcome, ReplayStore } from '../signing/replay-store.ts'
import { DEFAULT_NONCE_CAP } from '../signing/replay-store.ts'
import type { Db, Store } from './database.ts'

export interface NonceTables {
  /** Nonces of verified signatures. Not a tenant's: a signature names its full URL, and a nonce counts once anywhere. */
  signature_nonces: {
    keyid: string
    nonce: string
    /** Last Unix second at which the signature could still be accepted. */
    expires_at: number
  }
  /** How many rows each key has, so that the cap is one row's read; its row is also the lock of the key. */
  signature_nonce_counts: { keyid: string; entries: number }
}

/** Replay store that all processes on one database share and that outlives them. */
export function sqlReplayStore(store: Store, capOf: CapOf = () => DEFAULT_NONCE_CAP): ReplayStore {
  return {
    async isFull(keyid, nowSeconds) {
      const count = await store.read
        .selectFrom('signature_nonce_counts')
        .select('entries')
        .where('keyid', '=', keyid)
        .executeTakeFirst()
      if (count === undefined || count.entries < capOf(keyid)) return false
      return (await store.transaction((tx) => pruneKey(tx, keyid, nowSeconds))) >= capOf(keyid)
    },
    insert: (keyid, nonce, expiresAtSeconds, nowSeconds) =>
      store.transaction((tx) => insertNonce(tx, keyid, nonce, expiresAtSeconds, nowSeconds, capOf(keyid))),
  }
}

async function insertNonce(
  tx: Db,
  keyid: string,
  nonce: string,
  expiresAtSeconds: number,
  nowSeconds: number,
  cap: number,
): Promise<NonceOutcome> {
  const entries = await pruneKey(tx, keyid, nowSeconds)
  if (entries >= cap) return 'full'
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('signature_nonces')
    .values({ keyid, nonce, expires_at: expiresAtSeconds })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return 'replayed'
  await setCount(tx, keyid, entries + 1)
  return 'inserted'
}

/**
 * Drops the key's dead nonces and gives the number of live ones. The first statement writes the key's own count row, so that
 * on either engine a second transaction for this key waits for the end of this one.
 */
async function pruneKey(tx: Db, keyid: string, nowSeconds: number): Promise<number> {
  const { entries } = await tx
    .insertInto('signature_nonce_counts')
    .values({ keyid, entries: 0 })
    .onConflict((c) => c.column('keyid').doUpdateSet((eb) => ({ entries: eb.ref('signature_nonce_counts.entries') })))
    .returning('entries')
    .executeTakeFirstOrThrow()
  const { numDeletedRows } = await tx
    .deleteFrom('signature_nonces')
    .where('keyid', '=', keyid)
    .where('expires_at', '<', nowSeconds)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return entries
  const live = entries - Number(numDeletedRows)
  await setCount(tx, keyid, live)
  return live
}

async function setCount(tx: Db, keyid: string, entries: number): Promise<void> {
  await tx.updateTable('signature_nonce_counts').set({ entries }).where('keyid', '=', keyid).execute()
}

/** Housekeeping for keys that have stopped signing: drops up to `keyLimit` keys' dead nonces. Gives how many keys it touched. */
export async function pruneNonces(store: Store, nowSeconds: number, keyLimit: number): Promise<number> {
  const keys = await store.read
    .selectFrom('signature_nonces')
    .select('keyid')
    .distinct()
    .where('expires_at', '<', nowSeconds)
    .limit(keyLimit)
    .execute()
  for (const { keyid } of keys) await store.transaction((tx) => pruneKey(tx, keyid, nowSeconds))
  return keys.length
}
