import { expect, it } from 'vitest'
import type { ReplayStore } from '../../../src/domain/identity/replay-store.ts'

const NOW = 1_776_520_800

/** What every replay store has to do. `open` gives a fresh store with this cap for each key. */
export function replayStoreContract(open: (cap: number) => Promise<ReplayStore>): void {
  it('takes a nonce once per key', async () => {
    const store = await open(10)
    expect(await store.insert('a', 'n', NOW + 360, NOW)).toBe('inserted')
    expect(await store.insert('a', 'n', NOW + 360, NOW + 360)).toBe('replayed')
    expect(await store.insert('b', 'n', NOW + 360, NOW)).toBe('inserted')
  })

  it('lets one of many simultaneous equal nonces through', async () => {
    const store = await open(10)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.insert('a', 'n', NOW + 360, NOW)))
    expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(19)
  })

  it('never holds more than the cap, however many come at once', async () => {
    const store = await open(5)
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, i) => store.insert('a', `n${i}`, NOW + 360, NOW)))
    expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(7)
    expect(await store.isFull('a', NOW)).toBe(true)
    expect(await store.isFull('b', NOW)).toBe(false)
  })

  it('forgets a nonce in the second after its signature has died, and not before', async () => {
    const store = await open(1)
    await store.insert('a', 'n', NOW + 60, NOW)
    expect(await store.isFull('a', NOW + 60)).toBe(true)
    expect(await store.insert('a', 'm', NOW + 400, NOW + 60)).toBe('full')
    expect(await store.isFull('a', NOW + 61)).toBe(false)
    expect(await store.insert('a', 'n', NOW + 400, NOW + 61)).toBe('inserted')
    expect(await store.isFull('a', NOW + 61)).toBe(true)
  })

  it('tells those that come at once apart: new, twice among themselves, known, known but dead', async () => {
    const store = await open(20)
    await store.insert('a', 'known', NOW + 360, NOW)
    await store.insert('a', 'dead', NOW + 60, NOW)
    const nonces = ['n0', 'known', 'twice', 'n1', 'twice', 'dead', 'n2']
    expect(await Promise.all(nonces.map((nonce) => store.insert('a', nonce, NOW + 400, NOW + 61)))).toEqual([
      'inserted',
      'replayed',
      'inserted',
      'inserted',
      'replayed',
      'inserted',
      'inserted',
    ])
    for (const nonce of nonces) expect(await store.insert('a', nonce, NOW + 400, NOW + 61)).toBe('replayed')
  })

  it('counts right whatever number comes at once, and drops the dead on the way', async () => {
    const store = await open(600)
    for (const [round, size] of [1, 3, 64, 65, 130, 200].entries()) {
      const now = NOW + round
      const outcomes = await Promise.all(
        Array.from({ length: size }, (_, i) => store.insert('a', `r${round} ${i % (size - 1)}`, NOW + 10 + 20 * (i % 2), now)),
      )
      const fresh = size === 1 ? 1 : size - 1
      expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(fresh)
      expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(size - fresh)
    }
    const rest = await Promise.all(Array.from({ length: 700 }, (_, i) => store.insert('a', `last ${i}`, NOW + 90, NOW + 31)))
    expect(rest.filter((outcome) => outcome === 'inserted')).toHaveLength(600)
    expect(rest.filter((outcome) => outcome === 'full')).toHaveLength(100)
  })

  it('a replay does not use up the cap', async () => {
    const store = await open(2)
    await store.insert('a', 'n', NOW + 360, NOW)
    for (let i = 0; i < 5; i++) expect(await store.insert('a', 'n', NOW + 360, NOW)).toBe('replayed')
    expect(await store.insert('a', 'm', NOW + 360, NOW)).toBe('inserted')
  })
}
