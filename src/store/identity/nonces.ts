import type { CapOf, NonceOutcome, ReplayStore } from '../../domain/identity/replay-store.ts'
import { DEFAULT_NONCE_CAP } from '../../domain/identity/replay-store.ts'
import type { Store } from '../database.ts'
import { burnNonces, countOf, MAX_TOGETHER, type Nonce, pruneKey } from './burn-nonces.ts'

/** The first statement of each transaction here takes the row of its key, and others wait for it. */
const LOCKS_FIRST = { isolation: 'read-committed' } as const

/** All processes together burn fewer nonces of one key than this in a second: a key with so much room is examined once a second. */
const ROOM = 10_000

/** Replay store that all processes on one database share and that outlives them. */
export function sqlReplayStore(store: Store, capOf: CapOf = () => DEFAULT_NONCE_CAP): ReplayStore {
  let second = 0
  const roomy = new Set<string>()
  return {
    async isFull(keyid, nowSeconds) {
      if (second !== nowSeconds) roomy.clear()
      second = nowSeconds
      if (roomy.has(keyid)) return false
      const entries = await countOf(store.read, keyid)
      if (entries + ROOM < capOf(keyid) && second === nowSeconds) roomy.add(keyid)
      if (entries < capOf(keyid)) return false
      return (await store.transaction((tx) => pruneKey(tx, keyid, nowSeconds), LOCKS_FIRST)) >= capOf(keyid)
    },
    insert: burningTogether(store, capOf),
  }
}

interface Waiting extends Nonce {
  readonly resolve: (outcome: NonceOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Burns the nonces of one key in one transaction at a time: it holds the row of the key anyway, so what arrives meanwhile waits for the
 * next one, and shares it. Every nonce keeps its own outcome, and none is given before the commit.
 */
function burningTogether(store: Store, capOf: CapOf): ReplayStore['insert'] {
  const keys = new Map<string, Waiting[]>()

  async function drain(keyid: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      // Taken when the transaction begins, once: PostgreSQL may run it again.
      let batch: readonly Waiting[] = []
      try {
        const outcomes = await store.transaction((tx) => {
          if (batch.length === 0) batch = queue.splice(0, MAX_TOGETHER)
          return burnNonces(tx, keyid, batch, capOf(keyid))
        }, LOCKS_FIRST)
        for (const [index, { resolve, reject }] of batch.entries()) {
          const outcome = outcomes[index]
          if (outcome) resolve(outcome)
          else reject(new Error('a nonce was left without an outcome'))
        }
      } catch (error) {
        for (const { reject } of batch.length > 0 ? batch : queue.splice(0)) reject(error)
      }
    }
    keys.delete(keyid)
  }

  return (keyid, nonce, expiresAtSeconds, nowSeconds) =>
    new Promise((resolve, reject) => {
      const waiting = { nonce, expiresAtSeconds, nowSeconds, resolve, reject }
      const queue = keys.get(keyid)
      if (queue) {
        queue.push(waiting)
        return
      }
      const started = [waiting]
      keys.set(keyid, started)
      void drain(keyid, started)
    })
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
