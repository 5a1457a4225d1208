import { lineIdInOrder } from '../domain/billing/line-id.ts'
import { type Metrics, sumDays } from '../domain/media-buy/delivery.ts'
import { type Progress, progressOf } from '../domain/media-buy/progress.ts'
import { partOfAdopted, statusOfAdopted, wholeOf } from '../domain/order/adopted-line.ts'
import { daysOfPackages } from '../store/ad-serving/delivery-sums.ts'
import type { Db } from '../store/database.ts'
import { type AdoptedLineRow, listAdoptedLines, type WantedLines } from '../store/order/adopted-orders.ts'

/** A line of an adopted order with what the ledger has of it. */
export interface CountedAdoptedLine extends AdoptedLineRow {
  readonly counted: Metrics
  /** As its order has it: the id at the ad server. */
  readonly id: string
}

/** Lines of adopted orders with what the ledger has of them, by the end of their order. */
export async function countedAdoptedLines(db: Db, tenantId: string, wanted: WantedLines): Promise<readonly CountedAdoptedLine[]> {
  const rows = await listAdoptedLines(db, tenantId, wanted)
  const days = await daysOfPackages(
    db,
    tenantId,
    rows.map(({ lineId }) => lineId),
  )
  return rows.map((row) => ({
    ...row,
    id: lineIdInOrder(row.order.order_id, row.lineId),
    counted: sumDays(days.get(row.lineId) ?? []).total,
  }))
}

/** The progress of an adopted line. */
export function progressOfAdoptedLine({ line, counted }: CountedAdoptedLine, now: Date): Progress {
  const part = partOfAdopted(line, counted)
  return progressOf(line.booked, part ? [part] : [], statusOfAdopted(line.booked, now), now)
}

/** The progress of an adopted order, from its lines. */
export function progressOfAdoptedOrder(lines: readonly CountedAdoptedLine[], now: Date): Progress {
  const whole = wholeOf(lines.map(({ line }) => line))
  const parts = lines.flatMap(({ line, counted }) => partOfAdopted(line, counted) ?? [])
  return progressOf(whole, parts, statusOfAdopted(whole, now), now)
}
