import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCheckedBackend } from '../../src/ad-serving/checked-backend.ts'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { adoptOrder, previewAdoption, showAdoptedOrder } from '../../src/operator/adopted-orders/adopt-order.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { acting, operatorBeside, performAs } from '../support/operator.ts'
import { countsThere, lineThere, type OrdersThere, ordersThere } from '../support/orders-there.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let there: OrdersThere
const clock = () => new Date('2026-03-05T12:00:00.000Z')

beforeAll(async () => {
  there = ordersThere()
  const { backend } = createMemoryAdServer(there.calls)
  agent = await startMediaBuyAgent([productDocument('news')], {
    clock,
    // As the ad server of a module.
    backend: { backend: createCheckedBackend('memory', backend, () => false), drift: 'leave' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const beside = operatorBeside(agent, clock)
  operator = { ...beside, services: { ...beside.services, adServers: async () => agent.server.services.adServers } }
})
afterAll(() => agent?.stop())

const ask = (id: string) => ({ name: 'memory', there: id })
const adopt = (id: string) => performAs(operator, agent.tenant, adoptOrder, ask(id))
const book = (id: string, ...lines: readonly object[]) =>
  there.orders.set(id, {
    id,
    name: `Order ${id}`,
    advertiser: 'Volta AB',
    lines: lines.map((line) => ({ ...lineThere('line-1'), ...line })),
  })
const listed = async () =>
  (await performAs(operator, agent.tenant, listOrders, { origin: ['adopted'] })).items.map((each) => each.media_buy_id)

it('keeps lines apart that an ad server numbers by order', async () => {
  book('zz1', { name: 'First' })
  book('zz2', { name: 'Second', rateMicros: 1_000_000 })
  there.counts.push(countsThere('line-1', '2026-03-02', 1_000))
  await adopt('zz1')
  const second = await adopt('zz2')
  expect(second.order.lines).toMatchObject([{ line_id: 'line-1', name: 'Second', rate: 1 }])
  const first = await performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-zz1' })
  expect(first.lines).toMatchObject([{ line_id: 'line-1', name: 'First', rate: 87.37 }])
  expect((await adopt('zz2')).is_new).toBe(false)
  there.counts.push(countsThere('line-1', '2026-03-03', 3_000))
  const imported = await importReports(acting(operator, agent.tenant), { tenantId: agent.tenant, since: '2026-03-01' })
  expect(imported).toEqual([{ ad_server: 'memory', orders: 2, rows: 2, reason: null }])
  const charged = async (order: string) => (await performAs(operator, agent.tenant, showAdoptedOrder, { order })).charged
  expect([await charged('memory-zz1'), await charged('memory-zz2')]).toEqual([4 * 87.37, 4])
  expect((await listed()).sort()).toEqual(['memory-zz1', 'memory-zz2'])
})

it.each([
  ['endsAt', { endsAt: 'never' }, 'line line-1: endsAt is "never"'],
  ['endsAt, a day that is none', { endsAt: '2026-02-30T00:00:00Z' }, 'line line-1: endsAt is'],
  ['endsAt, too late', { endsAt: '9999-01-01T00:00:00Z' }, 'from 1970 to 2100'],
  ['startsAt, too early', { startsAt: '1901-01-01T00:00:00Z' }, 'line line-1: startsAt is'],
  ['startsAt, no text', { startsAt: 5 }, 'line line-1: startsAt is "a number"'],
  ['currency', { currency: 'euro' }, 'line line-1: currency is "euro"'],
  ['a price in parts of a micro', { rateMicros: 1.5 }, 'line line-1: rateMicros is 1.5'],
  ['a price below nothing', { rateMicros: -1 }, 'line line-1: rateMicros is -1'],
  ['a price as text', { rateMicros: '12' }, 'line line-1: rateMicros is NaN'],
  ['a price too large', { rateMicros: 2 ** 53 }, 'line line-1: rateMicros is'],
  ['a goal in parts', { goal: { unit: 'IMPRESSIONS', units: 1.5 } }, 'line line-1: goal.units is 1.5'],
  ['an id that is none', { id: 7 }, 'line 1 of 1: id is empty'],
  ['an id with NUL', { id: 'a\u0000' }, 'line 1 of 1: id holds a NUL'],
])('refuses a line by name and member, and stores nothing: %s', async (_what, line, words) => {
  book('bad', line)
  const before = await listed()
  for (const act of [previewAdoption, adoptOrder])
    await expect(performAs(operator, agent.tenant, act, ask('bad'))).rejects.toMatchObject({
      code: 'INVALID_STATE',
      field: 'there',
      message: expect.stringContaining(words),
    })
  expect(await listed()).toEqual(before)
})

it('refuses two lines of one id', async () => {
  book('twins', {}, {})
  await expect(adopt('twins')).rejects.toMatchObject({ message: expect.stringContaining('line 2 of 2: id is "line-1"') })
})

it('leaves out a line without a price, and cleans names', async () => {
  book('mixed', { name: 'a\u202eb\u0000 c\n d' }, { id: 'line-2', rateMicros: undefined })
  const { order, left_out: leftOut } = await adopt('mixed')
  expect(order.lines.map(({ name }) => name)).toEqual(['ab c d'])
  expect(leftOut).toMatchObject([{ line_id: 'line-2', reason: expect.stringContaining('no price') }])
})

it('shows an order with what is wrong of it that an earlier version stored, and mends it when it is adopted again', async () => {
  book('old', {}, { id: 'line-2', name: 'Second' })
  await adopt('old')
  const { store } = agent.server
  const rows = () => store.read.selectFrom('order_lines').selectAll().where('order_id', '=', 'memory-old')
  for (const { line_id: id, document } of await rows().execute()) {
    const { booked, ...line } = JSON.parse(document)
    const bad =
      booked.id === 'line-1' ? { ...line, booked: { ...booked, endsAt: 'never' } } : { ...line, rateMicros: 1.5, booked }
    await store.transaction(async (tx) => {
      const stored = JSON.stringify(bad)
      await tx.updateTable('order_lines').set({ document: stored }).where('line_id', '=', id).execute()
      await tx.updateTable('orders').set({ ends_at: 'never' }).where('order_id', '=', 'memory-old').execute()
    })
  }
  there.counts.push({ ...countsThere('line-1', '2026-03-02', 1_000) }, { ...countsThere('line-2', '2026-03-02', 1_000) })
  expect(await listed()).toContain('memory-old')
  const show = () => performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-old' })
  expect((await show()).lines).toMatchObject([
    { fault: expect.stringMatching(/^its endsAt cannot be read .* adopt the order again$/), status: 'completed', rate: 87.37 },
    { fault: expect.stringMatching(/^its price cannot be read/), rate: 0, charged: 0 },
  ])
  const again = await adopt('old')
  expect(again.order.lines).toMatchObject([
    { fault: null, rate: 87.37 },
    { fault: null, rate: 87.37 },
  ])
  expect((await performAs(operator, agent.tenant, listOrders, { origin: ['adopted'] })).items).toContainEqual(
    expect.objectContaining({ media_buy_id: 'memory-old', ends_at: expect.stringMatching(/Z$/) }),
  )
})
