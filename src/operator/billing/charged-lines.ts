import { serviceKey } from '../../domain/billing/billing-lines.ts'
import { chargedOf } from '../../domain/billing/invoice-document.ts'
import type { DayMetrics } from '../../domain/media-buy/delivery.ts'
import type { DeliveredLine, LineCharge } from '../../domain/media-buy/make-good.ts'
import { NO_TERMS } from '../../domain/order/order-terms.ts'
import { daysOfPackages } from '../../store/ad-serving/delivery-sums.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import type { OperatorContext } from '../operator-context.ts'
import { percentsOf } from './billed-orders.ts'
import { billedTerms } from './billed-terms.ts'

/** What lines were charged for their delivery until now, by their ids in the ledger: a month that is invoiced at the discount and commission of its invoice, others at those that the order has. */
export async function chargedOfLines(
  context: OperatorContext,
  tenantId: string,
  lines: readonly DeliveredLine[],
): Promise<ReadonlyMap<string, LineCharge>> {
  const db = context.store.read
  const unread = lines.filter(({ days }) => days === undefined).map(({ lineId }) => lineId)
  if (unread.length > 0) await (await context.services.adServers()).importOnRead(tenantId)
  const ledger = await daysOfPackages(db, tenantId, unread)
  const services = lines.flatMap((line) => [...monthsOf(line, line.days ?? ledger.get(line.lineId) ?? [])])
  const [terms, billedAt] = await Promise.all([
    findOrderTerms(
      db,
      tenantId,
      lines.map(({ orderId }) => orderId),
    ),
    billedTerms(db, tenantId, services),
  ])
  const charged = new Map<string, LineCharge>()
  for (const service of services) {
    const { packageId, orderId, micros } = service
    const { grossMicros, netMicros } = charged.get(packageId) ?? { grossMicros: 0, netMicros: 0 }
    const net = chargedOf(micros, billedAt.get(serviceKey(service)) ?? percentsOf(terms.get(orderId) ?? NO_TERMS))
    charged.set(packageId, { grossMicros: grossMicros + micros, netMicros: netMicros + net })
  }
  return charged
}

/** What a line costs in each month. */
function monthsOf({ orderId, lineId: packageId }: DeliveredLine, days: readonly DayMetrics[]) {
  const sums = new Map<string, number>()
  for (const { day, spendMicros } of days) sums.set(day.slice(0, 7), (sums.get(day.slice(0, 7)) ?? 0) + spendMicros)
  return [...sums].map(([serviceMonth, micros]) => ({ orderId, packageId, serviceMonth, micros }))
}
