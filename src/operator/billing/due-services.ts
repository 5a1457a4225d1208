import { EMBEDDED } from '../../ad-serving/external-id.ts'
import { type BilledService, daysOfMonth, nextMonth, serviceKey, unbilled } from '../../domain/billing/billing-lines.ts'
import type { InvoiceReason } from '../../domain/billing/invoice-reason.ts'
import { localDay, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { latestReports } from '../../store/ad-serving/latest-reports.ts'
import { readSums, type SumRow } from '../../store/ad-serving/read-sums.ts'
import { reopenedServices } from '../../store/billing/credit-notes.ts'
import { billedServices } from '../../store/billing/invoice-services.ts'
import { closedMonths } from '../../store/billing/invoices.ts'
import { unbilledPackages } from '../../store/billing/unbilled-packages.ts'
import { chunksInTurns } from '../../store/chunks.ts'
import { billedFrom } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readLiveDelivery } from '../reports/read-delivery.ts'

/** Months of service, both included. */
interface Months {
  readonly first: string
  readonly last: string
}

/**
 * What is to be billed of the delivery of some months: what is delivered now less what was billed. The sums of each month are compared in the database; only packages that differ are read, so
 * that closed months cost one comparison each. Throws SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function dueServices(context: OperatorContext, tenantId: string, months: Months): Promise<readonly BilledService[]> {
  const db = context.store.read
  const { importOnRead } = await context.services.adServers()
  await importOnRead(tenantId)
  const chargeable = chargeableFrom(await billedFrom(db, tenantId))
  const live = await readLiveDelivery(context, { tenantId }, { by: BY, ...daysBetween(months) })
  const liveMonths = groupBy(live.flatMap(chargeable), ({ serviceMonth }) => serviceMonth)
  const due: BilledService[] = []
  for (let month = months.first; month <= months.last; month = nextMonth(month)) {
    context.progress?.(`comparing ${month} with what was billed, up to ${months.last}`)
    const asked = groupBy(liveMonths.get(month) ?? [], ({ packageId }) => packageId)
    const packages = new Set([...(await unbilledPackages(db, tenantId, month)), ...asked.keys()])
    for await (const ids of chunksInTurns([...packages])) {
      const sums = await readSums(db, tenantId, { by: BY, ...daysBetween({ first: month, last: month }), packages: ids })
      // What an ad server says of an order goes before sums that it has entered meanwhile.
      const settled = sums.flatMap(chargeable).filter(({ packageId }) => !asked.has(packageId))
      const delivered = [...ids.flatMap((id) => asked.get(id) ?? []), ...settled]
      for (const service of unbilled(delivered, await billedServices(db, tenantId, month, ids))) due.push(service)
    }
  }
  return due
}

/** What is to be billed of months that are closed: corrections that are on no invoice yet, and what was credited to be billed anew. */
export async function pendingServices(context: OperatorContext, tenantId: string): Promise<readonly BilledService[]> {
  const closed = (await closedMonths(context.store.read, tenantId)).map(({ month }) => month)
  const [first, last] = [closed[0], closed.at(-1)]
  return first === undefined || last === undefined ? [] : dueServices(context, tenantId, { first, last })
}

/** Why services of closed months are billed now, by their keys. */
export async function adjustmentReasons(
  { store }: OperatorContext,
  tenantId: string,
  services: readonly BilledService[],
): Promise<ReadonlyMap<string, InvoiceReason>> {
  const db = store.read
  const closed = new Map((await closedMonths(db, tenantId)).map(({ month, closed_at: at }) => [month, at]))
  const ofClosed = services.filter(({ serviceMonth }) => closed.has(serviceMonth))
  const reasons = new Map<string, InvoiceReason>()
  const zone = await deliveryZone(db, tenantId)
  for (const [month, own] of groupBy(ofClosed, ({ serviceMonth }) => serviceMonth)) {
    const packages = own.map(({ packageId }) => packageId)
    const since = { after: closed.get(month) ?? '', ...periodOf(month, zone) }
    for (const { packageId, adServer, reportedAt } of await latestReports(db, tenantId, packages, since))
      reasons.set(serviceKey({ packageId, serviceMonth: month }), {
        ...{ kind: 'reported', day: localDay(new Date(reportedAt), zone) },
        ...(adServer !== EMBEDDED && { adServer }),
      })
  }
  const reopened = await reopenedServices(
    db,
    tenantId,
    ofClosed.map(({ packageId }) => packageId),
  )
  for (const [key, invoice] of reopened) reasons.set(key, { kind: 'billed_anew', invoice })
  return reasons
}

/** The hours of a month, as the ledger has their names. */
function periodOf(month: string, zone: string): { readonly from: string; readonly before: string } {
  const startOf = (each: string) => startOfLocalDay(daysOfMonth(each).first, zone).toISOString().slice(0, 13)
  return { from: startOf(month).slice(0, 10), before: startOf(nextMonth(month)) }
}

/** What a service is told apart by. */
const BY = ['account', 'order', 'package', 'product', 'month'] as const

function daysBetween({ first, last }: Months): Months {
  return { first: daysOfMonth(first).first, last: daysOfMonth(last).last }
}

/** A sum by {@link BY} as a service, unless it costs nobody money or was billed elsewhere; `firstMonths`: the first month that is billed here, by order. */
function chargeableFrom(firstMonths: ReadonlyMap<string, string>) {
  return ({ values, currency, metrics }: SumRow): readonly BilledService[] => {
    const [accountId = '', mediaBuyId = '', packageId = '', productId = '', serviceMonth = ''] = values
    // House ads have nobody who pays, and what was delivered before an order was in the ledger was billed elsewhere.
    if (accountId === '' || serviceMonth < (firstMonths.get(mediaBuyId) ?? '')) return []
    const { impressions, spendMicros: amountMicros } = metrics
    const service = { accountId, currency, mediaBuyId, packageId, productId, serviceMonth }
    return [{ ...service, impressions, amountMicros, counts: metrics }]
  }
}
