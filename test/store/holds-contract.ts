import { describe, expect, it } from 'vitest'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import { type Holding, reservationChanges } from '../../src/domain/media-buy/inventory.ts'
import type { Db, Store } from '../../src/store/database.ts'
import { moveReservation, reservedIn } from '../../src/store/media-buy/inventory.ts'
import {
  holdsOf,
  holdsOfAgent,
  insertHolds,
  releaseHoldings,
  reservedNow,
  reservedNowOfProducts,
  sweepHolds,
  takeHolds,
  takeLapsedHolds,
} from '../../src/store/media-buy/inventory-holds.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const pool = { tenantId: 'acme', pool: '' }
const NOW = new Date('2026-03-01T00:00:00.000Z')
const LATER = new Date('2026-03-03T00:00:00.000Z')
const terms = { startsAt: '2026-05-01T00:00:00.000Z', endsAt: '2026-05-11T00:00:00.000Z' }
const days = { first: '2026-05-01', last: '2026-05-10' }

/** What every storage engine must do for inventory that proposals hold. Needs tenant `acme`. */
export function holdsContract(open: () => Store): void {
  describe('holds', () => {
    const holding = (productId: string, reservedImpressions = 1_000): Holding => ({ productId, reservedImpressions, terms })
    const hold = (proposalId: string, holdings: readonly Holding[], expiresAt = LATER) =>
      open().transaction(async (tx) => {
        for (const [productId, changes] of reservationChanges([], holdings)) await moveReservation(tx, pool, productId, changes)
        await insertHolds(tx, owner, proposalId, { pool: '', holdings, expiresAt: expiresAt.toISOString() })
      })
    const mostHeld = async (productId: string) =>
      new HeldInventory(await reservedIn(open().read, pool, productId, days)).mostIn('2026-05-05')
    const release = (proposalId: string) =>
      open().transaction(async (tx: Db) => {
        const held = await takeHolds(tx, owner, proposalId)
        await releaseHoldings(tx, pool, held)
        return held.length
      })

    it('counts what is held, for its owner only, and gives it back once, whoever asks at the same moment', async () => {
      await hold('proposal_a', [holding('p_once'), holding('p_once_more')])
      expect(await holdsOf(open().read, owner, 'proposal_a')).toEqual([
        { ...holding('p_once'), pool: '' },
        { ...holding('p_once_more'), pool: '' },
      ])
      expect(await holdsOf(open().read, { ...owner, principalId: 'other' }, 'proposal_a')).toEqual([])
      expect(await holdsOfAgent(open().read, owner, '', ['p_once'], NOW)).toHaveLength(1)
      expect(await holdsOfAgent(open().read, owner, '', ['p_once'], LATER)).toEqual([])
      expect(await mostHeld('p_once')).toBe(100)
      const rounds = await Promise.all(Array.from({ length: 8 }, () => release('proposal_a')))
      expect(rounds.sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 2])
      expect(await mostHeld('p_once')).toBe(0)
    })

    it('holds the hours of a week in which something is shown, and gives those back', async () => {
      // The days from 1 May 2026, a Friday: two weekends hold all of it.
      const openWeek = '0'.repeat(120) + '1'.repeat(48)
      const weekends: Holding = { ...holding('p_weekend'), openWeek }
      await hold('proposal_w', [weekends])
      expect(await holdsOf(open().read, owner, 'proposal_w')).toEqual([{ ...weekends, pool: '' }])
      const held = await reservedIn(open().read, pool, 'p_weekend', days)
      expect([...held].filter(([period, count]) => period.length === 10 && count > 0)).toEqual(
        ['2026-05-02', '2026-05-03', '2026-05-09', '2026-05-10'].map((day) => [day, 250]),
      )
      await release('proposal_w')
      expect([...(await reservedIn(open().read, pool, 'p_weekend', days)).values()].every((count) => count === 0)).toBe(true)
    })

    it('counts a hold no more from the moment on at which it is over, and tidies it up once', async () => {
      await hold('proposal_b', [holding('p_over')])
      const left = async (now: Date) =>
        new HeldInventory(await reservedNow(open().read, pool, 'p_over', days, { now })).mostIn('2026-05-05')
      expect(await left(NOW)).toBe(100)
      expect(await left(LATER)).toBe(0)
      const several = await reservedNowOfProducts(open().read, pool, ['p_over', 'p_nothing'], days, { now: LATER })
      expect([...several].map(([id, periods]) => [id, new HeldInventory(periods).mostIn('2026-05-05')])).toEqual([['p_over', 0]])
      const own = await holdsOf(open().read, owner, 'proposal_b')
      const without = await reservedNow(open().read, pool, 'p_over', days, { now: NOW, own })
      expect(new HeldInventory(without).mostIn('2026-05-05')).toBe(0)
      const lapsed = await open().transaction((tx) => takeLapsedHolds(tx, pool, ['p_over'], NOW))
      expect(lapsed).toEqual([])
      await Promise.all(Array.from({ length: 4 }, () => open().transaction((tx) => sweepHolds(tx, LATER))))
      expect(await mostHeld('p_over')).toBe(0)
      expect(await holdsOf(open().read, owner, 'proposal_b')).toEqual([])
    })
  })
}
