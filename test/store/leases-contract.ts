import { beforeAll, describe, expect, it } from 'vitest'
import type { NotificationDocument } from '../../src/domain/notification/notification.ts'
import { keepLease, leaseOrders, releaseOrder } from '../../src/store/ad-serving/ad-server-leases.ts'
import { requestAgain, requestOrders } from '../../src/store/ad-serving/ad-server-orders.ts'
import type { Store } from '../../src/store/database.ts'
import { changeRow, later, takeLeases, takeRow } from '../../src/store/leases.ts'
import {
  enqueueMessage,
  leaseMessages,
  listMessages,
  returnNotification,
  settleNotification,
} from '../../src/store/notification/notification-outbox.ts'
import { addSubscriber, endAttempt, leaseSubscriber, listSubscribers } from '../../src/store/registry/feed-subscribers.ts'
import {
  claimSchedule,
  findSchedule,
  putSchedule,
  type ReportSchedule,
  settleSchedule,
} from '../../src/store/saved-report/report-schedules.ts'
import { putSavedReport } from '../../src/store/saved-report/saved-reports.ts'
import { claimCheck, endCheck, listChecks } from '../../src/store/seller-check/seller-checks.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const at = (ms: number) => new Date(now.getTime() + ms)
const LEASE_MS = 60_000
const HORIZON = { horizonMs: 86_400_000, chance: 0.5 }
const PROCESSES = 8

/** What several processes get that do the same at the same time. */
const together = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: PROCESSES }, work))

