import { type Selectable, sql } from 'kysely'
import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { addMetrics, difference, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { eachInTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { publisherDays } from './delivery-sources.ts'
import { type AddedDay, addDays, columnsOf, metricsIn } from './delivery-sums.ts'
import type { DeliveryLedgerTables } from './rows.ts'

type Row = Selectable<DeliveryLedgerTables['delivery_ledger']>

/** Keys of one look-up. */
const CHUNK = 200

/** Rows that are read in one turn. */
const PAGE = 1_000

/** A row of the ledger that counts now. */
export interface LedgerRow extends Metrics {
  readonly packageId: string
  readonly period: string
  readonly creativeId: string
  readonly revision: number
  readonly adServer: string
  readonly reportedAt: string
}

/** A reported row that says something else than the newest revision of it. */
export interface NewFigures {
  readonly row: DeliveryRow
  /** Absent: nothing was reported of it so far. */
  readonly before: LedgerRow | undefined
}

/** What of a report the ledger does not have. */
export interface LedgerNews {
  /** Rows that are new or corrected. */
  readonly figures: readonly NewFigures[]
  /** Hours of a day that counts as a whole, and days whose hours count: with both it would count twice. */
  readonly doubled: readonly DeliveryRow[]
}

/** What of a report the ledger does not have. Where a row comes twice, the last one counts; where a new day comes with its hours, the day does. */
export async function newFigures(db: Db, tenantId: string, rows: readonly DeliveryRow[]): Promise<LedgerNews> {
  const packages = [...new Set(rows.map(({ lineExternalId }) => lineExternalId))]
  const days = rows.map(({ period }) => period.slice(0, DAY_LENGTH)).sort()
  const known = new Map<string, LedgerRow>()
  /** Whether what counts of a day of a package is of its hours. */
  const isOfHours = new Map<string, boolean>()
  const range = { first: days[0], last: `${days.at(-1)}T23` }
  await eachInTurns(await currentDelivery(db, tenantId, packages, range), (row) => {
    const { packageId, period, creativeId } = row
    known.set(keyOf(packageId, period, creativeId), row)
    if (!sameMetrics(row, NOTHING)) isOfHours.set(dayKeyOf(packageId, period), isHour(period))
  })
  const reported = new Map<string, NewFigures>()
  await eachInTurns(rows, (row) => {
    const key = keyOf(row.lineExternalId, row.period, row.creativeExternalId ?? '')
    const before = known.get(key)
    if (sameMetrics(before ?? NOTHING, row)) reported.delete(key)
    else reported.set(key, { row, before })
  })
  const news = [...reported.values()]
  for (const { row } of news) {
    const day = dayKeyOf(row.lineExternalId, row.period)
    if (!isHour(row.period) && !sameMetrics(row, NOTHING) && !isOfHours.has(day)) isOfHours.set(day, false)
  }
  await yieldToEventLoop()
  const isDoubled = ({ row, before }: NewFigures) =>
    !before && (isOfHours.get(dayKeyOf(row.lineExternalId, row.period)) ?? isHour(row.period)) !== isHour(row.period)
  return {
    figures: news.filter((each) => !isDoubled(each)),
    doubled: news.filter(isDoubled).map(({ row }) => row),
  }
}

const DAY_LENGTH = 'YYYY-MM-DD'.length

function isHour(period: string): boolean {
  return period.length > DAY_LENGTH
}

function dayKeyOf(packageId: string, period: string): string {
  return `${period.slice(0, DAY_LENGTH)} ${packageId}`
}

/** Adds figures to the ledger as the next revision of each, and what they change to the daily sums. Gives the number of rows that were added. */
export async function addRevisions(
  tx: Db,
  { tenantId, adServer, now }: { readonly tenantId: string; readonly adServer: string; readonly now: Date },
  figures: readonly NewFigures[],
): Promise<number> {
  const dayOf = await publisherDays(tx, tenantId)
  const changed: AddedDay[] = []
  await forEachChunk(figures, async (some) => {
    const values = some.map(({ row, before }) => ({
      tenant_id: tenantId,
      package_id: row.lineExternalId,
      period: row.period,
      creative_id: row.creativeExternalId ?? '',
      revision: (before?.revision ?? 0) + 1,
      ad_server: adServer,
      reported_at: now.toISOString(),
      ...columnsOf(row),
    }))
    const inserted = await tx
      .insertInto('delivery_ledger')
      .values(values)
      .onConflict((c) => c.doNothing())
      .returning(['package_id', 'period', 'creative_id'])
      .execute()
    const added = new Set(inserted.map((row) => keyOf(row.package_id, row.period, row.creative_id)))
    for (const { row, before } of some) {
      const { lineExternalId: packageId, period, creativeExternalId: creativeId = '' } = row
      if (!added.has(keyOf(packageId, period, creativeId))) continue
      changed.push({ ...difference(row, before ?? NOTHING), packageId, day: dayOf(period), creativeId })
    }
  })
  const days = summed(changed)
  await yieldToEventLoop()
  await addDays(tx, tenantId, days)
  return changed.length
}

/** Adds what is new in a report to the ledger and the daily sums. Gives the number of rows that were added. */
export async function addDelivery(
  tx: Db,
  report: { readonly tenantId: string; readonly adServer: string; readonly now: Date },
  rows: readonly DeliveryRow[],
): Promise<number> {
  return addRevisions(tx, report, (await newFigures(tx, report.tenantId, rows)).figures)
}

/** The rows that count now, by package, period and creative. */
export async function currentDelivery(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
  range: PeriodRange = {},
): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for await (const page of deliveryPages(db, tenantId, packageIds, range)) for (const row of page) rows.push(row)
  return rows
}

interface PeriodRange {
  readonly first?: string | undefined
  readonly last?: string | undefined
}

/** As {@link currentDelivery}, in parts that are read in turns. */
export async function* deliveryPages(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
  { first, last }: PeriodRange = {},
): AsyncGenerator<readonly LedgerRow[]> {
  for (let start = 0; start < packageIds.length; start += CHUNK) {
    let query = db
      .selectFrom('delivery_ledger as l')
      .selectAll()
      .where('l.tenant_id', '=', tenantId)
      .where('l.package_id', 'in', packageIds.slice(start, start + CHUNK))
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('delivery_ledger as newer')
              .select('newer.revision')
              .whereRef('newer.tenant_id', '=', 'l.tenant_id')
              .whereRef('newer.package_id', '=', 'l.package_id')
              .whereRef('newer.period', '=', 'l.period')
              .whereRef('newer.creative_id', '=', 'l.creative_id')
              .whereRef('newer.revision', '>', 'l.revision'),
          ),
        ),
      )
    if (first !== undefined) query = query.where('l.period', '>=', first)
    if (last !== undefined) query = query.where('l.period', '<=', last)
    const ordered = query.orderBy('l.package_id').orderBy('l.period').orderBy('l.creative_id').limit(PAGE)
    let found = await ordered.execute()
    for (let last = found[PAGE - 1]; last; last = found[PAGE - 1]) {
      yield found.map(ledgerRow)
      await yieldToEventLoop()
      const { package_id: packageId, period, creative_id: creativeId } = last
      found = await ordered
        .where(sql<boolean>`(l.package_id, l.period, l.creative_id) > (${packageId}, ${period}, ${creativeId})`)
        .execute()
    }
    yield found.map(ledgerRow)
  }
}

