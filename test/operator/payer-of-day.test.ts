import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { rebuildDelivery } from '../../src/operator/reports/rebuild-delivery.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { migrate } from '../../src/store/database.ts'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
const [ADVERTISER, NORD, SYD] = ['direct:Nordic Coffee', 'agency:Media Nord AB', 'agency:Media Syd AB']
const PRICE = 10

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-06-01T00:00:00Z', impressions: 1_000_000 }
  const line = { line_id: 'line', product_id: 'news', ...flight, cpm: PRICE, creatives }
  const order = { order_id: 'spring', name: 'Spring', advertiser: 'Nordic Coffee', currency: 'USD', lines: [line] }
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
})
afterAll(() => agent.stop())

/** The ad server says that a day has so many thousand impressions. */
const deliver = (day: string, thousands: number) =>
  agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      {
        lineExternalId: anchorOfLine('spring', 'line'),
        period: day,
        ...{ ...NOTHING, impressions: thousands * 1000, clicks: thousands, spendMicros: thousands * PRICE * 1e6 },
      },
    ]),
  )
const billTo = (agency: string) =>
  performAs(operator, agent.tenant, setOrderTerms, { order: 'spring', billed_to: 'agency', agency_name: agency })
async function close(month: string, at: string): Promise<readonly (readonly [string, number])[]> {
  now = new Date(at)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
  return invoices.map(({ account, total }) => [account, total])
}
/** Revenue of a month by who pays: as the totals have it, as the days have it, and after the sums are made again. */
async function revenue(month: string): Promise<Record<string, number>> {
  const range = { first: `${month}-01`, last: `${month}-28` }
  const read = async (by: readonly ('account' | 'order')[]) => {
    const { rows } = await performAs(operator, agent.tenant, deliveryReport, { by, ...range })
    return Object.fromEntries(rows.map(({ dimensions, spent }) => [dimensions.account, spent]))
  }
  const totals = await read(['account'])
  expect(await read(['account', 'order'])).toEqual(totals)
  await performAs(operator, agent.tenant, rebuildDelivery, {})
  expect(await read(['account'])).toEqual(totals)
  expect((await inspectStore(agent.server.store.read)).problems).toEqual([])
  return totals
}

it('a day that is invoiced is revenue of who was billed, an open one of who pays now', async () => {
  await deliver('2026-03-10', 3)
  expect(await close('2026-03', '2026-04-03T12:00:00.000Z')).toEqual([[ADVERTISER, 30]])
  await deliver('2026-04-02', 5)
  await billTo('Media Nord AB')
  expect(await revenue('2026-03')).toEqual({ [ADVERTISER]: 30 })
  expect(await revenue('2026-04')).toEqual({ [NORD]: 50 })
})

it('a correction of an invoiced month is of who was billed, in the report as on the invoice', async () => {
  await deliver('2026-03-10', 2)
  expect(await revenue('2026-03')).toEqual({ [ADVERTISER]: 20 })
  expect(await close('2026-04', '2026-05-03T12:00:00.000Z')).toEqual([
    [NORD, 50],
    [ADVERTISER, -10],
  ])
  await billTo('Media Syd AB')
  expect(await revenue('2026-03')).toEqual({ [ADVERTISER]: 20 })
  expect(await revenue('2026-04')).toEqual({ [NORD]: 50 })
})

it('what is credited as a whole is revenue of who is billed anew', async () => {
  await performAs(operator, agent.tenant, creditInvoice, { invoice: '2026-04-0001', what: 'all', reason: 'another pays' })
  expect(await revenue('2026-04')).toEqual({ [SYD]: 50 })
  expect(await close('2026-05', '2026-06-03T12:00:00.000Z')).toEqual([[SYD, 50]])
  await billTo('Media Nord AB')
  expect(await revenue('2026-04')).toEqual({ [SYD]: 50 })
  expect(await revenue('2026-03')).toEqual({ [ADVERTISER]: 20 })
})

it('a store from before has its invoiced days moved to who was billed', async () => {
  const { store } = agent.server
  const totals = () =>
    store.read
      .selectFrom('delivery_totals')
      .select(['day', 'value', 'impressions', 'clicks', 'spend_micros'])
      .where('dimension', '=', 'account')
      .where('impressions', '<>', 0)
      .orderBy('day')
      .execute()
  const right = await totals()
  expect(right.map(({ value }) => value)).toEqual([ADVERTISER, SYD])
  await store.transaction((tx) =>
    sql`update delivery_totals set value = ${NORD} where dimension = 'account' and impressions <> 0`.execute(tx),
  )
  await store.transaction(async (tx) => {
    await sql`delete from kysely_migration where name = '1950-payers-of-billed-days'`.execute(tx)
    await migrate(tx)
  })
  expect(await totals()).toEqual(right)
})
