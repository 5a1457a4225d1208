import type { DeliveryReport, DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { adoptedSpendMicros } from '../../domain/order/adopted-line.ts'
import { adoptedLineKey, adoptedLinesAt, adoptedOrderOf } from '../../store/order/adopted-orders.ts'
import type { AdServerBackend, ReportRequest } from '../backend.ts'
import type { ImportParts } from './import-report.ts'

/**
 * A report of adopted orders (`orderExternalIds`: their keys, see `adoptedKey`), as `AdServerBackend.report` gives one of orders that were booked by this program. What a line costs follows from its
 * counts and the price that was adopted. Throws what the ad server throws, and an Error for an ad server that does not report orders of others, or that reports a line with a price by the day by
 * the hour: what its days cost would depend on the hours in which something was shown.
 */
export async function adoptedReport(
  { store, clock }: Pick<ImportParts, 'store' | 'clock'>,
  backend: AdServerBackend,
  { tenantId, orderExternalIds, since, after }: ReportRequest,
): Promise<DeliveryReport> {
  const { reportOrders } = backend
  if (!reportOrders) throw new Error(`${backend.name} does not report orders that people booked there`)
  const rows = await adoptedLinesAt(store.read, tenantId, orderExternalIds)
  const orderIds = [...new Set(rows.map(({ order }) => adoptedOrderOf(order).id))]
  if (orderIds.length === 0) return { rows: [] }
  const lines = new Map(rows.map(({ lineId, line }) => [lineId, line]))
  const report = await reportOrders({ orderIds, since, ...(after !== undefined && { after }) })
  const now = clock()
  const found = report.rows.flatMap(({ lineId, period, ...counts }): DeliveryRow[] => {
    const lineExternalId = adoptedLineKey(rows[0]?.order.ad_server ?? '', lineId)
    const line = lines.get(lineExternalId)
    if (!line) return []
    if (line.model === 'flat_rate' && period.length > 'YYYY-MM-DD'.length)
      throw new Error(
        `${backend.name} reports line ${lineId}, which has a price by the day, by the hour; it has to report its days`,
      )
    return [{ ...NOTHING, ...counts, lineExternalId, period, spendMicros: adoptedSpendMicros(line, counts, period, now) }]
  })
  return { rows: found, ...(report.next !== undefined && { next: report.next }) }
}
