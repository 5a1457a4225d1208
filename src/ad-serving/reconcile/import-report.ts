import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { faultOfReported } from '../../domain/ad-serving/report-faults.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import { eachInTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { countImport, importsOf } from '../../store/ad-serving/delivery-imports.ts'
import { addRevisions, newFigures } from '../../store/ad-serving/delivery-ledger.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { ledgerDays } from '../../store/ad-serving/ledger-times.ts'
import { linesOfOrders } from '../../store/ad-serving/reported-lines.ts'
import { supplyDelivered } from '../../store/creative/supply-delivered.ts'
import type { Db, Store } from '../../store/database.ts'
import type { ReconciledBackend, ReconciledBackends } from '../reconciled-backends.ts'
import { adoptedReport } from './adopted-report.ts'
import { correctFees } from './correct-fees.ts'
import { bookedLines, type PricedReport, pricedRows } from './module-charges.ts'
import type { ReconcilerLog } from './reconciler.ts'
import { RefusedRows } from './refused-rows.ts'
import { withTimeLimit } from './timed-backend.ts'

export interface ImportParts {
  readonly store: Store
  readonly clock: () => Date
  readonly backends: ReconciledBackends
  /** Is told of costs that a module says and that its booked prices do not give. */
  readonly log?: ReconcilerLog | undefined
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
  /** `mediaBuyIds` are keys of adopted orders (`adoptedKey`). */
  readonly areAdopted?: boolean
}

/** Parts of one report: one that never ends is no report. */
const MOST_PARTS = 1_000
/** How often an import begins again because another one has added newer figures meanwhile. */
const ATTEMPTS = 5

/** What an import came to. */
export interface ImportedReport {
  /** Rows that are new or corrected. */
  readonly added: number
  /** Why rows of the report do not count; undefined: all do. */
  readonly refused?: string | undefined
}

/**
 * Imports one report into the ledger. Rows that cannot be what was delivered do not count, which the log says once of each ad server. Several imports of the same orders may run at once, in several processes too:
 * one that read its report before another one wrote is read again, so that no older figure comes after a newer one. Throws what the ad server throws.
 */
export async function importReport(parts: ImportParts, order: ImportOrder): Promise<ImportedReport> {
  let added = 0
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const refused = new RefusedRows()
    const done = await importOnce(parts, order, refused)
    added += done.added
    if (done.isOvertaken) continue
    await correctFees(parts.store, order.tenantId, done.lines, parts.clock())
    const { reason } = refused
    if (reason !== undefined) sayOnce(parts, order, reason)
    return { added, refused: reason }
  }
  throw new Error(`other imports of ${order.adServer} went on adding delivery of the same orders; try again`)
}

interface Imported {
  readonly added: number
  /** The lines that were asked for. */
  readonly lines: readonly string[]
  /** Another import has added to the same orders meanwhile. */
  readonly isOvertaken: boolean
}

/** Ad servers whose log has said that rows of theirs do not count. */
const refusedOf = new WeakSet<ReconciledBackend>()

function sayOnce({ backends, log }: ImportParts, { tenantId, adServer }: ImportOrder, reason: string): void {
  const used = backends(tenantId).get(adServer)
  if (!log || !used || refusedOf.has(used)) return
  refusedOf.add(used)
  log.warn({ tenant: tenantId, adServer, reason }, 'rows of a report do not count; this is said once')
}

