import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharedLimits } from '../../src/store/limits/shared-limits.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { sweep } from '../../src/store/sweep.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

/** Not at a whole second, as nearly no time is. */
const NOW = new Date('2026-05-01T00:00:00.324Z')

let postgres: TestPostgres
let store: PostgresStore
beforeAll(async () => {
  postgres = await startPostgres()
  store = await openPostgres(await postgres.createDatabase('sweep'))
})
afterAll(async () => {
  await store.close()
  await postgres.stop()
})

it('every step of sweeping runs, and nonces that are over are dropped', async () => {
  const seconds = Math.floor(NOW.getTime() / 1000)
  await store.transaction(async (tx) => {
    await tx.insertInto('signature_nonce_counts').values({ keyid: 'key', entries: 2 }).execute()
    await tx
      .insertInto('signature_nonces')
      .values([
        { keyid: 'key', nonce: 'over', expires_at: seconds - 1 },
        { keyid: 'key', nonce: 'live', expires_at: seconds + 1 },
      ])
      .execute()
  })
  const failures: unknown[] = []
  const more = await sweep(store, {
    privacy: { audienceRetentionDays: 1, eventRetentionDays: 1 },
    limits: sharedLimits(store, false),
    withOauth: true,
    clock: () => NOW,
    onFailure: (step, error) => failures.push([step, error]),
  })
  expect(failures).toEqual([])
  expect(more).toBe(false)
  const left = await store.read.selectFrom('signature_nonces').select('nonce').execute()
  expect(left).toEqual([{ nonce: 'live' }])
})
