import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { addTenant, listTenants } from '../../src/store/identity/tenants.ts'
import { versionedCache } from '../../src/store/versioned-cache.ts'

const now = new Date('2026-01-01T00:00:00.000Z')

/** What a cache by data version must do on every engine. `open` is called twice and gives the same store. */
export function versionedCacheContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the versioned cache`, () => {
    let store: Store
    let other: Store
    let serial = 0
    const addOne = (to: Store) =>
      to.transaction((tx) => addTenant(tx, { tenantId: `t${serial++}`, name: 'T', domain: 't.example' }, now))

    beforeAll(async () => {
      store = await open()
      other = await open()
    })
    afterAll(async () => {
      await store.close()
      await other.close()
    })

    it('reads again after a commit of this process, at once', async () => {
      const count = versionedCache<number>(store, 10)
      const ask = () => count('tenants', async () => (await listTenants(store.read)).length)
      const before = (await ask()) ?? 0
      await addOne(store)
      expect(await ask()).toBe(before + 1)
    })

    it('reads again after a commit of another process, soon', async () => {
      const count = versionedCache<number>(store, 10)
      const ask = () => count('tenants', async () => (await listTenants(store.read)).length)
      const before = (await ask()) ?? 0
      await addOne(other)
      if (store.engine === 'postgres') await sleep(300)
      expect(await ask()).toBe(before + 1)
    })

    it('shares one read among calls of the same data version', async () => {
      let version = 1
      const answers: ((value: string | undefined) => void)[] = []
      const cache = versionedCache<string>({ dataVersion: () => version }, 2)
      const ask = () => cache('key', () => new Promise((resolve) => answers.push(resolve)))
      const early = [ask(), ask()]
      version = 2
      const late = [ask(), ask()]
      expect(answers).toHaveLength(2)
      answers[1]?.('new')
      expect(await Promise.all(late)).toEqual(['new', 'new'])
      answers[0]?.('old')
      expect(await Promise.all(early)).toEqual(['old', 'old'])
      void ask()
      expect(answers).toHaveLength(3)
    })

    it('shares no miss', async () => {
      const cache = versionedCache<string>({ dataVersion: () => 1 }, 2)
      let reads = 0
      const ask = () => cache('key', async () => void reads++)
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([undefined, undefined, undefined])
      expect(reads).toBe(3)
    })

    it('fails every call that shares a failed read, and does not cache it', async () => {
      const cache = versionedCache<string>({ dataVersion: () => 1 }, 2)
      const failing = () => cache('key', () => Promise.reject(new Error('away')))
      const outcomes = await Promise.allSettled([failing(), failing()])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await cache('key', async () => 'here')).toBe('here')
    })

    it('evicts the least recently used value, and caches no miss', async () => {
      const cache = versionedCache<string>({ dataVersion: () => 1 }, 2)
      const read: string[] = []
      const ask = (key: string, value: string | undefined = key) =>
        cache(key, async () => {
          read.push(key)
          return value
        })
      for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) expect(await ask(key)).toBe(key)
      expect(read).toEqual(['a', 'b', 'c', 'b', 'a'])
      await cache('nothing', async () => undefined)
      expect(await ask('nothing', 'something')).toBe('something')
    })
  })
}