/** What every storage engine must do for rows that several processes want. Needs tenant `acme`. */
export function leasesContract(open: () => Store): void {
  describe('leases', () => {
    const document: NotificationDocument = { items: [], more: 0, isDigest: false }
    const enqueue = (personId: string) =>
      open().transaction((tx) => enqueueMessage(tx, { tenantId: 'acme', personId, channel: 'mail' }, document, now))
    const messages = (ms: number) => leaseMessages(open(), { now: at(ms), leaseMs: LEASE_MS, limit: 50 })

    beforeAll(async () => {
      for (let i = 0; i < 20; i++) await enqueue(`person-${i}`)
    })

    it('gives each message to one of several processes, and counts its attempt', async () => {
      const taken = (await together(() => messages(0))).flat()
      expect(new Set(taken.map(({ deliveryId }) => deliveryId)).size).toBe(20)
      expect(taken.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 1))
      expect(new Set(taken.map(({ lease }) => lease)).size).toBe(20)
      expect(await messages(LEASE_MS - 1)).toEqual([])
    })

    it('takes over what a process left, and writes nothing more of that process', async () => {
      const heirs = await messages(LEASE_MS + 1)
      const [first, second, third] = heirs
      if (!first || !second || !third) throw new Error('nothing was taken over')
      expect(heirs).toHaveLength(20)
      const settle = (lease: string) =>
        open().transaction((tx) =>
          settleNotification(tx, { ...first, lease }, { status: 200 }, { now: at(LEASE_MS + 2), ...HORIZON }),
        )
      expect(await settle('the token of another')).toBeUndefined()
      expect(await settle(first.lease)).toBe('delivered')
      expect(await settle(first.lease)).toBeUndefined()
      await open().transaction((tx) => returnNotification(tx, { ...second, lease: 'the token of another' }, at(LEASE_MS + 3)))
      await open().transaction((tx) => returnNotification(tx, third, at(LEASE_MS + 3)))
      const again = await messages(LEASE_MS + 4)
      expect(again).toMatchObject([{ deliveryId: third.deliveryId, attempts: 2 }])
      const all = await listMessages(open().read, 'acme', { limit: 50 })
      expect(all.find(({ deliveryId }) => deliveryId === second.deliveryId)).toMatchObject({ attempts: 2, state: 'pending' })
    })

    it('gives a scheduled report to one process, and forgets what one sends whose schedule was changed', async () => {
      const schedule: ReportSchedule = {
        tenantId: 'acme',
        report: 'leased',
        every: 'daily',
        weekday: 'monday',
        monthDay: 1,
        hour: 8,
        covers: 'saved',
        personIds: [],
        setBy: 'ann',
        setAt: now.toISOString(),
        nextAt: now.toISOString(),
        attempts: 0,
        lastSentAt: undefined,
        failure: undefined,
      }
      await open().transaction(async (tx) => {
        await putSavedReport(tx, {
          tenant_id: 'acme',
          name: 'leased',
          document: '{}',
          saved_by: 'ann',
          saved_at: now.toISOString(),
        })
        await putSchedule(tx, schedule)
      })
      const claimed = (await together(() => claimSchedule(open(), now, LEASE_MS))).flatMap((one) => one ?? [])
      expect(claimed).toMatchObject([{ report: 'leased', attempts: 0 }])
      const [held] = claimed
      if (!held) throw new Error('nobody has it')
      const failed = { tryAt: at(5).toISOString(), error: 'no report', failedAt: now.toISOString() }
      const settle = (claim: string) => open().transaction((tx) => settleSchedule(tx, { ...held, claim }, failed))
      expect(await settle('the claim of another')).toBe(false)
      expect(await settle(held.claim)).toBe(true)
      expect(await settle(held.claim)).toBe(false)
      expect(await findSchedule(open().read, 'acme', 'leased')).toMatchObject({ attempts: 1, failure: { error: 'no report' } })
    })

    it('lets one process make the check of a period, and another take it over after the lease', async () => {
      const claim = (ms: number) => claimCheck(open(), '2026-05-01', at(ms), LEASE_MS)
      expect((await together(() => claim(0))).filter(Boolean)).toHaveLength(1)
      expect(await claim(LEASE_MS - 1)).toBe(false)
      expect((await together(() => claim(LEASE_MS))).filter(Boolean)).toHaveLength(1)
      const ended = { period: '2026-05-01', tenantId: 'acme', endedAt: at(LEASE_MS + 1).toISOString(), held: ['a'], broken: [] }
      const files = { report: 'r', signature: 's', publicKey: '{}', page: 'p' }
      await endCheck(open(), { ...ended, startedAt: at(0).toISOString() }, files, 10)
      expect(await listChecks(open().read)).toEqual([])
      await endCheck(open(), { ...ended, startedAt: at(LEASE_MS).toISOString() }, files, 10)
      expect(await listChecks(open().read)).toMatchObject([{ period: '2026-05-01', held: ['a'] }])
      expect(await claim(3 * LEASE_MS)).toBe(false)
    })

    it('lets one process send to a subscriber, and writes the result of the one that has the lease', async () => {
      const row = {
        ...{
          subscriber_id: 'leased',
          tenant_id: 'acme',
          url: 'https://hook.example/',
          query: null,
          types: null,
          position: 3,
          failures: 0,
        },
        ...{ next_attempt_at: now.toISOString(), last_status: null, last_error: null, added_at: now.toISOString() },
      }
      await open().transaction((tx) => addSubscriber(tx, row))
      const take = () => open().transaction((tx) => leaseSubscriber(tx, row, at(LEASE_MS)))
      expect((await together(take)).filter(Boolean)).toHaveLength(1)
      const end = (until: Date, position: number) => open().transaction((tx) => endAttempt(tx, row, until, { position }))
      const position = async () => (await listSubscribers(open().read, 'acme'))[0]?.position
      await end(at(1), 9)
      expect(await position()).toBe(3)
      await end(at(LEASE_MS), 9)
      expect(await position()).toBe(9)
    })

    it('does not write an order again that is asked for and nobody has begun with; each change after that asks anew', async () => {
      const owner = { tenantId: 'acme', principalId: 'buyer' }
      await open().transaction((tx) => requestOrders(tx, owner, 'mb_asked', ['gam'], now))
      const asked = () => open().transaction((tx) => requestAgain(tx, 'acme', ['mb_asked'], now))
      const requested = async () => {
        const query = open().read.selectFrom('ad_server_orders').select('requested').where('media_buy_id', '=', 'mb_asked')
        return (await query.executeTakeFirstOrThrow()).requested
      }
      await asked()
      await asked()
      expect(await requested()).toBe(1)
      const leased = await leaseOrders(open(), { now, leaseMs: LEASE_MS, limit: 1_000 })
      const held = leased.find(({ mediaBuyId }) => mediaBuyId === 'mb_asked')
      if (!held) throw new Error('it is not due')
      await asked()
      expect(await requested()).toBe(2)
      await open().transaction((tx) => releaseOrder(tx, held, at(LEASE_MS), { applied: held.requested }))
      const again = await leaseOrders(open(), { now: at(1), leaseMs: LEASE_MS, limit: 1_000 })
      expect(again.filter(({ mediaBuyId }) => mediaBuyId === 'mb_asked')).toMatchObject([{ requested: 2, applied: 1 }])
      for (const order of [...leased, ...again].filter(({ mediaBuyId }) => mediaBuyId !== 'mb_asked'))
        await open().transaction((tx) => releaseOrder(tx, order, now, {}))
    })

    it('gives an order of an ad server to one process, which keeps it until it gives it back', async () => {
      const owner = { tenantId: 'acme', principalId: 'buyer' }
      await open().transaction((tx) => requestOrders(tx, owner, 'mb_leased', ['gam'], now))
      const lease = (ms: number) => leaseOrders(open(), { now: at(ms), leaseMs: LEASE_MS, limit: 1_000 })
      const own = async (ms: number) => (await lease(ms)).filter(({ mediaBuyId }) => mediaBuyId === 'mb_leased')
      const [held, ...others] = (await together(() => own(0))).flat()
      if (!held) throw new Error('nobody has it')
      expect(others).toEqual([])
      const keep = (token: string) => open().transaction((tx) => keepLease(tx, { ...held, lease: token }, at(3 * LEASE_MS)))
      expect(await keep('the token of another')).toBe(false)
      expect(await keep(held.lease)).toBe(true)
      expect(await own(2 * LEASE_MS)).toEqual([])
      await open().transaction((tx) => releaseOrder(tx, held, at(2 * LEASE_MS), {}))
      expect(await own(2 * LEASE_MS)).toHaveLength(1)
    })

    it('changes a row only while every value is as it was read, null among them', async () => {
      const id = await enqueue('person-null')
      const change = (seen: object) =>
        open().transaction((tx) => changeRow(tx, 'notification_outbox', { delivery_id: id, ...seen }, { last_error: 'seen' }))
      expect(await change({ lease: 'a' })).toBe(false)
      expect(await change({ lease: null, attempts: 1 })).toBe(false)
      expect(await change({ lease: null, attempts: 0 })).toBe(true)
      const seen = { delivery_id: id, last_error: 'seen' }
      const take = () =>
        takeLeases(open(), [seen], (tx, row, lease) => takeRow(tx, 'notification_outbox', row, { lease, last_error: null }))
      const taken = (await together(take)).flat()
      expect(taken).toMatchObject([{ delivery_id: id, last_error: null }])
      expect(later(now, -1)).toBe('2026-05-01T07:59:59.999Z')
    })
  })
}