/** Every revision of what was reported of a package, oldest first. */
export async function deliveryRevisions(db: Db, tenantId: string, packageId: string, limit: number): Promise<LedgerRow[]> {
  const rows = await db
    .selectFrom('delivery_ledger')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('package_id', '=', packageId)
    .orderBy('period')
    .orderBy('creative_id')
    .orderBy('revision')
    .limit(limit)
    .execute()
  return rows.map(ledgerRow)
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

const METRICS = Object.keys(NOTHING) as (keyof Metrics)[]

function sameMetrics(a: Metrics, b: Metrics): boolean {
  return METRICS.every((metric) => a[metric] === b[metric])
}

/** Rows of the same package, day and creative as one. */
function summed(changes: readonly AddedDay[]): AddedDay[] {
  const byDay = new Map<string, AddedDay>()
  for (const change of changes) {
    const key = keyOf(change.packageId, change.day, change.creativeId)
    byDay.set(key, { ...change, ...addMetrics(byDay.get(key) ?? NOTHING, change) })
  }
  return [...byDay.values()]
}

function ledgerRow(row: Row): LedgerRow {
  return {
    ...metricsIn(row),
    packageId: row.package_id,
    period: row.period,
    creativeId: row.creative_id,
    revision: row.revision,
    adServer: row.ad_server,
    reportedAt: row.reported_at,
  }
}
