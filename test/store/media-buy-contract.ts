import { describe, expect, it } from 'vitest'
import type { Flight } from '../../src/domain/calendar/flight.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import { requireCapacity, reservationChanges, sharesOf } from '../../src/domain/media-buy/inventory.ts'
import type { MediaBuy, Package } from '../../src/domain/media-buy/media-buy.ts'
import { findApprovalHold, placeApprovalHold, useApprovalHold } from '../../src/store/approval/approval-holds.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { moveReservation, reservedIn } from '../../src/store/media-buy/inventory.ts'
import { listMediaBuys } from '../../src/store/media-buy/list-media-buys.ts'
import {
  findMediaBuyOfPackage,
  findMediaBuys,
  getMediaBuy,
  insertMediaBuy,
  saveMediaBuy,
} from '../../src/store/media-buy/media-buys.ts'
import { listTenantOrders, type OrderPosition, scanTenantOrders } from '../../src/store/media-buy/order-list.ts'
import { PAGE_BYTES } from '../../src/store/page-size.ts'
import { NOW, plan, product } from '../support/media-buy-fixtures.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const pool = { tenantId: 'acme', pool: '' }

const buyOf = (mediaBuyId: string, change: Partial<MediaBuy> = {}): MediaBuy => {
  const buy = { ...plan(), mediaBuyId, ...change }
  return { ...buy, packages: buy.packages.map((pkg, index) => ({ ...pkg, packageId: `${mediaBuyId}-${index + 1}` })) }
}

