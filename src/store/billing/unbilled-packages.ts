import { sql } from 'kysely'
import { daysOfMonth } from '../../domain/billing/billing-lines.ts'
import { LINE_SOURCES } from '../ad-serving/ledger-lines.ts'
import type { Db } from '../database.ts'

/**
 * The packages and lines whose daily sums in a month (`YYYY-MM`) are not what was billed of that month, in impressions or in money, by their ids. Only
 * delivery that is in the sums and costs somebody money is compared: what was billed of anything else differs from it.
 */
export async function unbilledPackages(db: Db, tenantId: string, month: string): Promise<string[]> {
  const { first, last } = daysOfMonth(month)
  const sources = LINE_SOURCES.map(
    ({ joins, counted, sandbox, payer }) =>
      sql`select d.package_id, d.impressions, d.micros from delivered d ${joins}
        where ${counted} and ${sandbox} = 0 and ${payer} <> ''`,
  )
  const { rows } = await sql<{ package_id: string }>`with delivered as (
      select tenant_id, package_id, sum(impressions) as impressions, sum(spend_micros) as micros from delivery_days
      where tenant_id = ${tenantId} and day >= ${first} and day <= ${last} group by tenant_id, package_id)
    select s.package_id from (${sql.join(sources, sql` union all `)} union all
      select package_id, -sum(impressions), -sum(amount_micros) from invoice_lines
      where tenant_id = ${tenantId} and service_month = ${month} group by package_id) s
    group by s.package_id having sum(s.impressions) <> 0 or sum(s.micros) <> 0 order by s.package_id`.execute(db)
  return rows.map((row) => row.package_id)
}
