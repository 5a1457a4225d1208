import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Metrics, NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { NO_TERMS } from '../../src/domain/order/order-terms.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { readSums, type SumDimension } from '../../src/store/ad-serving/read-sums.ts'
import { migrate, type Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { SUM_RULES } from '../../src/store/inspect/inspect-rules-sums.ts'
import type { AskedOrders } from '../../src/store/media-buy/asked-orders.ts'
import type { OrderPosition } from '../../src/store/media-buy/order-list.ts'
import { RENAMED } from '../../src/store/migrations/0945-embedded-tables.ts'
import { listEnteredOrders } from '../../src/store/order/entered-orders.ts'
import { saveOrderTerms } from '../../src/store/order/order-terms.ts'
import { findOrderRow, orderRowOf, putOrder } from '../../src/store/order/orders.ts'
import { NOW } from '../support/media-buy-fixtures.ts'

const tenantId = 'book'
const order = {
  order_id: 'spring',
  origin: 'entered' as const,
  ad_server: 'embedded',
  external_id: 'direct:spring',
  name: 'Spring',
  advertiser: 'Nordic Coffee',
  currency: 'SEK',
  party: 'direct:Nordic Coffee',
  starts_at: '2026-03-01T00:00:00.000Z',
  ends_at: '2026-04-01T00:00:00.000Z',
  budget_micros: 5_000_000,
  search: 'old old nordic coffee home',
  document: '{}',
  report_at: NOW.toISOString(),
}
const lines = [
  { line_id: 'direct:spring/a', product_id: 'home', document: '{}' },
  { line_id: 'direct:spring/b', product_id: 'video', document: '{}' },
]

/** What every storage engine must do for orders that people enter. */
export function ordersContract(open: () => Store): void {
  describe('orders that people enter', () => {
    const sums = async (by: readonly SumDimension[]) =>
      (await readSums(open().read, tenantId, { by, first: '2026-03-01', last: '2026-03-31' }))
        .filter(({ metrics }) => metrics.impressions !== 0)
        .map(({ values, currency, metrics }) => [...values, currency, metrics.impressions, metrics.spendMicros])
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    const broken = async () => {
      const rows = []
      for (const { broken } of SUM_RULES) rows.push(...(await broken.execute(open().read)).rows)
      return rows
    }
    const counted = (impressions: number, spendMicros: number): Metrics => ({ ...NOTHING, impressions, spendMicros })

    it('are in the daily sums as those of buyers are, and the totals follow a change', async () => {
      await open().transaction(async (tx) => {
        await addTenant(tx, { tenantId, name: 'Book', domain: 'book.example' }, NOW)
        await putOrder(tx, tenantId, order, lines, NOW)
        await addDelivery(tx, { tenantId, adServer: 'embedded', now: NOW }, [
          { ...counted(10, 1_001), lineExternalId: 'direct:spring/a', period: '2026-03-05T10' },
          { ...counted(5, 502), lineExternalId: 'direct:spring/b', period: '2026-03-06T10' },
        ])
      })
      expect(await sums(['order'])).toEqual([['spring', 'SEK', 15, 1_503]])
      expect(await sums(['order', 'buyer', 'account', 'package', 'product', 'month'])).toEqual([
        ['spring', '', 'direct:Nordic Coffee', 'direct:spring/a', 'home', '2026-03', 'SEK', 10, 1_001],
        ['spring', '', 'direct:Nordic Coffee', 'direct:spring/b', 'video', '2026-03', 'SEK', 5, 502],
      ])
      expect(await sums(['product'])).toEqual([
        ['home', 'SEK', 10, 1_001],
        ['video', 'SEK', 5, 502],
      ])
      const changed = { ...order, advertiser: 'Nordic Tea', party: 'direct:Nordic Tea' }
      await open().transaction((tx) => putOrder(tx, tenantId, changed, lines, NOW))
      expect(await sums(['advertiser'])).toEqual([['Nordic Tea', 'SEK', 15, 1_503]])
      expect(await sums(['account'])).toEqual([['direct:Nordic Tea', 'SEK', 15, 1_503]])
      expect(await sums(['buyer'])).toEqual([['', 'SEK', 15, 1_503]])
      expect(await broken()).toEqual([])
    })

    it('are listed by pages, in the same order on every engine, with numbers', async () => {
      const ids = ['Zinc', '_low', 'apple', 'b-1', 'b_1', 'B1']
      await open().transaction(async (tx) => {
        await addTenant(tx, { tenantId: 'listed', name: 'Listed', domain: 'listed.example' }, NOW)
        for (const id of ids)
          await putOrder(
            tx,
            'listed',
            { ...order, order_id: id, external_id: `direct:${id}`, search: `${id} pay_1`.toLowerCase() },
            [{ line_id: `direct:${id}/1`, product_id: id === 'apple' ? 'video' : 'home', document: '{}' }],
            NOW,
          )
      })
      const { read } = open()
      for (const sort of ['created_at', 'ends_at', 'budget_micros'] as const)
        for (const descending of [false, true]) {
          const paged: string[] = []
          for (let after: OrderPosition | undefined; ; ) {
            const rows = await listEnteredOrders(read, 'listed', {}, { sort, descending, after, limit: 2 }, ['entered'])
            paged.push(...rows.map(({ order_id: id }) => id))
            const last = rows.at(-1)
            if (!last) break
            after = { value: last[sort], mediaBuyId: last.order_id }
          }
          expect(paged).toEqual(descending ? ids.toSorted().toReversed() : ids.toSorted())
        }
      const found = async (filter: AskedOrders) => {
        const rows = await listEnteredOrders(
          read,
          'listed',
          filter,
          {
            sort: 'created_at',
            descending: false,
            after: undefined,
            limit: 9,
          },
          ['entered'],
        )
        return rows.map(({ order_id: id }) => id)
      }
      expect(await found({ product: 'video' })).toEqual(['apple'])
      expect(await found({ words: ['b_1', 'y_'] })).toEqual(['b_1'])
      expect(await found({ advertiser: 'Nordic Coffee', account: 'direct:Nordic Coffee' })).toHaveLength(ids.length)
      expect(await found({ buyer: 'agency' })).toEqual([])
      expect(await found({ from: order.ends_at })).toEqual([])
      expect(await found({ endsBefore: order.ends_at, until: order.ends_at })).toHaveLength(ids.length)
      expect(await found({ until: order.starts_at })).toEqual([])
      await open().transaction((tx) => saveOrderTerms(tx, 'listed', 'Zinc', { ...NO_TERMS, poNumber: 'PO-77' }, NOW))
      expect(await found({ words: ['po-77'] })).toEqual(['Zinc'])
      expect(await findOrderRow(read, 'listed', 'Zinc')).toMatchObject({ budget_micros: 5_000_000 })
    })

    it('of a store from before are carried over, and what was delivered in closed months is not billed', async () => {
      await open().transaction(async (tx) => {
        for (const table of ['orders', 'order_lines', 'order_terms']) await tx.schema.dropTable(table).execute()
        const undone = ['0810-orders', '0811-order-book', '0945-embedded-tables', '1400-flights-of-lines', '2660-orders-by-party']
        await sql`delete from kysely_migration where name in (${sql.join(undone)})`.execute(tx)
        const settings = {
          name: 'Old',
          advertiserId: 'Nordic Coffee',
          currency: 'SEK',
          budgetMicros: 5_000_000,
          startsAt: order.starts_at,
          endsAt: order.ends_at,
        }
        const row = { tenant_id: tenantId, state: 'active' as const, updated_at: NOW.toISOString() }
        const rates: readonly (readonly [string, number])[] = [
          ['old', 10_000_000],
          ['house', 0],
        ]
        for (const [id, rateMicros] of rates) {
          const document = JSON.stringify({ settings })
          await tx
            .insertInto('embedded_orders')
            .values({ ...row, order_id: `ho_${id}`, anchor: `direct:${id}`, document })
            .execute()
          const line = JSON.stringify({ settings: { productId: 'home', price: { model: 'cpm', rateMicros } } })
          const ids = { line_id: `hl_${id}`, order_id: `ho_${id}`, anchor: `direct:${id}/1` }
          await tx
            .insertInto('embedded_lines')
            .values({ ...row, ...ids, ends_at: order.ends_at, document: line })
            .execute()
        }
        const flight = { startsAt: order.starts_at, endsAt: order.ends_at }
        const byDay = {
          settings: { productId: 'home', ...flight, price: { model: 'flat_rate', rateMicros: 30 } },
          dayRateMicros: 10,
        }
        const daily = { line_id: 'hl_day', order_id: 'ho_old', anchor: 'direct:old/day', ends_at: order.ends_at }
        await tx
          .insertInto('embedded_lines')
          .values({ ...row, ...daily, document: JSON.stringify(byDay) })
          .execute()
        const months = ['2025-11', '2025-12'].map((month) => ({ tenant_id: tenantId, month, closed_at: '', closed_by: '' }))
        await tx.insertInto('billing_months').values(months).execute()
        for (const table of RENAMED) await tx.schema.alterTable(`embedded_${table}`).renameTo(`house_${table}`).execute()
      })
      expect(await open().transaction((tx) => migrate(tx))).toEqual([
        ...['0810-orders', '0811-order-book', '0945-embedded-tables', '1400-flights-of-lines', '2660-orders-by-party'],
      ])
      const flight = { startsAt: order.starts_at, endsAt: order.ends_at }
      const { read } = open()
      const orders = await read.selectFrom('orders').selectAll().where('tenant_id', '=', tenantId).orderBy('order_id').execute()
      expect(orders.map(orderRowOf)).toEqual([
        expect.objectContaining({ order_id: 'house', party: '', billed_from: '2026-01', report_at: '' }),
        {
          ...order,
          ...{ tenant_id: tenantId, order_id: 'old', external_id: 'direct:old', name: 'Old' },
          ...{ billed_from: '2026-01', created_at: NOW.toISOString(), report_at: '', imports: 0 },
        },
      ])
      const carried = await read
        .selectFrom('order_lines')
        .select(['line_id', 'order_id', 'product_id', 'document'])
        .where('tenant_id', '=', tenantId)
        .orderBy('order_id')
        .orderBy('line_id')
        .execute()
      expect(carried).toEqual([
        { line_id: 'direct:house/1', order_id: 'house', product_id: 'home', document: '{"model":"cpm","rateMicros":0}' },
        { line_id: 'direct:old/1', order_id: 'old', product_id: 'home', document: '{"model":"cpm","rateMicros":10000000}' },
        {
          ...{ line_id: 'direct:old/day', order_id: 'old', product_id: 'home' },
          document: JSON.stringify({ model: 'flat_rate', rateMicros: 30, flight, dayRateMicros: 10 }),
        },
      ])
      await open().transaction(async (tx) => {
        for (const table of ['billing_months', 'embedded_lines', 'embedded_orders'] as const)
          await tx.deleteFrom(table).where('tenant_id', '=', tenantId).execute()
        await tx.deleteFrom('delivery_ledger').where('tenant_id', '=', tenantId).execute()
      })
    })
  })
}
