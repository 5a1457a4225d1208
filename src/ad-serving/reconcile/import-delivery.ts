import { groupBy } from '../../domain/group-by.ts'
import { type AdServerOrderRef, dueReports, moveReport } from '../../store/ad-serving/ad-server-reports.ts'
import { endOfFlight } from '../../store/ad-serving/reported-lines.ts'
import { type ImportParts, importReport } from './import-report.ts'
import type { ReconcilerLog } from './reconciler.ts'

interface ScheduleParts extends ImportParts {
  readonly log: ReconcilerLog
}

interface ImportTiming {
  readonly reportMs: number
  readonly retryMs: number
  readonly callMs: number
}

/** Most orders of one run. */
const BATCH = 100
/** Most ad servers that are asked for their reports at the same time. */
const AT_ONCE = 8

const DAY_MS = 86_400_000
/** Ad servers correct their figures for some days (invalid traffic), those that say no number for these; what changes later is imported by hand (`adservers report --since`). */
const CORRECTION_DAYS = 8
/** And for so long after the end of a flight, reports are asked for. */
const AFTER_FLIGHT_MS = 30 * DAY_MS

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

/** Imports a report of orders of one ad server that are due. */
async function importDue(parts: ScheduleParts, timing: ImportTiming, orders: readonly AdServerOrderRef[]): Promise<void> {
  const { clock, log } = parts
  const now = clock()
  const mine = await claim(parts, orders, new Date(now.getTime() + intervalOf(parts, orders, timing)))
  const [first] = mine
  if (!first) return
  const { tenantId, adServer } = first
  const since = new Date(now.getTime() - correctedDaysOf(parts, first) * DAY_MS).toISOString().slice(0, 10)
  const mediaBuyIds = mine.map(({ mediaBuyId }) => mediaBuyId)
  try {
    const rows = await importReport(parts, { tenantId, adServer, mediaBuyIds, since, callMs: timing.callMs })
    if (rows > 0) log.info({ tenant: tenantId, adServer, rows }, 'delivery was imported')
  } catch (error) {
    log.warn({ tenant: tenantId, adServer, err: error }, 'delivery could not be imported; trying again later')
  }
}

function correctedDaysOf({ backends }: ImportParts, { tenantId, adServer }: AdServerOrderRef): number {
  return backends(tenantId).get(adServer)?.backend.capabilities.reports.correctedDays ?? CORRECTION_DAYS
}

/** Milliseconds until the next report of orders that lie in one ad server. */
function intervalOf({ backends }: ImportParts, [order]: readonly AdServerOrderRef[], { reportMs }: ImportTiming): number {
  const used = order && backends(order.tenantId).get(order.adServer)
  return used?.backend.capabilities.reports.everyMs ?? reportMs
}

/** Takes the reports that no other process took, and plans the next ones. */
async function claim({ store, clock }: ImportParts, orders: readonly AdServerOrderRef[], next: Date) {
  const ends = await endOfFlight(store.read, orders)
  return store.transaction(async (tx) => {
    const mine: AdServerOrderRef[] = []
    for (const order of orders) {
      const end = ends.get(order.mediaBuyId)
      const isLast = end === undefined || Date.parse(end) + AFTER_FLIGHT_MS < clock().getTime()
      if (await moveReport(tx, order, isLast ? undefined : next)) mine.push(order)
    }
    return mine
  })
}