async function importOnce(parts: ImportParts, order: ImportOrder, refused: RefusedRows): Promise<Imported> {
  const { store, clock, backends } = parts
  const { tenantId, adServer, mediaBuyIds, since } = order
  const used = backends(tenantId).get(adServer)
  if (!used) return { added: 0, lines: [], isOvertaken: false }
  const backend = withTimeLimit(used.backend, order.callMs)
  const buyOf = await linesOfOrders(store.read, tenantId, mediaBuyIds)
  const lines = [...buyOf.keys()]
  const before = new Map(await importsOf(store.read, order))
  const isTotal = backend.capabilities.reports.period === 'total'
  const timeZone = await deliveryZone(store.read, tenantId)
  const priced = used.isModule && order.areAdopted !== true ? await pricedReport(parts, order, used, timeZone) : undefined
  let added = 0
  let after: string | undefined
  for (let part = 0; part < MOST_PARTS; part++) {
    const request = { tenantId, orderExternalIds: mediaBuyIds, since, timeZone, ...(after !== undefined && { after }) }
    const { rows, next } = await (order.areAdopted === true
      ? adoptedReport({ store, clock }, backend, request, refused)
      : backend.report(request))
    const known = await soundRows(rows, buyOf, { now: clock(), refused })
    const charged = priced ? await pricedRows(store.read, priced, known) : known
    await yieldToEventLoop()
    const valid = isTotal ? await newSinceBefore(store.read, tenantId, charged) : charged
    // Compared before the transaction: most of a report is in the ledger already.
    const { figures, doubled } = await newFigures(store.read, tenantId, valid)
    for (const { lineExternalId, period } of doubled) refused.add(lineExternalId, doubledWords(period))
    const news = figures.map(({ row }) => row)
    await yieldToEventLoop()
    const write = { report: { tenantId, adServer, now: clock() }, rows: news, buyOf, before }
    const done = news.length > 0 ? await addPart(store, write) : { added: 0, buys: [] }
    if (!done) return { added, lines, isOvertaken: true }
    added += done.added
    for (const buy of done.buys) before.set(buy, (before.get(buy) ?? 0) + 1)
    if (next === undefined) return { added, lines, isOvertaken: false }
    after = next
  }
  throw new Error(`the report of ${adServer} has more than ${MOST_PARTS} parts`)
}

/** The rows of a report that can count, of lines that are known. */
async function soundRows(
  rows: readonly DeliveryRow[],
  buyOf: ReadonlyMap<string, string>,
  { now, refused }: { readonly now: Date; readonly refused: RefusedRows },
): Promise<readonly DeliveryRow[]> {
  const sound: DeliveryRow[] = []
  await eachInTurns(rows, (row) => {
    const { period, lineExternalId, creativeExternalId: _creative, ...counts } = row
    if (!buyOf.has(lineExternalId)) return
    const fault = faultOfReported(period, counts, now)
    if (fault === undefined) sound.push(row)
    else refused.add(lineExternalId, fault)
  })
  return sound
}

function doubledWords(period: string): string {
  return period.length > 'YYYY-MM-DD'.length
    ? `${period} is an hour of a day that counts as a whole`
    : `${period} is a day whose hours count`
}

/** Modules whose log has said that they count costs in another way. */
const told = new WeakSet<ReconciledBackend>()

/** How the rows of a module are charged. */
async function pricedReport(
  { store, clock, log }: ImportParts,
  { tenantId, adServer, mediaBuyIds }: ImportOrder,
  used: ReconciledBackend,
  timeZone: string,
): Promise<PricedReport> {
  const lines = await bookedLines(store.read, tenantId, mediaBuyIds)
  const isTotal = used.backend.capabilities.reports.period === 'total'
  const onDifference: PricedReport['onDifference'] = ({ lineExternalId: line, period, spendMicros }, chargedMicros) => {
    if (!log || told.has(used)) return
    told.add(used)
    const facts = { tenant: tenantId, adServer, line, period, spendMicros, chargedMicros }
    log.warn(
      facts,
      'the ad server reports another cost than its counts have at the booked price, which is charged; this is said once',
    )
  }
  return { tenantId, lines, isTotal, now: clock(), calendar: localCalendar(timeZone), onDifference }
}

interface ReportPart {
  readonly report: { readonly tenantId: string; readonly adServer: string; readonly now: Date }
  readonly rows: readonly DeliveryRow[]
  /** Media buy by package. */
  readonly buyOf: ReadonlyMap<string, string>
  /** Imports of each media buy before the report was read. */
  readonly before: ReadonlyMap<string, number>
}

/** Adds a part of a report; undefined when another import has added to one of its orders since the report was read. */
function addPart(store: Store, { report, rows, buyOf, before }: ReportPart) {
  return store.transaction(async (tx) => {
    const { figures } = await newFigures(tx, report.tenantId, rows)
    const buys = [...new Set(figures.map(({ row }) => buyOf.get(row.lineExternalId) ?? ''))]
    if (!(await countImport(tx, { ...report, mediaBuyIds: buys }, before))) return undefined
    await supplyDelivered(tx, report.tenantId, firstDelivered(rows), report.now)
    return { added: await addRevisions(tx, report, figures), buys }
  })
}

/** The first hour or day in which each line delivered something, among rows. */
function firstDelivered(rows: readonly DeliveryRow[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  for (const row of rows) {
    const known = first.get(row.lineExternalId)
    if (row.impressions > 0 && (known === undefined || row.period < known)) first.set(row.lineExternalId, row.period)
  }
  return first
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
