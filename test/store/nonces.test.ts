import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { pruneNonces, sqlReplayStore } from '../../src/store/identity/nonces.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { replayStoreContract } from '../security/signing/replay-store-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'nonces-'))
const stores: Store[] = []

async function open(file: string): Promise<Store> {
  const store = await openSqlite(join(folder, file))
  stores.push(store)
  return store
}

afterAll(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('replay store in SQLite', () => {
  replayStoreContract(async (cap) => sqlReplayStore(await open(`${stores.length}.db`), () => cap))

  it('is shared by two processes on one file, and survives them', async () => {
    const [one, two] = [await open('shared.db'), await open('shared.db')].map((store) => sqlReplayStore(store, () => 3))
    const outcomes = await Promise.all(
      [one, two].flatMap((store) => ['n', 'm', 'o', 'p'].map((nonce) => store!.insert('a', nonce, 400, 100))),
    )
    expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(3)
    const later = sqlReplayStore(await open('shared.db'), () => 3)
    expect(await later.isFull('a', 100)).toBe(true)
  })

  it('a key far from its cap is looked at once a second, one near it each time', async () => {
    const store = await open('room.db')
    let reads = 0
    const counted: Store = {
      ...store,
      get read() {
        reads++
        return store.read
      },
    }
    const replay = sqlReplayStore(counted, (keyid) => (keyid === 'far' ? 1_000_000 : 10_000))
    const readsOf = async (keyid: string, nowSeconds: number) => {
      reads = 0
      expect(await replay.isFull(keyid, nowSeconds)).toBe(false)
      return reads
    }
    expect([await readsOf('far', 100), await readsOf('far', 100), await readsOf('far', 101)]).toEqual([1, 0, 1])
    expect([await readsOf('near', 101), await readsOf('near', 101)]).toEqual([1, 1])
  })

  it('housekeeping drops the dead nonces of keys that stopped signing', async () => {
    const store = await open('housekeeping.db')
    const replay = sqlReplayStore(store)
    for (const keyid of ['a', 'b', 'c']) await replay.insert(keyid, 'n', 200, 100)
    await replay.insert('c', 'm', 500, 100)
    expect(await pruneNonces(store, 300, 2)).toBe(2)
    expect(await pruneNonces(store, 300, 2)).toBe(1)
    expect(await pruneNonces(store, 300, 2)).toBe(0)
    expect(await store.read.selectFrom('signature_nonces').selectAll().execute()).toEqual([
      { keyid: 'c', nonce: 'm', expires_at: 500 },
    ])
    expect(await store.read.selectFrom('signature_nonce_counts').selectAll().orderBy('keyid').execute()).toEqual([
      { keyid: 'a', entries: 0 },
      { keyid: 'b', entries: 0 },
      { keyid: 'c', entries: 1 },
    ])
  })
})
