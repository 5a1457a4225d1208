import { type RawBuilder, sql } from 'kysely'
import type { DayMetrics, Metrics } from '../../domain/media-buy/delivery.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksInTurns, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { fromAllLines, type LineSource } from './ledger-lines.ts'
import type { CountColumns, TotalDimension } from './rows.ts'

/** Impressions and spend of a publisher's orders from a day on, whatever their currencies: it differs whenever their delivery does. */
export async function deliveredSince(db: Db, tenantId: string, firstDay: string): Promise<string> {
  const row = await db
    .selectFrom('delivery_totals')
    .select((eb) => [
      eb.fn.sum<number | string>('impressions').as('impressions'),
      eb.fn.sum<number | string>('spend_micros').as('spend'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('dimension', '=', 'all')
    .where('day', '>=', firstDay)
    .executeTakeFirst()
  return `${row?.impressions ?? 0}.${row?.spend ?? 0}`
}

/** What the totals are kept by. */
export const TOTAL_DIMENSIONS = ['all', 'product', 'buyer', 'advertiser', 'account'] as const satisfies readonly TotalDimension[]

export const COUNT_COLUMNS = [
  'impressions',
  'spend_micros',
  'clicks',
  'views',
  'completed_views',
  'viewable_impressions',
  'conversions',
  'conversion_value_micros',
  'milli_points',
] as const satisfies readonly (keyof CountColumns)[]

/** What is added to the sums: a day of a package. */
export interface AddedDay extends Metrics {
  readonly packageId: string
  readonly day: string
  readonly creativeId: string
}

/** The time zone in which the days of a publisher are counted. */
export async function deliveryZone(db: Db, tenantId: string): Promise<string> {
  const row = await db.selectFrom('delivery_zones').select('time_zone').where('tenant_id', '=', tenantId).executeTakeFirst()
  return row?.time_zone ?? 'UTC'
}

/** Adds to days of packages, and to the totals of what is in them; counts may be negative. */
export async function addDays(tx: Db, tenantId: string, days: readonly AddedDay[]): Promise<void> {
  if (days.length === 0) return
  const packages = [...new Set(days.map(({ packageId }) => packageId))]
  const touched = [...new Set(days.map(({ day }) => day))]
  const part = () => sql`d.package_id in (${sql.join(packages)}) and d.day in (${sql.join(touched)})`
  const isLarge = days.length > MANY_DAYS
  await moveTotals(tx, tenantId, part, -1)
  if (isLarge) await yieldToEventLoop()
  await forEachChunk(rowsOf(tenantId, days), (chunk) =>
    tx
      .insertInto('delivery_days')
      .values(chunk)
      .onConflict((c) =>
        c.columns(['tenant_id', 'package_id', 'day', 'creative_id']).doUpdateSet((e) => ({
          impressions: e('delivery_days.impressions', '+', e.ref('excluded.impressions')),
          spend_micros: e('delivery_days.spend_micros', '+', e.ref('excluded.spend_micros')),
          clicks: e('delivery_days.clicks', '+', e.ref('excluded.clicks')),
          views: e('delivery_days.views', '+', e.ref('excluded.views')),
          completed_views: e('delivery_days.completed_views', '+', e.ref('excluded.completed_views')),
          viewable_impressions: e('delivery_days.viewable_impressions', '+', e.ref('excluded.viewable_impressions')),
          conversions: e('delivery_days.conversions', '+', e.ref('excluded.conversions')),
          conversion_value_micros: e('delivery_days.conversion_value_micros', '+', e.ref('excluded.conversion_value_micros')),
          milli_points: e('delivery_days.milli_points', '+', e.ref('excluded.milli_points')),
        })),
      )
      .execute(),
  )
  if (isLarge) await yieldToEventLoop()
  await moveTotals(tx, tenantId, part, 1)
}

/** From so many days on, adding them takes some tens of milliseconds in all. */
const MANY_DAYS = 100

/** Adds days of packages that have none yet, and leaves the totals as they are. */
export async function insertDays(tx: Db, tenantId: string, days: readonly AddedDay[]): Promise<void> {
  await forEachChunk(rowsOf(tenantId, days), (chunk) => tx.insertInto('delivery_days').values(chunk).execute())
}

function rowsOf(tenantId: string, days: readonly AddedDay[]) {
  return days.map(({ packageId, day, creativeId, ...metrics }) => ({
    tenant_id: tenantId,
    package_id: packageId,
    day,
    creative_id: creativeId,
    ...columnsOf(metrics),
  }))
}

/** Adds the days of orders to the totals, or takes them away. Orders that are not in the sums are left out. */
export function moveTotalsOfOrders(tx: Db, tenantId: string, orderIds: readonly string[], sign: 1 | -1): Promise<void> {
  return moveTotals(tx, tenantId, ({ columns }) => sql`${columns.order} in (${sql.join(orderIds)})`, sign)
}

/** Adds days that `part` selects to the totals, or takes them away: `d` is a day. */
export async function moveTotals(
  tx: Db,
  tenantId: string,
  part: (source: LineSource) => RawBuilder<unknown>,
  sign: 1 | -1,
): Promise<void> {
  const names = sql.join(COUNT_COLUMNS.map((name) => sql.ref(name)))
  const sums = sql.join(COUNT_COLUMNS.map((name) => sql`sum(${sql.ref(`d.${name}`)}) as ${sql.ref(name)}`))
  const moved = sql.join(COUNT_COLUMNS.map((name) => sql`${sql.lit(sign)} * sum(${sql.ref(`s.${name}`)})`))
  const added = sql.join(
    COUNT_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`delivery_totals.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  )
  for (const dimension of TOTAL_DIMENSIONS) {
    const days = fromAllLines((source) => {
      const value = dimension === 'all' ? sql`''` : source.columns[dimension]
      return sql`select d.day as day, ${value} as value, ${source.currency} as currency, ${source.sandbox} as sandbox, ${sums}
        from delivery_days d ${source.joins}
        where d.tenant_id = ${tenantId} and ${source.counted} and ${part(source)}
        group by 1, 2, 3, 4`
    })
    await sql`insert into delivery_totals (tenant_id, dimension, day, value, currency, sandbox, ${names})
      select ${tenantId}, ${sql.lit(dimension)}, s.day, s.value, s.currency, s.sandbox, ${moved} from (${days}) s
      group by s.day, s.value, s.currency, s.sandbox
      on conflict (tenant_id, dimension, day, value, currency, sandbox) do update set ${added}`.execute(tx)
  }
}

/** Packages whose days one statement sums: each may have those of a year. */
const PACKAGES = 50

/** Delivery of packages by day, over all creatives. */
export async function daysOfPackages(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DayMetrics[]>> {
  const days = new Map<string, DayMetrics[]>()
  for await (const chunk of chunksInTurns(packageIds, PACKAGES)) {
    const rows = await db
      .selectFrom('delivery_days')
      .select(['package_id', 'day'])
      .select((e) => COUNT_COLUMNS.map((name) => e.fn.sum<number | string>(name).as(name)))
      .where('tenant_id', '=', tenantId)
      .where('package_id', 'in', chunk)
      .groupBy(['package_id', 'day'])
      .orderBy('package_id')
      .orderBy('day')
      .execute()
    for (const row of rows) {
      const list = days.get(row.package_id) ?? []
      days.set(row.package_id, list)
      list.push({ day: row.day, ...metricsIn(row) })
    }
  }
  return days
}

/** Counts as columns. */
export function columnsOf(metrics: Metrics): CountColumns {
  return {
    impressions: metrics.impressions,
    spend_micros: metrics.spendMicros,
    clicks: metrics.clicks,
    views: metrics.views,
    completed_views: metrics.completedViews,
    viewable_impressions: metrics.viewableImpressions,
    conversions: metrics.conversions,
    conversion_value_micros: metrics.conversionValueMicros,
    milli_points: metrics.milliPoints,
  }
}

/** Counts of a row; PostgreSQL gives sums as text. */
export function metricsIn(row: Readonly<Record<keyof CountColumns, number | string>>): Metrics {
  return {
    impressions: Number(row.impressions),
    spendMicros: Number(row.spend_micros),
    clicks: Number(row.clicks),
    views: Number(row.views),
    completedViews: Number(row.completed_views),
    viewableImpressions: Number(row.viewable_impressions),
    conversions: Number(row.conversions),
    conversionValueMicros: Number(row.conversion_value_micros),
    milliPoints: Number(row.milli_points),
  }
}
