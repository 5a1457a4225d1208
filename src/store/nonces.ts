import { sql } from 'kysely'
import type { CapOf, NonceOutcome, ReplayStore } from '../signing/replay-store.ts'
import { DEFAULT_NONCE_CAP } from '../signing/replay-store.ts'
import type { Db, Store } from './database.ts'
import { hotQuery } from './hot-query.ts'

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

/** Dead nonces of a key that keeps signing are dropped after so many of its calls: rarely enough to cost little, and few at a time. */
const PRUNE_EVERY = 256

/** The first statement of each transaction here takes the row of its key, and others wait for it. */
const LOCKS_FIRST = { isolation: 'read-committed' } as const

/** Replay store that all processes on one database share and that outlives them. */
export function sqlReplayStore(store: Store, capOf: CapOf = () => DEFAULT_NONCE_CAP): ReplayStore {
  return {
    async isFull(keyid, nowSeconds) {
      const [count] = (await countOf(store.read, { keyid })).rows
      if (count === undefined || count.entries < capOf(keyid)) return false
      return (await store.transaction((tx) => pruneKey(tx, keyid, nowSeconds), LOCKS_FIRST)) >= capOf(keyid)
    },
    insert: (keyid, nonce, expiresAtSeconds, nowSeconds) =>
      store.transaction(
        (tx) => insertNonce(tx, { keyid, nonce, expiresAt: String(expiresAtSeconds) }, nowSeconds, capOf(keyid)),
        LOCKS_FIRST,
      ),
  }
}

const countOf = hotQuery(['keyid'], (db, value) =>
  db.selectFrom('signature_nonce_counts').select('entries').where('keyid', '=', value('keyid')),
)

/** Counts one more. Writes the key's own row, so that on either engine a second transaction for this key waits for the end of this one. */
const countOneMore = hotQuery(['keyid'], (tx, value) =>
  tx
    .insertInto('signature_nonce_counts')
    .values({ keyid: value('keyid'), entries: 1 })
    .onConflict((c) => c.column('keyid').doUpdateSet((eb) => ({ entries: eb('signature_nonce_counts.entries', '+', 1) })))
    .returning('entries'),
)

const addNonce = hotQuery(['keyid', 'nonce', 'expiresAt'], (tx, value) =>
  tx
    .insertInto('signature_nonces')
    .values({ keyid: value('keyid'), nonce: value('nonce'), expires_at: sql<number>`${value('expiresAt')}` })
    .onConflict((c) => c.doNothing())
    .returning('keyid'),
)

async function insertNonce(
  tx: Db,
  entry: { readonly keyid: string; readonly nonce: string; readonly expiresAt: string },
  nowSeconds: number,
  cap: number,
): Promise<NonceOutcome> {
  const { keyid } = entry
  const [count] = (await countOneMore(tx, { keyid })).rows
  const entries = Number(count?.entries)
  const isDue = entries > cap || entries % PRUNE_EVERY === 0
  // The count holds the new entry, which is not there yet.
  const live = isDue ? (await pruneKey(tx, keyid, nowSeconds)) - 1 : entries - 1
  if (live >= cap) {
    await setCount(tx, keyid, live)
    return 'full'
  }
  if ((await addNonce(tx, entry)).rows.length > 0) return 'inserted'
  // Known, but perhaps dead and not dropped yet.
  const left = isDue ? live : (await pruneKey(tx, keyid, nowSeconds)) - 1
  if (!isDue && (await addNonce(tx, entry)).rows.length > 0) return 'inserted'
  await setCount(tx, keyid, left)
  return 'replayed'
}

/** Drops the key's dead nonces and gives its count without them. The first statement writes the key's own row: see above. */
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
  const live = Number(entries) - Number(numDeletedRows)
  if (numDeletedRows > 0n) await setCount(tx, keyid, live)
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
  for (const { keyid } of keys) await store.transaction((tx) => pruneKey(tx, keyid, nowSeconds), LOCKS_FIRST)
  return keys.length
}
