import { describe, expect, it } from 'vitest'
import { reservationChanges } from '../../src/domain/media-buy/inventory.ts'
import type { MediaBuy, Package } from '../../src/domain/media-buy/media-buy.ts'
import { findApprovalHold, placeApprovalHold, useApprovalHold } from '../../src/store/approval/approval-holds.ts'
import type { Store } from '../../src/store/database.ts'
import { moveReservation, reservedByDay } from '../../src/store/media-buy/inventory.ts'
import { listMediaBuys } from '../../src/store/media-buy/list-media-buys.ts'
import {
  findMediaBuyOfPackage,
  findMediaBuys,
  getMediaBuy,
  insertMediaBuy,
  saveMediaBuy,
} from '../../src/store/media-buy/media-buys.ts'
import { NOW, plan, product } from '../support/media-buy-fixtures.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const pool = { tenantId: 'acme', pool: '' }

const buyOf = (mediaBuyId: string, change: Partial<MediaBuy> = {}): MediaBuy => {
  const buy = { ...plan(), mediaBuyId, ...change }
  return { ...buy, packages: buy.packages.map((pkg, index) => ({ ...pkg, packageId: `${mediaBuyId}-${index + 1}` })) }
}

/** What every storage engine must do for media buys. Needs tenant `acme`. */
export function mediaBuyContract(open: () => Store): void {
  describe('media buys', () => {
    const save = (before: MediaBuy, after: MediaBuy) => open().transaction((tx) => saveMediaBuy(tx, owner, before, after))

    it('reads back what was written, to its owner only', async () => {
      const buy = buyOf('mb_a', { poNumber: 'ä "quoted" \u{1F600}' })
      await open().transaction((tx) => insertMediaBuy(tx, owner, buy))
      expect(await getMediaBuy(open().read, owner, 'mb_a')).toEqual(buy)
      expect(await findMediaBuyOfPackage(open().read, owner, 'mb_a-1')).toEqual(buy)
      for (const other of [
        { ...owner, principalId: 'other' },
        { ...owner, tenantId: 'other' },
      ]) {
        await expect(getMediaBuy(open().read, other, 'mb_a')).rejects.toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND' })
        expect(await findMediaBuyOfPackage(open().read, other, 'mb_a-1')).toBeUndefined()
      }
    })

    it('saves by compare-and-set: of two writers one wins, packages included', async () => {
      const before = await getMediaBuy(open().read, owner, 'mb_a')
      const changed = (budgetMicros: number): MediaBuy => {
        const packages = before.packages.map((pkg) => ({ ...pkg, terms: { ...pkg.terms, budgetMicros } }))
        return { ...before, revision: 2, packages: [...packages, { ...packages[0]!, packageId: 'mb_a-2' }] }
      }
      const results = await Promise.allSettled([save(before, changed(1)), save(before, changed(2))])
      const lost = results.filter((result) => result.status === 'rejected')
      expect(lost).toMatchObject([{ reason: { code: 'CONFLICT' } }])
      const budget = results[0]?.status === 'fulfilled' ? 1 : 2
      expect((await getMediaBuy(open().read, owner, 'mb_a')).packages.map((pkg) => pkg.terms.budgetMicros)).toEqual([
        budget,
        budget,
      ])
    })

    it('lists by keyset in order of creation, narrowed by what columns tell of a status', async () => {
      const at = (hour: number) => new Date(Date.UTC(2026, 0, 2, hour)).toISOString()
      const flight = { startsAt: at(3), endsAt: at(9) }
      const cancellation = { canceledAt: at(1), canceledBy: 'buyer' as const }
      const lister = { ...owner, principalId: 'lister' }
      const buys = [
        buyOf('mb_5', { ...flight, createdAt: at(1) }),
        buyOf('mb_4', { ...flight, createdAt: at(1), accountId: 'second' }),
        buyOf('mb_3', { ...flight, createdAt: at(2), paused: true }),
        buyOf('mb_2', { ...flight, createdAt: at(3), cancellation }),
        buyOf('mb_1', { ...flight, createdAt: at(4), rejection: { rejectedAt: at(4) } }),
      ]
      await open().transaction(async (tx) => {
        for (const buy of buys) await insertMediaBuy(tx, lister, buy)
      })
      const list = async (filter: Omit<Parameters<typeof listMediaBuys>[2], 'now'>, hour: number, after?: MediaBuy, limit = 10) =>
        (await listMediaBuys(open().read, lister, { ...filter, now: new Date(at(hour)) }, { after, limit })).map(
          (buy) => buy.mediaBuyId,
        )
      expect(await list({}, 5)).toEqual(['mb_4', 'mb_5', 'mb_3', 'mb_2', 'mb_1'])
      expect(await list({}, 5, undefined, 2)).toEqual(['mb_4', 'mb_5'])
      expect(await list({}, 5, buys[0], 2)).toEqual(['mb_3', 'mb_2'])
      expect(await list({ accountId: 'second' }, 5)).toEqual(['mb_4'])
      expect(await list({ statuses: ['active'] }, 5)).toEqual(['mb_4', 'mb_5'])
      expect(await list({ statuses: ['paused', 'canceled'] }, 5)).toEqual(['mb_3', 'mb_2'])
      expect(await list({ statuses: ['pending_start'] }, 2)).toEqual(['mb_4', 'mb_5', 'mb_3'])
      expect(await list({ statuses: ['completed'] }, 9)).toEqual(['mb_4', 'mb_5', 'mb_3'])
      expect(await list({ statuses: ['rejected', 'active'] }, 9)).toEqual(['mb_1'])
      expect((await findMediaBuys(open().read, lister, ['mb_1', 'mb_9', 'mb_5'])).map((buy) => buy.mediaBuyId)).toEqual([
        'mb_5',
        'mb_1',
      ])
    })

    it('counts inventory by day, exactly, whoever reserves at the same moment', async () => {
      const home = product('home', { delivery_type: 'guaranteed' })
      const [pkg] = plan({ packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 10.01 }] }, [home]).packages
      const move = (before: Package[], after: Package[], where = pool) =>
        open().transaction((tx) => moveReservation(tx, where, 'home', reservationChanges(before, after).get('home') ?? []))
      await Promise.all(Array.from({ length: 20 }, () => move([], [pkg!])))
      const days = () => reservedByDay(open().read, pool, 'home', '2026-03-01', '2026-03-31')
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(20 * 1001)
      expect((await days()).size).toBe(14)
      const smaller = { ...pkg!, reservedImpressions: 14 }
      expect(await move([pkg!], [smaller])).toEqual([])
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(19 * 1001 + 14)
      expect(await move([], [smaller], { ...pool, pool: 'tester' })).toHaveLength(14)
      const failed = open().transaction(async (tx) => {
        await moveReservation(tx, pool, 'home', reservationChanges([], [pkg!]).get('home') ?? [])
        throw new Error('no sale')
      })
      await expect(failed).rejects.toThrow('no sale')
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(19 * 1001 + 14)
    })

    it('uses an approval hold once', async () => {
      await open().transaction((tx) => placeApprovalHold(tx, owner, { taskId: 'old', message: undefined }, NOW))
      await open().transaction((tx) => placeApprovalHold(tx, owner, { taskId: 't', message: 'm' }, NOW))
      expect(await findApprovalHold(open().read, owner)).toEqual({ taskId: 't', message: 'm' })
      const used = await Promise.all([1, 2].map(() => open().transaction((tx) => useApprovalHold(tx, owner, 't'))))
      expect(used.filter(Boolean)).toHaveLength(1)
      expect(await findApprovalHold(open().read, owner)).toBeUndefined()
    })
  })
}
