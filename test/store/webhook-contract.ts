import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BREAKER_THRESHOLD } from '../../src/domain/webhook/retry.ts'
import type { Store } from '../../src/store/database.ts'
import {
  enqueue,
  findDelivery,
  listDeliveries,
  listDeliveriesOfOrder,
  redeliver,
  sweepOutbox,
} from '../../src/store/webhook/outbox.ts'
import { ENDPOINTS_OF_A_LOOK, type LeasedDelivery, leaseDue } from '../../src/store/webhook/outbox-leases.ts'
import { findOverdrawn, giveBack, giveUpOldest, giveUpStale, settle } from '../../src/store/webhook/outbox-results.ts'
import {
  dueEvents,
  reschedule,
  schedule,
  scheduleStatusCheck,
  takeOverEvent,
  unschedule,
} from '../../src/store/webhook/scheduled-events.ts'
import { insertAttempt, listAttempts, sweepAttempts } from '../../src/store/webhook/webhook-attempts.ts'
import {
  findEndpoint,
  followMediaBuy,
  insertEndpoint,
  sweepEndpoints,
  type WebhookEndpoint,
} from '../../src/store/webhook/webhook-endpoints.ts'
import { insertCopies } from '../support/grow/insert-copies.ts'

const start = new Date('2026-03-01T12:00:00Z')
const at = (ms: number) => new Date(start.getTime() + ms)
const HORIZON = { horizonMs: 86_400_000, chance: 0.5 }
const DAY = 86_400_000

