import type { DeliveryReport, DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { faultOfReported } from '../../domain/ad-serving/report-faults.ts'
import { type LocalCalendar, localCalendar } from '../../domain/calendar/local-time.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { adoptedSpendMicros } from '../../domain/order/adopted-line.ts'
import { type AdoptedLineRow, adoptedLinesAt, adoptedOrderOf } from '../../store/order/adopted-orders.ts'
import type { AdServerBackend, ReportRequest } from '../backend.ts'
import type { ImportParts } from './import-report.ts'
import type { RefusedRows } from './refused-rows.ts'

/**
 * A report of adopted orders (`orderExternalIds`: their keys, see `adoptedKey`), as `AdServerBackend.report` gives one of orders that were booked by this program. What a line costs follows from its
 * counts and the price that was adopted; rows with a fault are left out, and `refused` is told. Throws what the ad server throws, and an Error for an ad server that does not report orders of others, or that reports a line with a price by the day by
 * the hour: what its days cost would depend on the hours in which something was shown.
 */
export async function adoptedReport(
  { store, clock }: Pick<ImportParts, 'store' | 'clock'>,
  backend: AdServerBackend,
  { tenantId, orderExternalIds, since, after }: ReportRequest,
  refused: RefusedRows,
): Promise<DeliveryReport> {
  const { reportOrders } = backend
  if (!reportOrders) throw new Error(`${backend.name} does not report orders that people booked there`)
  const groups = groupsOf(await adoptedLinesAt(store.read, tenantId, orderExternalIds))
  const at = positionOf(after, groups)
  const group = groups.get(at.group)
  if (!group) return { rows: [] }
  const report = await reportOrders({
    ...{ orderIds: [...group.orderIds], since },
    ...(at.after !== undefined && { after: at.after }),
  })
  const priced = { now: clock(), calendarOf: keptCalendars() }
  const found = report.rows.flatMap(({ lineId, period, ...counts }): DeliveryRow[] => {
    const known = group.lines.get(lineId)
    if (!known) return []
    const { line, lineId: lineExternalId } = known
    const fault = faultOfReported(period, counts, priced.now)
    if (fault !== undefined) {
      refused.add(lineId, fault)
      return []
    }
    if (line.model === 'flat_rate' && period.length > 'YYYY-MM-DD'.length)
      throw new Error(
        `${backend.name} reports line ${lineId}, which has a price by the day, by the hour; it has to report its days`,
      )
    return [{ ...NOTHING, ...counts, lineExternalId, period, spendMicros: adoptedSpendMicros(line, counts, period, priced) }]
  })
  const next = report.next === undefined ? groupAfter(at.group, groups) : { group: at.group, after: report.next }
  return { rows: found, ...(next && { next: positionText(next) }) }
}

/** Calendars of time zones, each made once. */
function keptCalendars(): (timeZone: string) => LocalCalendar {
  const made = new Map<string, LocalCalendar>()
  return (timeZone) => {
    const calendar = made.get(timeZone) ?? localCalendar(timeZone)
    made.set(timeZone, calendar)
    return calendar
  }
}

/** Orders that are reported together: no two have a line of the same id, so that each row says which line it is of. */
interface Group {
  readonly orderIds: Set<string>
  /** By the ad server's own ids. */
  readonly lines: Map<string, AdoptedLineRow>
}

/** The part of a report that comes next: of which orders, and what the ad server said where it goes on. */
interface Position {
  readonly group: string
  readonly after?: string
}

/** Orders whose lines have ids of their own: all of most ad servers. Ids of orders are never empty. */
const TOGETHER = ''

/** Lines by the orders that are reported together, in the order of their reports; an order with an id of a line that another one has too is alone, by its id. */
function groupsOf(rows: readonly AdoptedLineRow[]): ReadonlyMap<string, Group> {
  const orderOf = new Map<string, string>()
  const alone = new Set<string>()
  for (const { order, line } of rows) {
    const other = orderOf.get(line.booked.id)
    if (other === undefined) orderOf.set(line.booked.id, order.order_id)
    else if (other !== order.order_id) alone.add(other).add(order.order_id)
  }
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const name = alone.has(row.order.order_id) ? row.order.order_id : TOGETHER
    const group = groups.get(name) ?? { orderIds: new Set(), lines: new Map() }
    groups.set(name, group)
    group.orderIds.add(adoptedOrderOf(row.order).id)
    group.lines.set(row.line.booked.id, row)
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function positionOf(after: string | undefined, groups: ReadonlyMap<string, Group>): Position {
  if (after === undefined) return { group: [...groups.keys()][0] ?? TOGETHER }
  const space = after.indexOf(' ')
  return space < 0
    ? { group: decodeURIComponent(after) }
    : { group: decodeURIComponent(after.slice(0, space)), after: after.slice(space + 1) }
}

/** As `positionOf` reads it. */
function positionText({ group, after }: Position): string {
  return after === undefined ? encodeURIComponent(group) : `${encodeURIComponent(group)} ${after}`
}

function groupAfter(group: string, groups: ReadonlyMap<string, Group>): Position | undefined {
  const next = [...groups.keys()].find((name) => name > group)
  return next === undefined ? undefined : { group: next }
}
