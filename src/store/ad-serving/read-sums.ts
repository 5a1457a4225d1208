import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Metrics } from '../../domain/media-buy/delivery.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { COUNT_COLUMNS, metricsIn, TOTAL_DIMENSIONS } from './delivery-sums.ts'
import { fromAllLines, type LineDimension, type LineSource } from './ledger-lines.ts'
import type { CountColumns, TotalDimension } from './rows.ts'

/** What sums can be split by beside what describes a line: `d` is a day of one. */
const OF_DAY = {
  creative: sql<string>`d.creative_id`,
  day: sql<string>`d.day`,
  month: sql<string>`substr(d.day, 1, 7)`,
} satisfies Record<string, RawBuilder<string>>

export type SumDimension = keyof typeof OF_DAY | LineDimension

function columnOf({ columns }: LineSource, name: SumDimension): RawBuilder<string> {
  return name === 'creative' || name === 'day' || name === 'month' ? OF_DAY[name] : columns[name]
}

/** Days of the publisher, both included, and what narrows the rows; all that is given must hold. */
export interface SumQuery {
  readonly by: readonly SumDimension[]
  readonly first: string
  readonly last: string
  readonly buyer?: string | undefined
  readonly product?: string | undefined
  readonly order?: string | undefined
  /** Of these packages or lines: as many as fit one statement. */
  readonly packages?: readonly string[] | undefined
  /** Also what costs nobody money. */
  readonly sandbox?: boolean | undefined
  /** Of more sums than so many, one more is read and no other. Default: all are. */
  readonly most?: number | undefined
}

/** A place in the ledger, in the order of days and of packages within a day. */
interface LedgerPlace {
  readonly day: string
  readonly packageId: string
}

/** A sum: the value of each dimension, and what was delivered. */
export interface SumRow {
  readonly values: readonly string[]
  readonly currency: string
  readonly metrics: Metrics
}

/** Rows of the ledger that one statement sums: some ten milliseconds. */
const ROWS_AT_ONCE = 5_000
/** Days of totals that one statement sums. */
const DAYS_OF_TOTALS_MS = 92 * DAY_MS

/**
 * The same sums as {@link readSums} in parts, with turns for others between: a line of an order has its sums in several of them, which add up. What a part holds depends on
 * how many rows there are, whatever days they are of.
 */
export async function* sumsInParts(
  db: Db,
  tenantId: string,
  query: SumQuery,
  rowsAtOnce = ROWS_AT_ONCE,
): AsyncGenerator<readonly SumRow[]> {
  if (totalDimension(query)) {
    for (let first = query.first; first <= query.last; first = dayAfter(first, DAYS_OF_TOTALS_MS)) {
      const end = dayAfter(first, DAYS_OF_TOTALS_MS - DAY_MS)
      yield await readSums(db, tenantId, { ...query, first, last: end < query.last ? end : query.last })
      await yieldToEventLoop()
    }
    return
  }
  let from: LedgerPlace | undefined = { day: query.first, packageId: '' }
  while (from) {
    const until: LedgerPlace | undefined = await placeAfter(db, tenantId, { from, last: query.last, rows: rowsAtOnce })
    yield await readSums(db, tenantId, { ...query, first: from.day, last: until?.day ?? query.last }, { from, until })
    from = until
    await yieldToEventLoop()
  }
}

function dayAfter(day: string, ms: number): string {
  return new Date(Date.parse(day) + ms).toISOString().slice(0, 10)
}

/** The place that so many rows are before; undefined: there are no more until the last day. */
async function placeAfter(
  db: Db,
  tenantId: string,
  { from, last, rows }: { readonly from: LedgerPlace; readonly last: string; readonly rows: number },
): Promise<LedgerPlace | undefined> {
  const ordered = db
    .selectFrom('delivery_days')
    .select(['day', 'package_id as packageId'])
    .where('tenant_id', '=', tenantId)
    .where('day', '<=', last)
    .orderBy('day')
    .orderBy('package_id')
    .limit(1)
  const after = (beyond: '>' | '>=') =>
    ordered.where(sql<boolean>`(day, package_id) ${sql.raw(beyond)} (${from.day}, ${from.packageId})`)
  const place = await after('>=').offset(rows).executeTakeFirst()
  // A package may have more on one day, by its creatives.
  return place?.day === from.day && place.packageId === from.packageId ? after('>').executeTakeFirst() : place
}

