import { chargedMicros, flatDayMicros } from '../../domain/ad-serving/charged.ts'
import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import { settingsOf } from '../../domain/ad-serving/desired-order-of.ts'
import type { LocalCalendar } from '../../domain/calendar/local-time.ts'
import { ledgerDays } from '../../store/ad-serving/ledger-times.ts'
import type { Db } from '../../store/database.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'

/** A report of lines whose cost is not taken from it. */
export interface PricedReport {
  readonly tenantId: string
  /** What the lines are booked at, by package. */
  readonly lines: ReadonlyMap<string, LineSettings>
  /** Its rows are totals of their lines. */
  readonly isTotal: boolean
  readonly now: Date
  /** That of the publisher, by whose days a flat price is earned. */
  readonly calendar: LocalCalendar
  /** Is told of a row that says another cost than what is charged. */
  readonly onDifference: (row: DeliveryRow, chargedMicros: number) => void
}

/** The lines of media buys as they are booked, by package. */
export async function bookedLines(
  db: Db,
  tenantId: string,
  mediaBuyIds: readonly string[],
): Promise<ReadonlyMap<string, LineSettings>> {
  const orders = await findTenantOrders(db, tenantId, mediaBuyIds)
  return new Map(orders.flatMap(({ buy }) => buy.packages.map((pkg) => [pkg.packageId, settingsOf(pkg)] as const)))
}

/**
 * Rows of an ad server that this project did not write, with what they cost: the counts at the booked price. Where counts do not say it (actions, rating points, and a flat price
 * that is not reported by whole days of the line), the row's own `spendMicros`, and no more of a line than its flat price or its budget.
 */
export async function pricedRows(db: Db, report: PricedReport, rows: readonly DeliveryRow[]): Promise<readonly DeliveryRow[]> {
  const { lines, onDifference } = report
  const due = rows.map((row) => ({ row, line: lines.get(row.lineExternalId) }))
  const own = due.filter(({ row, line }) => line && computedMicros(line, row, report) === undefined).map(({ row }) => row)
  const left = await leftOfLines(db, report, own)
  return due.map(({ row, line }) => {
    if (!line) return row
    const { lineExternalId: id, spendMicros: said } = row
    const computed = computedMicros(line, row, report)
    const rest = left.get(id) ?? 0
    const spendMicros = computed ?? Math.min(said, rest)
    if (computed === undefined) left.set(id, rest - spendMicros)
    // A micro is how a module rounds.
    if (said > 0 && Math.abs(said - spendMicros) > 1) onDifference(row, spendMicros)
    return { ...row, spendMicros }
  })
}

function computedMicros(line: LineSettings, row: DeliveryRow, { isTotal, ...priced }: PricedReport): number | undefined {
  if (line.price.model !== 'flat_rate') return chargedMicros(line.price, row)
  const isDayOfLine = !isTotal && row.creativeExternalId === undefined && row.period.length === 'YYYY-MM-DD'.length
  if (!isDayOfLine) return undefined
  return row.impressions > 0 ? flatDayMicros(line, row.period, priced) : 0
}

/** What lines may cost beside what the ledger has of other days than those of the rows, in micros. */
async function leftOfLines(
  db: Db,
  { tenantId, lines, isTotal }: PricedReport,
  rows: readonly DeliveryRow[],
): Promise<Map<string, number>> {
  const reported = new Set(rows.map(({ lineExternalId, period }) => `${lineExternalId} ${period.slice(0, 10)}`))
  const ids = [...new Set(rows.map(({ lineExternalId }) => lineExternalId))]
  const booked = isTotal || ids.length === 0 ? new Map() : await ledgerDays(db, tenantId, ids)
  return new Map(
    ids.map((id) => {
      const line = lines.get(id)
      const most = line?.price.model === 'flat_rate' ? line.price.rateMicros : (line?.budgetMicros ?? 0)
      let before = 0
      for (const { day, spendMicros } of booked.get(id) ?? []) if (!reported.has(`${id} ${day}`)) before += spendMicros
      return [id, Math.max(0, most - before)]
    }),
  )
}
