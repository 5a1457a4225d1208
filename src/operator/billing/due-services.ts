import { type BilledService, daysOfMonth, nextMonth, serviceKey, unbilled } from '../../domain/billing/billing-lines.ts'
import { localDay, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { latestReports } from '../../store/ad-serving/latest-reports.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { billedServices, closedMonths } from '../../store/billing/invoices.ts'
import { billedFrom } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readDelivery } from '../reports/read-delivery.ts'

/** What is to be billed of the delivery of some months: what is delivered now less what was billed. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
export async function dueServices(
  context: OperatorContext,
  tenantId: string,
  months: { readonly first: string; readonly last: string },
): Promise<readonly BilledService[]> {
  const delivered = await deliveredServices(context, tenantId, months)
  return unbilled(delivered, await billedServices(context.store.read, tenantId))
}

/** What is to be billed of months that are closed: corrections that are on no invoice yet, and what was credited to be billed anew. */
export async function pendingServices(context: OperatorContext, tenantId: string): Promise<readonly BilledService[]> {
  const closed = (await closedMonths(context.store.read, tenantId)).map(({ month }) => month)
  const [first, last] = [closed[0], closed.at(-1)]
  return first === undefined || last === undefined ? [] : dueServices(context, tenantId, { first, last })
}

/** Why services of closed months are billed now, by their keys, as the invoice says it. */
export async function adjustmentReasons(
  { store }: OperatorContext,
  tenantId: string,
  services: readonly BilledService[],
): Promise<ReadonlyMap<string, string>> {
  const db = store.read
  const closed = new Map((await closedMonths(db, tenantId)).map(({ month, closed_at: at }) => [month, at]))
  const ofClosed = services.filter(({ serviceMonth }) => closed.has(serviceMonth))
  const reasons = new Map<string, string>()
  const zone = await deliveryZone(db, tenantId)
  for (const [month, own] of groupBy(ofClosed, ({ serviceMonth }) => serviceMonth)) {
    const packages = own.map(({ packageId }) => packageId)
    const since = { after: closed.get(month) ?? '', ...periodOf(month, zone) }
    for (const { packageId, adServer, reportedAt } of await latestReports(db, tenantId, packages, since))
      reasons.set(
        serviceKey({ packageId, serviceMonth: month }),
        `reported by ${adServer} on ${localDay(new Date(reportedAt), zone)}`,
      )
  }
  const reopened = await reopenedServices(
    db,
    tenantId,
    ofClosed.map(({ packageId }) => packageId),
  )
  for (const [key, invoice] of reopened) reasons.set(key, `billed anew: invoice ${invoice} was credited`)
  return reasons
}

/** The hours of a month, as the ledger has their names. */
function periodOf(month: string, zone: string): { readonly from: string; readonly before: string } {
  const startOf = (each: string) => startOfLocalDay(daysOfMonth(each).first, zone).toISOString().slice(0, 13)
  return { from: startOf(month).slice(0, 10), before: startOf(nextMonth(month)) }
}

/** What was delivered by package and month, as it is known now; orders that cost nobody money are left out. */
async function deliveredServices(
  context: OperatorContext,
  tenantId: string,
  months: { readonly first: string; readonly last: string },
): Promise<readonly BilledService[]> {
  const by = ['account', 'order', 'package', 'product', 'month'] as const
  const days = { first: daysOfMonth(months.first).first, last: daysOfMonth(months.last).last }
  const [rows = []] = await readDelivery(context, { tenantId }, [{ by, ...days }])
  const firstMonths = await billedFrom(context.store.read, tenantId)
  return rows.flatMap(({ values, currency, metrics }) => {
    const [accountId = '', mediaBuyId = '', packageId = '', productId = '', serviceMonth = ''] = values
    // House ads have nobody who pays, and what was delivered before an order was in the ledger was billed elsewhere.
    if (accountId === '' || serviceMonth < (firstMonths.get(mediaBuyId) ?? '')) return []
    const { impressions, spendMicros: amountMicros } = metrics
    const service = { accountId, currency, mediaBuyId, packageId, productId, serviceMonth }
    return [{ ...service, impressions, amountMicros, counts: metrics }]
  })
}