/** What every storage engine must do with webhooks. */
export function webhookContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: webhook contract`, () => {
    let store: Store
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    /** An endpoint on a host of its own, so that tests do not meet. */
    const endpoint = async (host = `${randomUUID()}.example`, tenantId = 'acme'): Promise<WebhookEndpoint> => {
      const made: WebhookEndpoint = {
        tenantId,
        principalId: 'buyer',
        endpointId: `whe_${randomUUID()}`,
        kind: 'push',
        taskId: `task_${randomUUID()}`,
        taskType: 'create_media_buy',
        mediaBuyId: undefined,
        url: `https://${host}/hook`,
        query: undefined,
        loopback: false,
        scheme: undefined,
        credentials: undefined,
        token: undefined,
        settings: {},
      }
      await store.transaction((tx) => insertEndpoint(tx, made, start))
      return made
    }
    const put = (to: WebhookEndpoint, message: string, stream?: string, time = start) =>
      store.transaction((tx) =>
        enqueue(tx, to, { taskId: to.taskId, taskType: to.taskType, status: 'completed', message, at: time }, time, stream),
      )
    /** Leases what is due for these endpoints; of others nothing. */
    const lease = async (now: Date, ...own: WebhookEndpoint[]) => {
      const hosts = own.map(({ url }) => new URL(url).origin)
      const room = (key: string) => (hosts.some((host) => key.endsWith(` ${host}`)) ? 100 : 0)
      const request = { now, leaseMs: 30_000, room, full: [], roomOfBuyer: () => 100, fullBuyers: [], limit: 100 }
      return (await leaseDue(store, { ...request, from: '' })).leased
    }
    const end = (delivery: LeasedDelivery, status: number, now: Date) =>
      store.transaction((tx) => settle(tx, delivery, { status }, { now, ...HORIZON }))
    const messageOf = ({ body }: { body: string }): string => JSON.parse(body).message

    it('gives each webhook to one of several processes, in the order of its stream', async () => {
      const to = await endpoint()
      for (let i = 0; i < 40; i++) await put(to, `${i}`, `stream ${i % 8}`)
      const seen: number[] = []
      const process = async () => {
        for (let empty = 0; empty < 3; ) {
          const leased = await lease(start, to)
          empty = leased.length === 0 ? empty + 1 : 0
          for (const one of leased) {
            seen.push(Number(messageOf(one)))
            await end(one, 200, start)
          }
        }
      }
      await Promise.all([process(), process(), process()])
      while (seen.length < 40) await process()
      expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i))
      for (let stream = 0; stream < 8; stream++) {
        const own = seen.filter((message) => message % 8 === stream)
        expect(own).toEqual([...own].sort((a, b) => a - b))
      }
    })

    it('numbers what is written to one stream at the same moment', async () => {
      const to = await endpoint()
      await put(to, 'first')
      await Promise.all(Array.from({ length: 5 }, (_, i) => put(to, `${i}`)))
      const rows = await store.read
        .selectFrom('webhook_outbox')
        .select('position')
        .where('endpoint_id', '=', to.endpointId)
        .orderBy('position')
        .execute()
      expect(rows.map((row) => Number(row.position))).toEqual([1, 2, 3, 4, 5, 6])
    })

    it('takes a webhook from a process that died when its lease ends, and ignores that process afterwards', async () => {
      const to = await endpoint()
      const id = await put(to, 'a')
      const [dead] = await lease(start, to)
      expect(await lease(at(29_000), to)).toEqual([])
      const [heir] = await lease(at(30_001), to)
      expect(heir).toMatchObject({ deliveryId: id, attempt: 2, body: dead?.body, idempotencyKey: dead?.idempotencyKey })
      if (!dead || !heir) throw new Error('nothing was leased')
      expect(await end(dead, 200, at(30_002))).toBeUndefined()
      expect(await end(heir, 200, at(30_003))).toBe('delivered')
      expect(await findDelivery(store.read, 'acme', id)).toMatchObject({ state: 'delivered', attempts: 2, lastStatus: 200 })
    })

    it('lists those of one moment on one page after another, and those of an order', async () => {
      const tenantId = `t_${randomUUID()}`
      const to = await endpoint(undefined, tenantId)
      const mediaBuyId = `mb_${randomUUID()}`
      await store.transaction((tx) => followMediaBuy(tx, to, mediaBuyId))
      const ids = new Set<string>()
      for (let i = 0; i < 5; i++) ids.add(await put(to, `${i}`))
      const [first, second] = await listDeliveries(store.read, tenantId, { limit: 2 })
      if (!first || !second) throw new Error('nothing was listed')
      const after = { createdAt: second.createdAt, deliveryId: second.deliveryId }
      const rest = await listDeliveries(store.read, tenantId, { after, limit: 9 })
      const listed = [first, second, ...rest].map(({ deliveryId }) => deliveryId)
      expect(listed).toEqual([...ids].sort().reverse())
      const ofOrder = await listDeliveriesOfOrder(store.read, tenantId, mediaBuyId, 3)
      expect(ofOrder.map(({ deliveryId }) => deliveryId)).toEqual(listed.slice(0, 3))
      expect(await listDeliveriesOfOrder(store.read, 'other', mediaBuyId, 3)).toEqual([])
    })

    it('opens the breaker of an endpoint for everybody, lets one through after the pause, and all after its success', async () => {
      const host = `${randomUUID()}.example`
      const all = await Promise.all(Array.from({ length: 10 }, () => endpoint(host)))
      for (const [index, to] of all.entries()) await put(to, `${index}`)
      const first = await lease(start, ...all)
      expect(first).toHaveLength(10)
      for (const one of first.slice(0, BREAKER_THRESHOLD)) await end(one, 500, start)
      for (const one of first.slice(BREAKER_THRESHOLD)) await store.transaction((tx) => giveBack(tx, one, start))
      expect(await lease(at(100), ...all)).toEqual([])
      const probes = await Promise.all([lease(at(60_000), ...all), lease(at(60_000), ...all)])
      expect(probes.flat()).toHaveLength(1)
      for (const probe of probes.flat()) await end(probe, 200, at(60_001))
      expect(await lease(at(60_002), ...all)).toHaveLength(9)
    })

    it('gives up what waited for an endpoint that never came back', async () => {
      const host = `${randomUUID()}.example`
      const all = await Promise.all(Array.from({ length: 8 }, () => endpoint(host)))
      for (const to of all) await put(to, 'x')
      for (const one of await lease(start, ...all)) await end(one, 503, start)
      // A probe a while later keeps the breaker open beyond the horizon.
      const late = at(DAY + 60_000)
      for (const one of await lease(late, ...all)) await end(one, 503, late)
      const ended = await store.transaction((tx) => giveUpStale(tx, at(DAY + 60_001), DAY))
      expect(ended).toBeGreaterThanOrEqual(7)
      const listed = await listDeliveries(store.read, 'acme', { state: 'dead', limit: 100 })
      const [dead] = listed.filter(({ url }) => url.includes(host))
      expect(dead).toMatchObject({ state: 'dead', lastError: expect.stringContaining('unreachable') })
      expect(await store.transaction((tx) => redeliver(tx, 'acme', dead?.deliveryId ?? ''))).toBe(true)
    })

    it('sends what was given up and redelivered before what came after it', async () => {
      const to = await endpoint()
      const [first, second, third] = [await put(to, '1'), await put(to, '2'), await put(to, '3')]
      const [one] = await lease(start, to)
      if (!one) throw new Error('nothing was leased')
      expect(await end(one, 400, start)).toBe('dead')
      const [two] = await lease(start, to)
      if (!two) throw new Error('nothing was leased')
      expect(two.deliveryId).toBe(second)
      expect(await store.transaction((tx) => redeliver(tx, 'acme', first))).toBe(true)
      // It was leased before: until its lease ends, and then after the first.
      expect(await end(two, 503, start)).toBe('pending')
      const order: string[] = []
      for (let now = at(1000); order.length < 3; now = new Date(now.getTime() + 60_000)) {
        const [next, ...others] = await lease(now, to)
        expect(others).toEqual([])
        if (!next) throw new Error('nothing was leased')
        order.push(next.deliveryId)
        await end(next, 200, now)
      }
      expect(order).toEqual([first, second, third])
    })

    it('gives up the oldest of what waits for a buyer, and lets the next one of their orders go out', async () => {
      const to = await endpoint(undefined, `t_${randomUUID()}`)
      const owner = { tenantId: to.tenantId, principalId: to.principalId }
      const ids: string[] = []
      for (let n = 0; n < 40; n++) ids.push(await put(to, `${n}`, `stream ${n % 2}`, at(n)))
      expect(await findOverdrawn(store.read, 38)).toEqual({ ...owner, over: 2 })
      expect(await store.transaction((tx) => giveUpOldest(tx, owner, 3, at(10)))).toBe(3)
      expect(await findDelivery(store.read, to.tenantId, ids[2] ?? '')).toMatchObject({
        state: 'dead',
        lastError: expect.stringContaining('too many'),
      })
      expect((await lease(at(10), to)).map(({ deliveryId }) => deliveryId)).toEqual([ids[3], ids[4]])
    })

    it('finds what is due for more endpoints than one look goes through', async () => {
      // Behind all others, so that other looks find theirs first.
      const tenantId = `z_${randomUUID()}`
      const to = await endpoint(undefined, tenantId)
      await put(to, 'x')
      const model = await store.read.selectFrom('webhook_outbox').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
      if (!model) throw new Error('nothing was written')
      const numbers = Array.from({ length: ENDPOINTS_OF_A_LOOK }, (_none, n) => 10_000 + n)
      const own = (n: number) => `${tenantId} buyer https://${n}.example`
      const copies = numbers.map((n) => ({ delivery_id: `${tenantId}_${n}`, endpoint_key: own(n), ordering_key: own(n) }))
      await store.transaction((tx) =>
        insertCopies(tx, 'webhook_outbox', { ...model, next_attempt_at: at(1).toISOString() }, copies),
      )
      const request = { now: start, leaseMs: 30_000, full: [], roomOfBuyer: () => 9, fullBuyers: [], limit: 9 }
      const room = (key: string) =>
        key === own(10_000 + ENDPOINTS_OF_A_LOOK - 1) || key.endsWith(new URL(to.url).origin) ? 1 : 0
      const found: string[] = []
      let from = ''
      do {
        const look = await leaseDue(store, { ...request, now: at(1), room, from })
        found.push(...look.leased.map(({ deliveryId }) => deliveryId))
        from = look.next
      } while (from !== '')
      expect(found).toContain(`${tenantId}_${10_000 + ENDPOINTS_OF_A_LOOK - 1}`)
      expect(found).toHaveLength(2)
    })

    it('shows a tenant its own deliveries only', async () => {
      const to = await endpoint(undefined, 'tenant-two')
      const id = await put(to, 'secret')
      expect(await findDelivery(store.read, 'acme', id)).toBeUndefined()
      expect((await listDeliveries(store.read, 'tenant-two', { limit: 10 })).map(({ deliveryId }) => deliveryId)).toEqual([id])
      expect(await store.transaction((tx) => redeliver(tx, 'acme', id))).toBe(false)
    })

    it('drops what is old', async () => {
      const to = await endpoint()
      await put(to, 'old')
      for (const one of await lease(start, to)) await end(one, 204, start)
      const used = await endpoint()
      await put(used, 'waiting')
      expect(await store.transaction((tx) => sweepOutbox(tx, 'delivered', at(1), 500))).toBeGreaterThanOrEqual(1)
      for (let after: string | undefined = ''; after !== undefined; ) {
        const last: string = after
        after = await store.transaction((tx) => sweepEndpoints(tx, at(1), last))
      }
      expect(await findEndpoint(store.read, to.endpointId)).toBeUndefined()
      expect(await findEndpoint(store.read, used.endpointId)).toMatchObject({ url: used.url })
    })

    it('lets one of several processes tell a scheduled event, and repeats a look that a change overtook', async () => {
      const to = await endpoint()
      const id = `mb_${randomUUID()}`
      await store.transaction((tx) => schedule(tx, to, 'status', id, start, { status: 'pending_start' }))
      const own = async (now: Date) => (await dueEvents(store.read, now, 1000)).filter(({ subjectId }) => subjectId === id)
      const [event] = await own(start)
      if (!event) throw new Error('nothing is due')
      const told = await Promise.all(
        [1, 2].map(() => store.transaction((tx) => reschedule(tx, event, at(DAY), { status: 'active' }))),
      )
      expect(told.filter(Boolean)).toHaveLength(1)
      expect(await own(at(1))).toEqual([])
      const [later] = await own(at(DAY))
      await store.transaction((tx) => scheduleStatusCheck(tx, 'acme', [id], at(5)))
      if (!later) throw new Error('nothing is scheduled')
      expect(await store.transaction((tx) => unschedule(tx, later))).toBe(false)
      const [now] = await own(at(6))
      expect(now?.state).toEqual({ status: 'active' })
      if (now) expect(await store.transaction((tx) => unschedule(tx, now))).toBe(true)
    })

    it('gives the event of an endpoint that is replaced to its successor, with what was told, at once', async () => {
      const [before, after, stranger] = [await endpoint(), await endpoint(), await endpoint()]
      const id = `mb_${randomUUID()}`
      await store.transaction((tx) => schedule(tx, before, 'status', id, at(DAY), { status: 'active' }))
      const own = async (now: Date) => (await dueEvents(store.read, now, 1000)).filter(({ subjectId }) => subjectId === id)
      const [looked] = await own(at(DAY))
      const takeOver = (from: WebhookEndpoint) =>
        store.transaction((tx) => takeOverEvent(tx, [from.endpointId], after.endpointId, start))
      expect(await takeOver(stranger)).toBe(false)
      expect(await takeOver(before)).toBe(true)
      expect(await own(start)).toMatchObject([{ endpointId: after.endpointId, state: { status: 'active' } }])
      // A look that was under way tells the endpoint of before nothing.
      if (!looked) throw new Error('nothing was scheduled')
      expect(await store.transaction((tx) => reschedule(tx, looked, at(DAY), {}))).toBe(false)
    })

    it('keeps the newest 200 attempts of a subject, for 31 days, each buyer its own', async () => {
      const owner = { tenantId: 'acme', principalId: `buyer-${randomUUID()}` }
      const subject = { kind: 'media_buy', id: 'mb_1' } as const
      const record = (attempt: number) => ({
        idempotencyKey: 'whk_1',
        notificationType: 'final',
        subscriberId: undefined,
        sequenceNumber: 7,
        attempt,
        firedAt: at(attempt).toISOString(),
        completedAt: at(attempt).toISOString(),
        url: 'https://buyer.example/hook',
        result: { status: 503, timedOut: false, bytes: 12 },
      })
      for (let attempt = 1; attempt <= 203; attempt++) {
        await store.transaction((tx) => insertAttempt(tx, owner, subject, record(attempt)))
      }
      const listed = await listAttempts(store.read, owner, subject, { now: at(DAY), limit: 500 })
      expect(listed.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 200 }, (_, index) => 203 - index))
      expect(listed[0]).toEqual(record(203))
      expect(await listAttempts(store.read, { ...owner, principalId: 'other' }, subject, { now: at(0), limit: 5 })).toEqual([])
      await store.transaction((tx) => sweepAttempts(tx, at(31 * DAY)))
      expect(await listAttempts(store.read, owner, subject, { now: at(0), limit: 500 })).toHaveLength(200)
      await store.transaction((tx) => sweepAttempts(tx, at(32 * DAY)))
      expect(await listAttempts(store.read, owner, subject, { now: at(0), limit: 5 })).toEqual([])
    })
  })
}
