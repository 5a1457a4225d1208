import type { NonceOutcome } from '../../domain/identity/replay-store.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'

/** A nonce whose signature has verified. Times are Unix seconds. */
export interface Nonce {
  readonly nonce: string
  /** Last second at which the signature could still be accepted. */
  readonly expiresAtSeconds: number
  /** When the message was verified. */
  readonly nowSeconds: number
}

/** Dead nonces of a key that keeps signing are dropped after so many of its calls: rarely enough to cost little, and few at a time. */
const PRUNE_EVERY = 256

/** Nonces that a key holds, expired ones that are not dropped yet included. */
export async function countOf(db: Db, keyid: string): Promise<number> {
  return (await entriesOf(db, { keyid })).rows[0]?.entries ?? 0
}

const entriesOf = hotQuery(['keyid'], (db, value) =>
  db.selectFrom('signature_nonce_counts').select('entries').where('keyid', '=', value('keyid')),
)

/** Counts some more. Writes the key's own row, so that on either engine a second transaction for this key waits for the end of this one. */
const countMore = hotQuery(['keyid', 'more'], (tx, value) =>
  tx
    .insertInto('signature_nonce_counts')
    .values({ keyid: value('keyid'), entries: value.of<number>('more') })
    .onConflict((c) =>
      c.column('keyid').doUpdateSet((eb) => ({ entries: eb('signature_nonce_counts.entries', '+', eb.ref('excluded.entries')) })),
    )
    .returning('entries'),
)

/**
 * Burns nonces of one key in the transaction of `tx`, and gives their outcomes in their order. Most times all are new and there is room:
 * then it is two statements, whatever their number. Anything else is examined one by one.
 */
export async function burnNonces(tx: Db, keyid: string, nonces: readonly Nonce[], cap: number): Promise<NonceOutcome[]> {
  const [count] = (await countMore(tx, { keyid, more: nonces.length })).rows
  const entries = Number(count?.entries)
  const before = entries - nonces.length
  const isPruneDue = Math.floor(before / PRUNE_EVERY) !== Math.floor(entries / PRUNE_EVERY)
  if (entries > cap || isPruneDue) {
    await setCount(tx, keyid, before)
    return burnEach(tx, keyid, nonces, cap)
  }
  const added = new Set((await addNonces(tx, keyid, nonces)).map(({ nonce }) => nonce))
  if (added.size === nonces.length) return nonces.map(() => 'inserted')
  await setCount(tx, keyid, before + added.size)
  const outcomes: NonceOutcome[] = []
  // A nonce that came twice was added for the first of the two.
  for (const nonce of nonces) outcomes.push(added.delete(nonce.nonce) ? 'inserted' : await burnNonce(tx, keyid, nonce, cap))
  return outcomes
}

async function burnEach(tx: Db, keyid: string, nonces: readonly Nonce[], cap: number): Promise<NonceOutcome[]> {
  const outcomes: NonceOutcome[] = []
  for (const nonce of nonces) outcomes.push(await burnNonce(tx, keyid, nonce, cap))
  return outcomes
}

async function burnNonce(tx: Db, keyid: string, nonce: Nonce, cap: number): Promise<NonceOutcome> {
  const [count] = (await countMore(tx, { keyid, more: 1 })).rows
  const entries = Number(count?.entries)
  const isDue = entries > cap || entries % PRUNE_EVERY === 0
  // The count holds the new entry, which is not there yet.
  const live = isDue ? (await pruneKey(tx, keyid, nonce.nowSeconds)) - 1 : entries - 1
  if (live >= cap) {
    await setCount(tx, keyid, live)
    return 'full'
  }
  if ((await addNonces(tx, keyid, [nonce])).length > 0) return 'inserted'
  // Known, but perhaps dead and not dropped yet.
  const left = isDue ? live : (await pruneKey(tx, keyid, nonce.nowSeconds)) - 1
  if (!isDue && (await addNonces(tx, keyid, [nonce])).length > 0) return 'inserted'
  await setCount(tx, keyid, left)
  return 'replayed'
}

/** Adds those that do not stand there, and gives them. */
async function addNonces(tx: Db, keyid: string, nonces: readonly Nonce[]): Promise<readonly { readonly nonce: string }[]> {
  const statement = ADD.find(({ rows }) => rows >= nonces.length)
  const last = nonces.at(-1)
  if (!statement || !last) throw new RangeError(`${nonces.length} nonces are not added at once`)
  const values: Record<string, string | number> = { keyid }
  for (let row = 0; row < statement.rows; row++) {
    // The last one again changes nothing: an existing row is left alone.
    const { nonce, expiresAtSeconds } = nonces[row] ?? last
    values[`nonce${row}`] = nonce
    values[`expiresAt${row}`] = expiresAtSeconds
  }
  return (await statement.run(tx, values)).rows
}

/** As many as are burned together. */
export const MAX_TOGETHER = 64

/** Statements stay prepared, so there are few of them: one for each power of two. */
const ADD = [1, 2, 4, 8, 16, 32, MAX_TOGETHER].map((rows) => ({ rows, run: addRows(rows) }))

function addRows(rows: number) {
  const numbers = Array.from({ length: rows }, (_, row) => row)
  return hotQuery(['keyid', ...numbers.flatMap((row) => [`nonce${row}`, `expiresAt${row}`])], (tx, value) =>
    tx
      .insertInto('signature_nonces')
      .values(
        numbers.map((row) => ({
          keyid: value('keyid'),
          nonce: value(`nonce${row}`),
          expires_at: value.of<number>(`expiresAt${row}`),
        })),
      )
      .onConflict((c) => c.doNothing())
      .returning('nonce'),
  )
}

/** Drops the key's dead nonces and gives its count without them. The first statement writes the key's own row: see above. */
export async function pruneKey(tx: Db, keyid: string, nowSeconds: number): Promise<number> {
  const [count] = (await countMore(tx, { keyid, more: 0 })).rows
  const { numDeletedRows } = await tx
    .deleteFrom('signature_nonces')
    .where('keyid', '=', keyid)
    .where('expires_at', '<', nowSeconds)
    .executeTakeFirst()
  const live = Number(count?.entries) - Number(numDeletedRows)
  if (numDeletedRows > 0n) await setCount(tx, keyid, live)
  return live
}

async function setCount(tx: Db, keyid: string, entries: number): Promise<void> {
  await tx.updateTable('signature_nonce_counts').set({ entries }).where('keyid', '=', keyid).execute()
}
