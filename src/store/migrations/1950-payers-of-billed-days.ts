import { type Kysely, sql } from 'kysely'

const COUNTS = [
  'impressions',
  'spend_micros',
  'clicks',
  'views',
  'completed_views',
  'viewable_impressions',
  'conversions',
  'conversion_value_micros',
  'milli_points',
]

/** Who was billed for the month of a day of an order that people entered, where the order is billed to somebody else now: `d` is the day, `o` the order. */
const BILLED = sql`(select i.account_id from invoice_lines v
    join invoices i on i.tenant_id = v.tenant_id and i.invoice_id = v.invoice_id
    where v.tenant_id = d.tenant_id and v.package_id = d.package_id and v.service_month = substr(d.day, 1, 7)
    group by i.account_id having sum(v.impressions) <> 0 or sum(v.amount_micros) <> 0
    order by min(v.invoice_id) desc limit 1)`

/** Days that are invoiced are in the totals by account as those of who was billed; they were of whom the order is billed to now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create temporary table moved_days as
    select m.tenant_id, m.day, m.party, m.billed, m.currency, ${sql.join(COUNTS.map((name) => sql`sum(${sql.ref(`m.${name}`)}) as ${sql.ref(name)}`))} from (
      select d.tenant_id, d.day, o.party, ${BILLED} as billed, o.currency, ${sql.join(COUNTS.map((name) => sql.ref(`d.${name}`)))}
      from delivery_days d join order_lines l on l.tenant_id = d.tenant_id and l.line_id = d.package_id
      join orders o on o.tenant_id = l.tenant_id and o.order_id = l.order_id) m
    where m.billed <> m.party group by m.tenant_id, m.day, m.party, m.billed, m.currency`.execute(db)
  const names = sql.join(COUNTS.map((name) => sql.ref(name)))
  const added = sql.join(
    COUNTS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`delivery_totals.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  )
  for (const [value, sign] of [
    ['party', -1],
    ['billed', 1],
  ] as const) {
    const moved = sql.join(COUNTS.map((name) => sql`${sql.lit(sign)} * sum(${sql.ref(`s.${name}`)})`))
    await sql`insert into delivery_totals (tenant_id, dimension, day, value, currency, sandbox, ${names})
      select s.tenant_id, 'account', s.day, s.${sql.ref(value)}, s.currency, 0, ${moved} from moved_days s
      group by s.tenant_id, s.day, s.${sql.ref(value)}, s.currency
      on conflict (tenant_id, dimension, day, value, currency, sandbox) do update set ${added}`.execute(db)
  }
  await sql`drop table moved_days`.execute(db)
}
