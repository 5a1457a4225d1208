import type { InvoiceReport } from '../../domain/billing/invoice-document.ts'
import { reportedDays } from '../../domain/billing/reported-days.ts'
import { type LocalCalendar, localCalendar } from '../../domain/calendar/local-time.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { PreparedInvoice } from './prepare-month.ts'
import { countedReports } from './read-reconciliation.ts'

/** The invoices with the reports of their deliveries by name, as they are published now: those of the days (UTC) that overlap a month of service in the publisher's time zone, which are about an order of the invoice. */
export async function withReports(
  context: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  invoices: readonly PreparedInvoice[],
): Promise<readonly PreparedInvoice[]> {
  const calendar = localCalendar(await deliveryZone(context.store.read, tenantId))
  const named: PreparedInvoice[] = []
  for (const each of invoices) {
    const reports = isParty(each.invoice.accountId) ? [] : await reportsOf(context, tenantId, each, calendar)
    named.push(reports.length === 0 ? each : { ...each, document: { ...each.document, reports } })
  }
  return named
}

async function reportsOf(
  context: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  { invoice: { accountId }, lines }: PreparedInvoice,
  calendar: LocalCalendar,
): Promise<readonly InvoiceReport[]> {
  const orders = new Set(lines.map(({ mediaBuyId }) => mediaBuyId))
  const reports = new Map<string, InvoiceReport>()
  for (const month of new Set(lines.map(({ serviceMonth }) => serviceMonth))) {
    const days = reportedDays(month, calendar)
    for (const { revision, adjustments } of await countedReports(context, { tenantId, accountId, days })) {
      const { reporting_revision_id: revisionId, revision_content_sha256: digest, media_buy_ids: about, period } = revision
      // Two months of service of one invoice may share a day.
      if (reports.has(revisionId) || !about.some((id) => orders.has(id))) continue
      const day = period.start.slice(0, 10)
      const sharedWith = days.shared.find((each) => each.day === day)?.month
      const corrections = adjustments.map(({ reporting_adjustment_id: id }) => id)
      reports.set(revisionId, { day, revisionId, digest, corrections, ...(sharedWith !== undefined && { sharedWith }) })
    }
  }
  return [...reports.values()].sort((a, b) => (a.day < b.day ? -1 : 1))
}
