import { type RawBuilder, sql } from 'kysely'
import { daysOfMonth } from '../../domain/billing/billing-lines.ts'
import { nextDay } from '../../domain/calendar/local-time.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { LINE_SOURCES } from '../ad-serving/ledger-lines.ts'
import type { Db } from '../database.ts'

/** Rows of the ledger that one statement compares, of each day of a month: some ten milliseconds of all its days. */
const ROWS_OF_A_DAY = 150

/**
 * The packages and lines whose daily sums in a month (`YYYY-MM`) are not what was billed of that month, in impressions or in money, by their ids. Only
 * delivery that is in the sums and costs somebody money is compared: what was billed of anything else differs from it. In parts, with turns for others between.
 */
export async function unbilledPackages(db: Db, tenantId: string, month: string, rowsOfADay = ROWS_OF_A_DAY): Promise<string[]> {
  const { first, last } = daysOfMonth(month)
  const days: string[] = []
  for (let day = first; day <= last; day = nextDay(day)) days.push(day)
  const found: string[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const until: string | undefined = await packageAfter(db, tenantId, { days, after, rowsOfADay })
    for (const id of await unbilledBetween(db, tenantId, { month, days, after, until })) found.push(id)
    after = until
    await yieldToEventLoop()
  }
  return found
}

/** The id up to which so many packages at most were delivered on each of some days; undefined: up to the last one. */
async function packageAfter(
  db: Db,
  tenantId: string,
  { days, after, rowsOfADay }: { readonly days: readonly string[]; readonly after: string; readonly rowsOfADay: number },
): Promise<string | undefined> {
  const places = days.map(
    (day) => sql`select (select package_id from delivery_days where tenant_id = ${tenantId} and day = ${day}
      and package_id > ${after} order by package_id limit 1 offset ${sql.lit(rowsOfADay - 1)}) as place`,
  )
  const { rows } = await sql<{
    place: string | null
  }>`select min(place) as place from (${sql.join(places, sql` union all `)}) places`.execute(db)
  return rows[0]?.place ?? undefined
}

/** {@link unbilledPackages} of a stretch of ids. */
async function unbilledBetween(
  db: Db,
  tenantId: string,
  {
    month,
    days,
    after,
    until,
  }: {
    readonly month: string
    readonly days: readonly string[]
    readonly after: string
    readonly until: string | undefined
  },
): Promise<string[]> {
  const between = (id: RawBuilder<string>) => sql`${id} > ${after} ${until === undefined ? sql`` : sql`and ${id} <= ${until}`}`
  const own = between(sql`package_id`)
  const sources = LINE_SOURCES.map(
    ({ joins, counted, sandbox, payer }) =>
      sql`select d.package_id, d.impressions, d.micros from delivered d ${joins}
        where ${counted} and ${sandbox} = 0 and ${payer} <> ''`,
  )
  // Day by day, since SQLite reads all days of the packages otherwise.
  const ofDays = days.map(
    (day) => sql`select tenant_id, package_id, impressions, spend_micros from delivery_days
      where tenant_id = ${tenantId} and day = ${day} and ${own}`,
  )
  const { rows } = await sql<{ package_id: string }>`with delivered as (
      select tenant_id, package_id, sum(impressions) as impressions, sum(spend_micros) as micros
      from (${sql.join(ofDays, sql` union all `)}) days group by tenant_id, package_id)
    select s.package_id from (${sql.join(sources, sql` union all `)} union all
      select package_id, -sum(impressions), -sum(amount_micros) from invoice_lines
      where tenant_id = ${tenantId} and service_month = ${month} and ${own} group by package_id) s
    group by s.package_id having sum(s.impressions) <> 0 or sum(s.micros) <> 0 order by s.package_id`.execute(db)
  return rows.map((row) => row.package_id)
}
