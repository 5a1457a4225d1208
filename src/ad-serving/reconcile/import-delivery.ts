import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import { type AdServerOrderRef, dueReports, moveReport } from '../../store/ad-serving/ad-server-reports.ts'
import { addDelivery, ledgerDays } from '../../store/ad-serving/delivery-ledger.ts'
import { endOfFlight, packagesOfBuys } from '../../store/ad-serving/reported-lines.ts'
import type { Db, Store } from '../../store/database.ts'
import type { ReconciledBackends } from '../reconciled-backends.ts'
import type { ReconcilerLog } from './reconciler.ts'
import { withTimeLimit } from './timed-backend.ts'

interface ImportParts {
  readonly store: Store
  readonly clock: () => Date
  readonly log: ReconcilerLog
  readonly backends: ReconciledBackends
}

interface ImportTiming {
  readonly reportMs: number
  readonly retryMs: number
  readonly callMs: number
}

/** Orders of one look, and parts of one report: a report that never ends is no report. */
const BATCH = 100
const MOST_PARTS = 1_000

const DAY_MS = 86_400_000
/** Ad servers correct their figures for some days (invalid traffic), those that say no number for these; what changes later is imported by hand (`adservers report --since`). */
const CORRECTION_DAYS = 8
/** And for so long after the end of a flight, reports are asked for. */
const AFTER_FLIGHT_MS = 30 * DAY_MS

/** Imports the delivery reports that are due into the ledger. True when there may be more. */
export async function importDelivery(parts: ImportParts, timing: ImportTiming): Promise<boolean> {
  const { store, clock, log } = parts
  const now = clock()
  const due = await dueReports(store.read, now, BATCH)
  for (const orders of groupBy(due, ({ tenantId, adServer }) => JSON.stringify([tenantId, adServer])).values()) {
    const mine = await claim(parts, orders, new Date(now.getTime() + intervalOf(parts, orders, timing)))
    const [first] = mine
    if (!first) continue
    const { tenantId, adServer } = first
    const since = new Date(now.getTime() - correctedDaysOf(parts, first) * DAY_MS).toISOString().slice(0, 10)
    const ids = mine.map(({ mediaBuyId }) => mediaBuyId)
    try {
      const rows = await importReport(parts, { tenantId, adServer, mediaBuyIds: ids, since, callMs: timing.callMs })
      if (rows > 0) log.info({ tenant: tenantId, adServer, rows }, 'delivery was imported')
    } catch (error) {
      log.warn({ tenant: tenantId, adServer, err: error }, 'delivery could not be imported; trying again later')
    }
  }
  return due.length === BATCH
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

/** What to import: reports of orders of one ad server, from a UTC day on. */
export interface ImportOrder {
  readonly tenantId: string
  readonly adServer: string
  /** At most 100. */
  readonly mediaBuyIds: readonly string[]
  /** `YYYY-MM-DD`. */
  readonly since: string
  readonly callMs: number
}

/** Imports one report into the ledger. Gives the number of rows that are new or corrected. Throws what the ad server throws. */
export async function importReport({ store, clock, backends }: ImportParts, order: ImportOrder): Promise<number> {
  const { tenantId, adServer, mediaBuyIds, since } = order
  const used = backends(tenantId).get(adServer)
  if (!used) return 0
  const backend = withTimeLimit(used.backend, order.callMs)
  const own = await packagesOfBuys(store.read, tenantId, mediaBuyIds)
  let added = 0
  let after: string | undefined
  for (let part = 0; part < MOST_PARTS; part++) {
    const request = { tenantId, orderExternalIds: mediaBuyIds, since, ...(after !== undefined && { after }) }
    const { rows, next } = await backend.report(request)
    const known = rows.filter((row) => own.has(row.lineExternalId) && isRow(row))
    const isTotal = used.backend.capabilities.reports.period === 'total'
    const valid = isTotal ? await newSinceBefore(store.read, tenantId, known) : known
    if (valid.length > 0) added += await store.transaction((tx) => addDelivery(tx, { tenantId, adServer, now: clock() }, valid))
    if (next === undefined) return added
    after = next
  }
  throw new Error(`the report of ${adServer} has more than ${MOST_PARTS} parts`)
}

/** Totals of lines as rows of their day: without what the ledger has of earlier days. */
async function newSinceBefore(db: Db, tenantId: string, totals: readonly DeliveryRow[]): Promise<readonly DeliveryRow[]> {
  const ids = totals.map(({ lineExternalId }) => lineExternalId)
  const days = await ledgerDays(db, tenantId, ids)
  return totals.map((row) => {
    const before = (days.get(row.lineExternalId) ?? []).filter(({ day }) => day !== row.period)
    const rest = METRICS.map((metric) => {
      const booked = before.reduce((sum, day) => sum + day[metric], 0)
      return [metric, Math.max(0, row[metric] - booked)] as const
    })
    return { ...row, ...Object.fromEntries(rest) }
  })
}

const METRICS = [
  'impressions',
  'spendMicros',
  'clicks',
  'views',
  'completedViews',
  'viewableImpressions',
  'conversions',
  'conversionValueMicros',
  'milliPoints',
] as const satisfies readonly (keyof Metrics)[]

/** Counts are whole and not negative, a period is an hour or a day. */
function isRow({ period, lineExternalId: _line, creativeExternalId: _creative, ...metrics }: DeliveryRow): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}(T\d{2})?$/.test(period) &&
    Object.values(metrics).every((count) => Number.isSafeInteger(count) && count >= 0)
  )
}
