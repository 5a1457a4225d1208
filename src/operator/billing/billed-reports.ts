import type { InvoiceReport } from '../../domain/billing/invoice-document.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { PreparedInvoice } from './prepare-month.ts'
import { countedReports } from './read-reconciliation.ts'

/** The invoices with the reports of their deliveries by name, as they are published now: those of the days (UTC) of each month of service that are about an order of the invoice. */
export async function withReports(
  context: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  invoices: readonly PreparedInvoice[],
): Promise<readonly PreparedInvoice[]> {
  const named: PreparedInvoice[] = []
  for (const each of invoices) {
    const reports = isParty(each.invoice.accountId) ? [] : await reportsOf(context, tenantId, each)
    named.push(reports.length === 0 ? each : { ...each, document: { ...each.document, reports } })
  }
  return named
}

async function reportsOf(
  context: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  { invoice: { accountId }, lines }: PreparedInvoice,
): Promise<readonly InvoiceReport[]> {
  const orders = new Set(lines.map(({ mediaBuyId }) => mediaBuyId))
  const reports: InvoiceReport[] = []
  for (const month of new Set(lines.map(({ serviceMonth }) => serviceMonth)))
    for (const { revision, adjustments } of await countedReports(context, { tenantId, accountId, month }))
      if (revision.media_buy_ids.some((id) => orders.has(id)))
        reports.push({
          ...{ day: revision.period.start.slice(0, 10), revisionId: revision.reporting_revision_id },
          digest: revision.revision_content_sha256,
          corrections: adjustments.map(({ reporting_adjustment_id: id }) => id),
        })
  return reports.sort((a, b) => (a.day < b.day ? -1 : 1))
}