/** Sums of the delivery of a publisher that are not nothing, of orders whose delivery is in the daily sums; `stretch`: of this part of the ledger. */
export async function readSums(
  db: Db,
  tenantId: string,
  query: SumQuery,
  stretch?: { readonly from: LedgerPlace; readonly until: LedgerPlace | undefined },
): Promise<SumRow[]> {
  const dimension = totalDimension(query)
  const between = stretch ? [placed('>=', stretch.from), ...(stretch.until ? [placed('<', stretch.until)] : [])] : []
  const { rows } = await (dimension ? fromTotals(tenantId, query, dimension) : fromDays(tenantId, query, between)).execute(db)
  return rows.map((row) => ({
    values: query.by.map((_name, index) => row[valueName(index)] ?? ''),
    currency: row.currency,
    metrics: metricsIn(row),
  }))
}

function placed(how: '>=' | '<', { day, packageId }: LedgerPlace): RawBuilder<boolean> {
  return sql<boolean>`(d.day, d.package_id) ${sql.raw(how)} (${day}, ${packageId})`
}

type Row = { currency: string; [value: `value_${number}`]: string } & CountColumns

const valueName = (index: number) => `value_${index}` as const

const SUMS = sql.join(COUNT_COLUMNS.map((name) => sql`sum(${sql.ref(`d.${name}`)}) as ${sql.ref(name)}`))

/** Corrections may leave nothing. */
const NOT_NOTHING = sql.join(
  COUNT_COLUMNS.map((name) => sql`sum(${sql.ref(`d.${name}`)}) <> 0`),
  sql` or `,
)

function ending({ most }: SumQuery): RawBuilder<unknown> {
  return sql`having ${NOT_NOTHING} ${most === undefined ? sql`` : sql`limit ${sql.lit(most + 1)}`}`
}

/** The dimension whose totals answer a query; undefined: they do not. */
function totalDimension({ by, buyer, product, order, packages }: SumQuery): TotalDimension | undefined {
  if ([buyer, product, order, packages].some((filter) => filter !== undefined)) return undefined
  const [dimension = 'all', ...others] = by.filter((name) => name !== 'day' && name !== 'month')
  return others.length === 0 && isTotal(dimension) ? dimension : undefined
}

function isTotal(name: string): name is TotalDimension {
  return TOTAL_DIMENSIONS.some((each) => each === name)
}

function fromTotals(tenantId: string, query: SumQuery, dimension: TotalDimension) {
  const { by, first, last, sandbox } = query
  const columns = by.map((name) => (name === 'day' || name === 'month' ? OF_DAY[name] : sql<string>`d.value`))
  const money = sandbox ? sql`1 = 1` : sql`d.sandbox = 0`
  return sql<Row>`select d.currency, ${named(columns)} ${SUMS} from delivery_totals d
    where d.tenant_id = ${tenantId} and d.dimension = ${dimension} and d.day >= ${first} and d.day <= ${last} and ${money}
    group by d.currency ${grouped(columns)} ${ending(query)}`
}

function fromDays(tenantId: string, query: SumQuery, between: readonly RawBuilder<boolean>[]) {
  const { by, first, last, sandbox, packages, ...filter } = query
  const days = fromAllLines((source) => {
    const columns = by.map((name) => columnOf(source, name))
    const asked = ([name, value]: readonly [LineDimension, string | undefined]) =>
      value === undefined ? [] : [sql`${source.columns[name]} = ${value}`]
    const narrowed = [
      ...between,
      source.counted,
      ...(sandbox ? [] : [sql`${source.sandbox} = 0`]),
      ...(packages ? [sql`d.package_id in (${sql.join(packages)})`] : []),
      ...[['buyer', filter.buyer] as const, ['product', filter.product] as const, ['order', filter.order] as const].flatMap(
        asked,
      ),
    ]
    return sql<Row>`select ${source.currency} as currency, ${named(columns)} ${SUMS} from delivery_days d ${source.joins}
      where d.tenant_id = ${tenantId} and d.day >= ${first} and d.day <= ${last} and ${sql.join(narrowed, sql` and `)}
      group by ${sql.join([1, ...by.map((_name, index) => index + 2)].map((place) => sql.lit(place)))}`
  })
  const values = by.map((_name, index) => sql<string>`d.${sql.ref(valueName(index))}`)
  return sql<Row>`select d.currency, ${named(values)} ${SUMS} from (${days}) d group by d.currency ${grouped(values)} ${ending(query)}`
}

function named(columns: readonly RawBuilder<string>[]): RawBuilder<unknown> {
  return columns.length === 0
    ? sql``
    : sql`${sql.join(columns.map((column, index) => sql`${column} as ${sql.ref(valueName(index))}`))},`
}

function grouped(columns: readonly RawBuilder<string>[]): RawBuilder<unknown> {
  return columns.length === 0 ? sql`` : sql`, ${sql.join(columns)}`
}
