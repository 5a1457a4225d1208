import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { addTenant, listTenants } from '../../src/store/identity/principals.ts'
import { markedMemory } from '../../src/store/marked-memory.ts'

const now = new Date('2026-01-01T00:00:00.000Z')

/** What a memory that relies on the store's marks must do on every engine. `open` is called twice and gives the same store. */
export function markedMemoryContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: what is remembered under a mark`, () => {
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

    it('is read again after a commit of this process, at once', async () => {
      const count = markedMemory<number>(store, 10)
      const ask = () => count('tenants', async () => (await listTenants(store.read)).length)
      const before = (await ask()) ?? 0
      await addOne(store)
      expect(await ask()).toBe(before + 1)
    })

    it('is read again after a commit of another process, soon', async () => {
      const count = markedMemory<number>(store, 10)
      const ask = () => count('tenants', async () => (await listTenants(store.read)).length)
      const before = (await ask()) ?? 0
      await addOne(other)
      if (store.engine === 'postgres') await sleep(300)
      expect(await ask()).toBe(before + 1)
    })

    it('is read once for all who ask while it is read, and again for who asks after a commit', async () => {
      let mark = 1
      const answers: ((value: string | undefined) => void)[] = []
      const memory = markedMemory<string>({ mark: () => mark }, 2)
      const ask = () => memory('key', () => new Promise((resolve) => answers.push(resolve)))
      const early = [ask(), ask()]
      mark = 2
      const late = [ask(), ask()]
      expect(answers).toHaveLength(2)
      answers[1]?.('new')
      expect(await Promise.all(late)).toEqual(['new', 'new'])
      answers[0]?.('old')
      expect(await Promise.all(early)).toEqual(['old', 'old'])
      void ask()
      expect(answers).toHaveLength(3)
    })

    it('is nothing only for who has read it so', async () => {
      const memory = markedMemory<string>({ mark: () => 1 }, 2)
      let reads = 0
      const ask = () => memory('key', async () => void reads++)
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([undefined, undefined, undefined])
      expect(reads).toBe(3)
    })

    it('a reading that fails fails for all who wait for it, and is not kept', async () => {
      const memory = markedMemory<string>({ mark: () => 1 }, 2)
      const failing = () => memory('key', () => Promise.reject(new Error('away')))
      const outcomes = await Promise.allSettled([failing(), failing()])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await memory('key', async () => 'here')).toBe('here')
    })

    it('is kept while nothing is committed, up to a number of values, and nothing is kept of nothing', async () => {
      const memory = markedMemory<string>({ mark: () => 1 }, 2)
      const read: string[] = []
      const ask = (key: string, value: string | undefined = key) =>
        memory(key, async () => {
          read.push(key)
          return value
        })
      for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) expect(await ask(key)).toBe(key)
      expect(read).toEqual(['a', 'b', 'c', 'a'])
      await memory('nothing', async () => undefined)
      expect(await ask('nothing', 'something')).toBe('something')
    })
  })
}