/** The days of what is held, without longer periods. */
const daysOnly = (held: ReadonlyMap<string, number>) => new Map([...held].filter(([period]) => period.length === 10))

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
        (await listMediaBuys(open().read, lister, { ...filter, now: new Date(at(hour)) }, { after, limit })).buys.map(
          (buy) => buy.mediaBuyId,
        )
      expect(await list({}, 5)).toEqual(['mb_4', 'mb_5', 'mb_3', 'mb_2', 'mb_1'])
      expect(await list({}, 5, undefined, 2)).toEqual(['mb_4', 'mb_5'])
      expect(await list({}, 5, buys[0], 2)).toEqual(['mb_3', 'mb_2'])
      expect(await list({ ids: ['mb_1', 'mb_4', 'none'] }, 5)).toEqual(['mb_4', 'mb_1'])
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

    it.each(['listed', 'scanned'] as const)('reads large orders of a publisher in parts, %s', async (how) => {
      const tenantId = `t_${how}`
      const large = { tenantId, principalId: 'buyer' }
      const at = (hour: number) => new Date(Date.UTC(2026, 0, 2, hour)).toISOString()
      const buys = [1, 2, 3, 4].map((n) =>
        buyOf(`mb_${how}_${n}`, { createdAt: at(n), name: n < 4 ? 'x'.repeat(PAGE_BYTES / 2) : 'small' }),
      )
      await open().transaction(async (tx) => {
        await addTenant(tx, { tenantId, name: how, domain: `${how}.example` }, NOW)
        for (const buy of buys) await insertMediaBuy(tx, large, buy)
      })
      const list = how === 'listed' ? listTenantOrders : scanTenantOrders
      const page = { sort: 'created_at', descending: false, limit: 4 } as const
      const read = async (after: OrderPosition | undefined) => {
        const { orders, ...found } = await list(open().read, tenantId, { now: NOW }, { ...page, after })
        return { ids: orders.map(({ buy }) => buy.mediaBuyId.slice(-1)), ...found }
      }
      const placeOf = (n: number) => ({ value: at(n), mediaBuyId: `mb_${how}_${n}` })
      expect(await read(undefined)).toEqual({ ids: ['1'], end: placeOf(1), isCut: true })
      expect(await read(placeOf(1))).toEqual({ ids: ['2'], end: placeOf(2), isCut: true })
      expect(await read(placeOf(2))).toEqual({ ids: ['3', '4'], end: undefined, isCut: false })
      const two = await list(open().read, tenantId, { now: NOW }, { ...page, limit: 1, after: placeOf(2) })
      expect(two).toMatchObject({ orders: [{ buy: { mediaBuyId: `mb_${how}_3` } }], end: placeOf(3), isCut: false })
    })

    it('counts inventory by day, exactly, whoever reserves at the same moment', async () => {
      const home = product('home', { delivery_type: 'guaranteed' })
      const [pkg] = plan({ packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget: 10.01 }] }, [home]).packages
      const move = (before: Package[], after: Package[], where = pool) =>
        open().transaction((tx) => moveReservation(tx, where, 'home', reservationChanges(before, after).get('home') ?? []))
      await Promise.all(Array.from({ length: 20 }, () => move([], [pkg!])))
      const days = async () => daysOnly(await reservedIn(open().read, pool, 'home', { first: '2026-03-01', last: '2026-03-31' }))
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(20 * 1001)
      expect((await days()).size).toBe(14)
      const smaller = { ...pkg!, reservedImpressions: 14 }
      await move([pkg!], [smaller])
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(19 * 1001 + 14)
      const held = await move([], [smaller], { ...pool, pool: 'tester' })
      expect([...held]).toEqual([['20', 0], ['2026', 0], ['2026-03', 0], ...[...(await days()).keys()].map((day) => [day, 1])])
      const failed = open().transaction(async (tx) => {
        await moveReservation(tx, pool, 'home', reservationChanges([], [pkg!]).get('home') ?? [])
        throw new Error('no sale')
      })
      await expect(failed).rejects.toThrow('no sale')
      expect([...(await days()).values()].reduce((a, b) => a + b, 0)).toBe(19 * 1001 + 14)
    })

    it('holds a flight of 30 years in few rows, and its days are right at the seams', async () => {
      const changes = (flight: Flight, sign = 1) =>
        sharesOf(10_958 * 100, flight).map(({ period, impressions }) => ({ period, delta: sign * impressions }))
      const flight = { startsAt: '2031-05-14T12:00:00.000Z', endsAt: '2061-05-14T12:00:00.000Z' }
      const where = { ...pool, pool: 'long' }
      const move = (list: ReturnType<typeof changes>) =>
        open().transaction((tx) =>
          moveReservation(
            tx,
            where,
            'home',
            list.toSorted((a, b) => (a.period < b.period ? -1 : 1)),
          ),
        )
      await move(changes(flight))
      const read = async (first: string, last: string) =>
        new HeldInventory(await reservedIn(open().read, where, 'home', { first, last }))
      const mostOn = async (day: string) => (await read(day, day)).mostIn(day)
      const seams = [
        '2031-05-13',
        '2031-05-14',
        '2031-05-15',
        '2031-06-01',
        '2032-02-29',
        '2061-05-13',
        '2061-05-14',
        '2061-05-15',
      ]
      expect(await Promise.all(seams.map(mostOn))).toEqual([0, 50, 100, 100, 100, 100, 50, 0])
      expect((await reservedIn(open().read, where, 'home', { first: '2031-01-01', last: '2061-12-31' })).size).toBeLessThan(120)
      // A day of its own inside a held year counts for the year, and the year for the day.
      const held = await move([{ period: '2040-07-04', delta: 7 }])
      expect(new HeldInventory(held).mostIn('2040-07-04')).toBe(107)
      expect((await read('2040-01-01', '2040-12-31')).mostIn('2040')).toBe(107)
      expect((await read('2040-01-01', '2040-12-31')).leftIn('2040', 200)).toBe(366 * 100 - 7)
      await move(changes(flight, -1))
      expect(await Promise.all([...seams, '2040-07-04'].map(mostOn))).toEqual([...seams.map(() => 0), 7])
    })

    it('sells no day twice to long and short flights at the same moment', async () => {
      const where = { ...pool, pool: 'crowd' }
      const long = { startsAt: '2027-01-01T00:00:00.000Z', endsAt: '2057-01-01T00:00:00.000Z' }
      const short = { startsAt: '2033-03-01T00:00:00.000Z', endsAt: '2033-03-11T00:00:00.000Z' }
      const book = (flight: Flight, daily: number) => {
        const days = Math.round((Date.parse(flight.endsAt) - Date.parse(flight.startsAt)) / 86_400_000)
        const changes = sharesOf(days * daily, flight).map(({ period, impressions }) => ({ period, delta: impressions }))
        return open().transaction(
          async (tx) => {
            const held = new HeldInventory(await moveReservation(tx, where, 'home', changes))
            requireCapacity('home', 100, { changes, held }, 'packages[0]')
          },
          { isolation: 'read-committed' },
        )
      }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_each, index) => (index % 2 === 0 ? book(long, 30) : book(short, 30))),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
      const held = new HeldInventory(await reservedIn(open().read, where, 'home', { first: '2033-03-01', last: '2033-03-10' }))
      expect(held.mostIn('2033-03-05')).toBe(90)
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
