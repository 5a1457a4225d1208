import { describe, expect, it } from 'vitest'
import { settle } from '../../src/domain/billing/settlement.ts'
import {
  insertInvoicePayment,
  listInvoicePayments,
  settlementFacts,
  takeBackInvoicePayment,
} from '../../src/store/billing/invoice-payments.ts'
import { type Invoice, insertInvoice, insertMonth } from '../../src/store/billing/invoices.ts'
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
      expect(await settlementFacts(open().read, tenantId)).toEqual({ claims: [], payments: [], accountPayments: [] })
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
  })
}
