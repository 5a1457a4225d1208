import { createHash } from 'node:crypto'
import {
  type Bucket,
  type Counted,
  type FailureMemory,
  remember,
  WINDOW_MS,
  waitsOf,
} from '../../domain/identity/failure-memory.ts'
import type { Db, Store } from '../database.ts'

/** Several buckets are counted in one transaction: the row of each is held until all are judged. */
const COUNTING = { isolation: 'read-committed' } as const
const STATEMENT = { isolation: 'statement' } as const

/**
 * The memory that all processes on one database share. A pair that has succeeded here is believed without a look until it fails
 * here; every other presented credential costs one read, a refused one a write, a password that is new here two.
 */
export function sharedFailureMemory(store: Store): FailureMemory {
  const trusted = new Map<string, true>()
  return {
    async isTrusted(pair) {
      if (trusted.has(pair)) return true
      const row = await store.read.selectFrom('auth_trust').select('pair').where('pair', '=', hashOf(pair)).executeTakeFirst()
      if (row) remember(trusted, pair, true)
      return row !== undefined
    },
    async trust(pair, now) {
      remember(trusted, pair, true)
      const row = { pair: hashOf(pair), since: now }
      await store.transaction(
        (tx) =>
          tx
            .insertInto('auth_trust')
            .values(row)
            .onConflict((c) => c.column('pair').doUpdateSet({ since: now }))
            .execute(),
        STATEMENT,
      )
    },
    async distrust(pair) {
      trusted.delete(pair)
      await store.transaction((tx) => tx.deleteFrom('auth_trust').where('pair', '=', hashOf(pair)).execute(), STATEMENT)
    },
    async look({ key }, now) {
      const row = await store.read
        .selectFrom('auth_failures')
        .select(['failures', 'last_at', 'wait_until'])
        .where('bucket', '=', hashOf(key))
        .where('last_at', '>', now - WINDOW_MS)
        .executeTakeFirst()
      return { count: Number(row?.failures ?? 0), lastAt: Number(row?.last_at ?? 0), until: Number(row?.wait_until ?? 0) }
    },
    count: (buckets, now) => store.transaction((tx) => countIn(tx, buckets, now), COUNTING),
    async takeBack(counted) {
      if (counted.length === 0) return
      await store.transaction(async (tx) => {
        for (const each of inOrder(counted)) await takeBack(tx, each)
      }, COUNTING)
    },
    async forgive(counted) {
      if (counted.length === 0) return
      await store.transaction(async (tx) => {
        for (const each of inOrder(counted))
          if (each.bucket.kind === 'name at address')
            await tx.deleteFrom('auth_failures').where('bucket', '=', hashOf(each.bucket.key)).execute()
          else await takeBack(tx, each)
      }, COUNTING)
    },
  }
}

/** Every process takes the rows of buckets in one order, so that none waits for another that waits for it. */
function inOrder<T extends { readonly bucket: Bucket }>(counted: readonly T[]): readonly T[] {
  return counted.toSorted((a, b) => (hashOf(a.bucket.key) < hashOf(b.bucket.key) ? -1 : 1))
}

/** The first statement for each bucket takes its row, so that every process counts on from what the others have counted. */
async function countIn(tx: Db, buckets: readonly Bucket[], now: number): Promise<Counted | number> {
  const counts: { bucket: Bucket; count: number; until: number }[] = []
  for (const { bucket } of inOrder(buckets.map((bucket) => ({ bucket })))) {
    const key = hashOf(bucket.key)
    const row = await tx
      .insertInto('auth_failures')
      .values({ bucket: key, failures: 0, last_at: now, wait_until: 0 })
      .onConflict((c) =>
        c.column('bucket').doUpdateSet((eb) => ({
          failures: eb
            .case()
            .when('auth_failures.last_at', '>', now - WINDOW_MS)
            .then(eb.ref('auth_failures.failures'))
            .else(0)
            .end(),
        })),
      )
      .returning(['failures', 'wait_until'])
      .executeTakeFirstOrThrow()
    counts.push({ bucket, count: Number(row.failures) + 1, until: Number(row.wait_until) })
  }
  const until = Math.max(...counts.map((each) => each.until))
  if (until > now) return until
  const waits = waitsOf(counts)
  const counted = counts.map(({ bucket, count }, index) => ({ bucket, count, until: now + (waits[index] ?? 0) * 1000 }))
  for (const { bucket, count, until: ends } of counted)
    await tx
      .updateTable('auth_failures')
      .set({ failures: count, last_at: now, wait_until: ends })
      .where('bucket', '=', hashOf(bucket.key))
      .execute()
  return counted
}

async function takeBack(tx: Db, { bucket, until }: Counted[number]): Promise<void> {
  await tx
    .updateTable('auth_failures')
    .set((eb) => ({
      failures: eb('failures', '-', 1),
      wait_until: eb.case().when('wait_until', '=', until).then(0).else(eb.ref('wait_until')).end(),
    }))
    .where('bucket', '=', hashOf(bucket.key))
    .where('failures', '>', 0)
    .execute()
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
