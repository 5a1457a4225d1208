import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { pruneNonces, sqlReplayStore } from '../../src/store/identity/nonces.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { replayStoreContract } from '../security/signing/replay-store-contract.ts'

let postgres: TestPostgres
const stores: Store[] = []

async function open(url: string): Promise<Store> {
  const store = await openPostgres(url)
  stores.push(store)
  return store
}

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await postgres.stop()
})

describe('replay store in PostgreSQL', () => {
  replayStoreContract(async (cap) =>
    sqlReplayStore(await open(await postgres.createDatabase(`nonces_${stores.length}`)), () => cap),
  )

  it('is shared by several processes', async () => {
    const url = await postgres.createDatabase('shared')
    const first = await open(url)
    const replicas = [first, await open(url)].map((store) => sqlReplayStore(store, () => 7))
    const nonces = Array.from({ length: 20 }, (_, i) => `n${i}`)
    const outcomes = await Promise.all(replicas.flatMap((replay) => nonces.map((nonce) => replay.insert('a', nonce, 400, 100))))
    expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(7)
    expect(await first.read.selectFrom('signature_nonce_counts').selectAll().execute()).toEqual([{ keyid: 'a', entries: 7 }])
    expect(await pruneNonces(first, 401, 10)).toBe(1)
    expect(await first.read.selectFrom('signature_nonces').selectAll().execute()).toEqual([])
  })
})
