import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isRebuilding } from '../../store/ad-serving/rebuild-sums.ts'
import { billCharges } from '../../store/billing/charges.ts'
import { insertInvoice, insertMonth } from '../../store/billing/invoices.ts'
import { advanceBook, BookChanged, bookRevision } from '../../store/book-revision.ts'
import type { Db } from '../../store/database.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { changedMembers } from '../changed-members.ts'
import { clearable, text } from '../fields.ts'
import { ACCOUNTANTS } from '../roles.ts'
import { listOf, named, object, string } from '../shape.ts'
import { withReports } from './billed-reports.ts'
import { invoiceShape, presentInvoice } from './invoice-shapes.ts'
import { digestOf, MONTH, prepareMonth, requireOpen } from './prepare-month.ts'
import { previewMonth } from './preview-month.ts'
import { invoiceLines } from './show-invoices.ts'

/**
 * Closes a month of the publisher's time zone: one invoice for each account and currency with what was delivered in it, and with the corrections of earlier closed months
 * that were reported since, and the charges that were open at its end. A closed month never changes. Months are closed one after the other; the first one that is closed begins the billing.
 * Throws INVALID_REQUEST for what is no month, INVALID_STATE when it has not ended, is not the next one or is closed, also just now, CONFLICT when its invoices
 * differ from the preview or the books changed meanwhile, SERVICE_UNAVAILABLE when an ad server does not report.
 */
export const closeMonth = defineAct({
  name: 'billing.close',
  route: 'POST /billing/months/{month}/close',
  id: 'closeMonth',
  roles: ACCOUNTANTS,
  summary: 'Closes a month (YYYY-MM, in the time zone of the publisher) for good and writes its invoices.',
  fields: {
    month: MONTH,
    digest: clearable(
      text(
        '`digest` of the preview: the month is closed only if its invoices are still the same; empty: the preview had no invoices',
      ),
    ),
  },
  answer: named('ClosedMonth', object({ month: string, invoices: listOf(invoiceShape) })),
  command: {
    confirm: ({ month }, tenantId) =>
      `Closing ${month} of ${tenantId} is final: its invoices are written and cannot be changed. Go on?`,
    text: ({ month, invoices }) => [`${month} is closed`, '', ...invoiceLines(invoices)],
    dryRun: ({ month }) => ({ act: previewMonth, values: { month } }),
  },
  async run(context, { month, digest }) {
    const { store, tenantId, actor, clock, noteChanges } = context
    const seen = await bookRevision(store.read, tenantId)
    const prepared = await prepareMonth(context, tenantId, month)
    if (digest !== undefined && digest !== (await digestOf(prepared))) {
      // Who closed it meanwhile changed what it would hold.
      await requireOpen(context, tenantId, month)
      throw new AdcpError('CONFLICT', `what ${month} would hold has changed since it was previewed; preview it again`, {
        field: 'digest',
      })
    }
    const invoices = await withReports(context, tenantId, prepared)
    const written = invoices.map(({ invoice }) => presentInvoice(invoice))
    const write = async (tx: Db) => {
      const sums = written.map((each) => [each.invoice_id, `${amountText(each.payable, each.currency)} ${each.currency}`])
      noteChanges({ month: [null, 'closed'], ...changedMembers({}, Object.fromEntries(sums)) })
      await requireSums(tx, tenantId)
      await insertMonth(tx, tenantId, month, { now: clock(), by: actor.credential })
      await advanceBook(tx, tenantId, seen)
      for (const [index, each] of invoices.entries()) {
        await giveWay()
        context.progress?.(`writing invoice ${index + 1} of ${invoices.length}`)
        await insertInvoice(tx, tenantId, each)
        const charges = each.charges.map(({ chargeId }) => chargeId)
        await billCharges(tx, tenantId, each.invoice.invoiceId, charges)
      }
    }
    await store.transaction(write).catch(async (error: unknown) => {
      if (error instanceof BookChanged) await requireOpen(context, tenantId, month)
      throw error
    })
    return { month, invoices: written }
  },
})

/** Throws INVALID_STATE while days of delivery are being counted again: some days may still be in the time zone of before. */
async function requireSums(tx: Db, tenantId: string): Promise<void> {
  if (!(await isRebuilding(tx, tenantId))) return
  throw new AdcpError('INVALID_STATE', 'the days of delivery are being counted again; close the month in a minute')
}
