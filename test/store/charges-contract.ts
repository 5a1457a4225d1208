import { describe, expect, it } from 'vitest'
import type { NewCharge } from '../../src/domain/media-buy/charge.ts'
import { billCharges, findCharge, insertCharge, listCharges, takeBackCharge } from '../../src/store/billing/charges.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { putOrder } from '../../src/store/order/orders.ts'
import { NOW } from '../support/media-buy-fixtures.ts'

const tenantId = 'charged'
const doing = { now: NOW, by: 'ada' }

const charge = (chargeId: string, micros = 5_000_000): NewCharge => ({
  ...{ chargeId, kind: 'entered', orderId: `order_${chargeId}`, lineId: '', productId: '', currency: 'EUR', micros },
  ...{ reason: 'agreed', incurredAt: `2026-03-0${chargeId}T00:00:00.000Z`, madeBy: 'ada' },
})

const ORDER = {
  ...{
    order_id: 'credited',
    origin: 'entered' as const,
    ad_server: 'embedded',
    name: 'Credited',
    advertiser: 'A',
    currency: 'EUR',
  },
  ...{ starts_at: '2026-03-01T00:00:00.000Z', ends_at: '2026-04-01T00:00:00.000Z', budget_micros: 0 },
  ...{ search: 'credited', document: '{}', report_at: NOW.toISOString() },
}

/** What every storage engine must do for charges. */
export function chargesContract(open: () => Store): void {
  describe('charges', () => {
    const ids = async (filter: Parameters<typeof listCharges>[2], page = {}) =>
      (await listCharges(open().read, tenantId, filter, page)).map(({ chargeId }) => chargeId)

    it('are kept once, listed from a position, and on one invoice', async () => {
      const { transaction } = open()
      await transaction(async (tx) => {
        await addTenant(tx, { tenantId, name: 'Charged', domain: 'charged.example' }, NOW)
        for (const each of [charge('3', 9e15), charge('1'), charge('2', -7), charge('1', 1)])
          await insertCharge(tx, tenantId, each)
      })
      expect(await findCharge(open().read, tenantId, '1')).toMatchObject({ micros: 5_000_000, state: 'open', accountId: '' })
      expect(await findCharge(open().read, 'other', '1')).toBeUndefined()
      expect((await listCharges(open().read, tenantId, {})).map(({ micros }) => micros)).toEqual([5_000_000, -7, 9e15])
      const after = { incurredAt: charge('1').incurredAt, chargeId: '1' }
      expect(await ids({}, { after, limit: 1 })).toEqual(['2'])
      expect(await ids({ from: charge('2').incurredAt, before: charge('3').incurredAt })).toEqual(['2'])
      await transaction((tx) => billCharges(tx, tenantId, 'i1', ['1', '2']))
      expect(await ids({ state: 'billed' })).toEqual(['1', '2'])
      const again = transaction((tx) => billCharges(tx, tenantId, 'i2', ['2', '3']))
      await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await ids({ state: 'open' })).toEqual(['3'])
    })

    it('are of whom the order is billed to; a credit that is given to somebody stays theirs', async () => {
      const billed = (party: string) =>
        open().transaction((tx) => putOrder(tx, tenantId, { ...ORDER, party, external_id: `direct:${ORDER.order_id}` }, [], NOW))
      const of = { orderId: ORDER.order_id }
      await billed('direct:A')
      await open().transaction(async (tx) => {
        await insertCharge(tx, tenantId, { ...charge('4'), ...of })
        await insertCharge(tx, tenantId, { ...charge('5', -5), ...of }, 'direct:A')
        await insertCharge(tx, tenantId, { ...charge('6', -6), ...of })
      })
      await billed('agency:B')
      const found = await listCharges(open().read, tenantId, { orderIds: [ORDER.order_id] })
      expect(found.map(({ accountId }) => accountId)).toEqual(['agency:B', 'direct:A', 'agency:B'])
      expect(await ids({ accountId: 'direct:A' })).toEqual(['5'])
    })

    it('are taken back once, and not from an invoice', async () => {
      const takeBack = (chargeId: string) =>
        open().transaction((tx) => takeBackCharge(tx, tenantId, { chargeId, reason: 'waived' }, doing))
      expect([await takeBack('1'), await takeBack('3'), await takeBack('3')]).toEqual([false, true, false])
      expect(await ids({ state: 'taken_back', orderIds: ['order_3'] })).toEqual(['3'])
      await expect(open().transaction((tx) => billCharges(tx, tenantId, 'i3', ['3']))).rejects.toMatchObject({ code: 'CONFLICT' })
    })
  })
}
