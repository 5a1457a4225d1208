import { describe, expect, it } from 'vitest'
import { settle } from '../../src/domain/billing/settlement.ts'
import {
  insertInvoicePayment,
  listInvoicePayments,
  settlementFacts,
  takeBackInvoicePayment,
} from '../../src/store/billing/invoice-payments.ts'
import { type Invoice, insertInvoice, insertMonth } from '../../src/store/billing/invoices.ts'
import { countedRefunds, findRefund, insertRefund, listRefunds, takeBackStoredRefund } from '../../src/store/billing/refunds.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { sampleInvoice } from '../support/invoice-samples.ts'
import { NOW } from '../support/media-buy-fixtures.ts'

const tenantId = 'paid'
const doing = { now: NOW, by: 'ada' }

const invoice = (invoiceId: string, accountId: string, payableMicros: number): Invoice => ({
  ...{ invoiceId, accountId, payableMicros, month: '2026-03', currency: 'EUR', totalMicros: 1, account: {} },
  ...{ createdAt: '2026-04-01T00:00:00.000Z', dueOn: '2026-05-01' },
})

/** What every storage engine must do for payments of invoices. */
export function invoicePaymentsContract(open: () => Store): void {
  describe('payments of invoices', () => {
    const standing = async (accountId?: string) =>
      [...settle(await settlementFacts(open().read, tenantId, accountId), '2026-04-20')].map(([id, { state, openMicros }]) => [
        id,
        state,
        openMicros,
      ])

    it('settle their invoice; one that is taken back stays, and settles nothing', async () => {
      await open().transaction((tx) => addTenant(tx, { tenantId, name: 'Paid', domain: 'paid.example' }, NOW))
      expect(await settlementFacts(open().read, tenantId)).toEqual({ claims: [], payments: [], accountPayments: [], refunds: [] })
      const [first = '', second = ''] = await open().transaction(async (tx) => {
        await insertMonth(tx, tenantId, '2026-03', doing)
        for (const each of [invoice('1', 'a', 9e15), invoice('2', 'b', 50)])
          await insertInvoice(tx, tenantId, { invoice: each, lines: [], document: sampleInvoice() })
        const pay = (invoiceId: string, micros: number, reference?: string) =>
          insertInvoicePayment(tx, tenantId, { invoiceId, day: '2026-04-02', micros, reference }, doing)
        return [await pay('1', 9e15 - 1, 'bank 7'), await pay('2', 20)]
      })
      expect(await standing()).toEqual([
        ['1', 'part_paid', 1],
        ['2', 'part_paid', 30],
      ])
      expect(await standing('b')).toEqual([['2', 'part_paid', 30]])
      const takeBack = (paymentId: string) =>
        open().transaction((tx) => takeBackInvoicePayment(tx, tenantId, { paymentId, reason: 'wrong one' }, doing))
      expect([await takeBack(first), await takeBack(first), await takeBack('none')]).toEqual([true, false, false])
      expect(await standing()).toEqual([
        ['1', 'open', 9e15],
        ['2', 'part_paid', 30],
      ])
      const recorded = { recordedAt: NOW.toISOString(), recordedBy: 'ada' }
      expect(await listInvoicePayments(open().read, tenantId, '1')).toEqual([
        {
          ...{ paymentId: first, invoiceId: '1', day: '2026-04-02', micros: 9e15 - 1, reference: 'bank 7', ...recorded },
          takenBack: { at: NOW.toISOString(), by: 'ada', reason: 'wrong one' },
        },
      ])
      const kept = await listInvoicePayments(open().read, tenantId, '2')
      expect(kept).toMatchObject([{ paymentId: second, micros: 20, reference: undefined, takenBack: undefined }])
      const stray = { invoiceId: 'none', day: '2026-04-02', micros: 1, reference: undefined }
      await expect(open().transaction((tx) => insertInvoicePayment(tx, tenantId, stray, doing))).rejects.toThrow()
    })

    it('refunds are listed by page, the newest first; one that is taken back stays, and counts for nothing', async () => {
      const of = { accountId: 'direct:Tea, Ltd', currency: 'EUR', day: '2026-04-20', reference: 'bank 9' }
      const add = (micros: number, more: object = {}, now = NOW) =>
        open().transaction((tx) => insertRefund(tx, tenantId, { ...of, micros, ...more }, { now, by: 'ada' }))
      const first = await add(9e15, { reference: undefined })
      const second = await add(7, {}, new Date(NOW.getTime() + 1))
      const other = await add(5, { accountId: 'b' }, new Date(NOW.getTime() + 2))
      const ids = async (more: object) =>
        (await listRefunds(open().read, tenantId, { limit: 9, ...more })).map(({ refundId }) => refundId)
      expect(await ids({})).toEqual([other, second, first])
      expect(await ids({ limit: 1 })).toEqual([other])
      expect(await ids({ after: { recordedAt: new Date(NOW.getTime() + 2).toISOString(), refundId: other } })).toEqual([
        second,
        first,
      ])
      expect(await ids({ accountId: of.accountId })).toEqual([second, first])
      const takenBack = { at: NOW.toISOString(), by: 'ada', reason: 'wrong one' }
      const takeBack = (id: string) => open().transaction((tx) => takeBackStoredRefund(tx, tenantId, id, takenBack))
      expect([await takeBack(second), await takeBack(second), await takeBack('none')]).toEqual([true, false, false])
      expect(await findRefund(open().read, tenantId, second)).toEqual({
        ...{
          ...of,
          refundId: second,
          micros: 7,
          recordedAt: new Date(NOW.getTime() + 1).toISOString(),
          recordedBy: 'ada',
          takenBack,
        },
      })
      expect(await countedRefunds(open().read, tenantId, of.accountId)).toEqual([
        { accountId: of.accountId, currency: 'EUR', day: of.day, micros: 9e15 },
      ])
      expect((await settlementFacts(open().read, tenantId)).refunds.map(({ micros }) => micros).sort()).toEqual([5, 9e15])
    })
  })
}
