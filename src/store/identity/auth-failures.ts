import { createHash } from 'node:crypto'
import type { FailureMemory } from '../../domain/identity/failure-memory.ts'
import { remember, WINDOW_SECONDS, waitSeconds } from '../../domain/identity/failure-memory.ts'
import type { Db, Store } from '../database.ts'

export interface AuthFailureTables {
  /** Refused credentials by the hash of their bucket: no address, key or user name is stored. Times in Unix milliseconds. */
  auth_failures: { bucket: string; failures: number; last_at: number; wait_until: number }
  /** Hashes of pairs of address and credential that have succeeded. */
  auth_trust: { pair: string; since: number }
}

const WINDOW_MS = WINDOW_SECONDS * 1000

/**
 * The memory that all processes on one database share. A pair that has succeeded here is believed without a look until it fails
 * here; every other presented credential costs one read, a refused one two writes.
 */
export function sharedFailureMemory(store: Store): FailureMemory {
  const trusted = new Map<string, true>()
  return {
    async look(buckets, pair) {
      if (pair !== undefined && trusted.has(pair)) return { until: [], isTrusted: true }
      const known = pair === undefined ? undefined : await isTrusted(store.read, hashOf(pair))
      if (pair !== undefined && known) {
        remember(trusted, pair, true)
        return { until: [], isTrusted: true }
      }
      return { until: await waits(store.read, buckets), isTrusted: false }
    },
    fail: (bucket, freeFailures, now) =>
      store.transaction((tx) => noteFailure(tx, hashOf(bucket), freeFailures, now), { isolation: 'read-committed' }),
    async trust(pair, bucket, now) {
      remember(trusted, pair, true)
      await store.transaction(
        async (tx) => {
          if (bucket !== undefined) await tx.deleteFrom('auth_failures').where('bucket', '=', hashOf(bucket)).execute()
          const row = { pair: hashOf(pair), since: now }
          await tx
            .insertInto('auth_trust')
            .values(row)
            .onConflict((c) => c.column('pair').doUpdateSet({ since: now }))
            .execute()
        },
        { isolation: 'statement' },
      )
    },
    async distrust(pair) {
      trusted.delete(pair)
      await store.transaction((tx) => tx.deleteFrom('auth_trust').where('pair', '=', hashOf(pair)).execute(), {
        isolation: 'statement',
      })
    },
  }
}

async function isTrusted(db: Db, pair: string): Promise<boolean> {
  return (await db.selectFrom('auth_trust').select('pair').where('pair', '=', pair).executeTakeFirst()) !== undefined
}

async function waits(db: Db, buckets: readonly string[]): Promise<number[]> {
  const hashes = buckets.map(hashOf)
  const rows = await db.selectFrom('auth_failures').select(['bucket', 'wait_until']).where('bucket', 'in', hashes).execute()
  return hashes.map((hash) => Number(rows.find(({ bucket }) => bucket === hash)?.wait_until ?? 0))
}

/** The first statement takes the row of the bucket, so that every process counts on from what the others have counted. */
async function noteFailure(tx: Db, bucket: string, freeFailures: number, now: number): Promise<void> {
  const { failures } = await tx
    .insertInto('auth_failures')
    .values({ bucket, failures: 1, last_at: now, wait_until: 0 })
    .onConflict((c) =>
      c.column('bucket').doUpdateSet((eb) => ({
        failures: eb
          .case()
          .when('auth_failures.last_at', '>', now - WINDOW_MS)
          .then(eb('auth_failures.failures', '+', 1))
          .else(1)
          .end(),
        last_at: now,
      })),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  const until = now + waitSeconds(Number(failures), freeFailures) * 1000
  await tx.updateTable('auth_failures').set({ wait_until: until }).where('bucket', '=', bucket).execute()
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** How long a success counts without another one from the same address. */
const TRUST_MS = 30 * 86_400_000

/** Forgets failures whose window is over, and successes of long ago. */
export async function sweepFailures(tx: Db, now: Date): Promise<void> {
  await tx
    .deleteFrom('auth_failures')
    .where('last_at', '<=', now.getTime() - WINDOW_MS)
    .execute()
  await tx
    .deleteFrom('auth_trust')
    .where('since', '<=', now.getTime() - TRUST_MS)
    .execute()
}
