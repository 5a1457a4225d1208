import { DAY_MS } from '../../domain/calendar/instant.ts'
import { groupBy } from '../../domain/group-by.ts'
import {
  type AdServerOrderRef,
  dueReports,
  endReports,
  moveReport,
  noteReported,
} from '../../store/ad-serving/ad-server-reports.ts'
import { flightsOfBuys } from '../../store/ad-serving/reported-lines.ts'
import { type ImportParts, importReport } from './import-report.ts'
import type { ReconcilerLog } from './reconciler.ts'

export interface ScheduleParts extends ImportParts {
  readonly log: ReconcilerLog
}

export interface ImportTiming {
  readonly reportMs: number
  readonly retryMs: number
  readonly callMs: number
}

/** Most orders of one run. */
const BATCH = 100
/** Most ad servers that are asked for their reports at the same time. */
const AT_ONCE = 8

/** Ad servers correct their figures for some days (invalid traffic), those that say no number for these; what changes later is imported by hand (`adservers report --since`). */
const CORRECTION_DAYS = 8
/** And for so long after the end of a flight, reports are asked for. */
export const AFTER_FLIGHT_MS = 30 * DAY_MS
/** A last report that fails is asked for again for so long, then no more: the ad server is gone for good. */
const LAST_REPORT_MS = 30 * DAY_MS

/** Imports the delivery reports that are due into the ledger, of several ad servers at once: one that does not answer holds up no other. True when there may be more. */
export async function importDelivery(parts: ScheduleParts, timing: ImportTiming): Promise<boolean> {
  const due = await dueReports(parts.store.read, parts.clock(), BATCH)
  const queue = [...groupBy(due, ({ tenantId, adServer }) => JSON.stringify([tenantId, adServer])).values()]
  const work = async () => {
    for (let orders = queue.shift(); orders; orders = queue.shift()) await importDue(parts, timing, orders)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return due.length === BATCH
}

/** An order whose report this process has taken. */
interface ClaimedOrder extends AdServerOrderRef {
  /** The first UTC day that is asked for. */
  readonly since: string
  /** Whether no further report is needed once this one was taken. */
  readonly isLast: boolean
}

/** Imports a report of orders of one ad server that are due. */
async function importDue(parts: ScheduleParts, timing: ImportTiming, orders: readonly AdServerOrderRef[]): Promise<void> {
  const { store, clock, log } = parts
  const now = clock()
  const mine = await claim(parts, orders, new Date(now.getTime() + intervalOf(parts, orders, timing)))
  const [first] = mine
  // Without its ad server nothing is reported: what was missed is asked for once it is configured again.
  if (!first || !parts.backends(first.tenantId).has(first.adServer)) return
  const { tenantId, adServer } = first
  const since = mine.reduce((least, order) => (order.since < least ? order.since : least), first.since)
  const mediaBuyIds = mine.map(({ mediaBuyId }) => mediaBuyId)
  try {
    const { added: rows } = await importReport(parts, { tenantId, adServer, mediaBuyIds, since, callMs: timing.callMs })
    if (rows > 0) log.info({ tenant: tenantId, adServer, rows }, 'delivery was imported')
  } catch (error) {
    log.warn({ tenant: tenantId, adServer, err: error }, 'delivery could not be imported; trying again later')
    return
  }
  await store.transaction(async (tx) => {
    for (const order of mine) {
      await noteReported(tx, order, now)
      if (order.isLast) await endReports(tx, order)
    }
  })
}

/** Days before the last report that the next one asks for again. */
function correctedDaysOf({ backends }: ImportParts, { tenantId, adServer }: AdServerOrderRef): number {
  return backends(tenantId).get(adServer)?.backend.capabilities.reports.correctedDays ?? CORRECTION_DAYS
}

/** Milliseconds until the next report of orders that lie in one ad server. */
function intervalOf({ backends }: ImportParts, [order]: readonly AdServerOrderRef[], { reportMs }: ImportTiming): number {
  const used = order && backends(order.tenantId).get(order.adServer)
  return used?.backend.capabilities.reports.everyMs ?? reportMs
}

/**
 * Takes the reports that no other process took, and plans the next ones: also after the last, in case it fails. A report goes back to the last one that was taken, so that an ad server
 * that was away for long loses nothing.
 */
async function claim(parts: ImportParts, orders: readonly AdServerOrderRef[], next: Date): Promise<ClaimedOrder[]> {
  const { store, clock } = parts
  const now = clock().getTime()
  const flights = await flightsOfBuys(store.read, orders)
  return store.transaction(async (tx) => {
    const mine: ClaimedOrder[] = []
    for (const order of orders) {
      const flight = flights.get(order.mediaBuyId)
      const lastAt = flight && Date.parse(flight.endsAt) + AFTER_FLIGHT_MS
      const isOver = lastAt === undefined || lastAt + LAST_REPORT_MS < now
      if (!(await moveReport(tx, order, isOver ? undefined : next))) continue
      const reported = Date.parse(order.reportedAt ?? flight?.startsAt ?? '')
      const from = Math.min(now, Number.isNaN(reported) ? now : reported) - correctedDaysOf(parts, order) * DAY_MS
      const since = new Date(from).toISOString().slice(0, 10)
      mine.push({ ...order, reportAt: next.toISOString(), since, isLast: !isOver && lastAt < now })
    }
    return mine
  })
}
