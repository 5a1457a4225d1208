import { sql } from 'kysely'
import { fromAllLines } from '../ad-serving/ledger-lines.ts'
import type { StoreRule } from './inspect-rules.ts'

const IN_TOTALS = fromAllLines(
  ({ joins, counted }) => sql`select d.tenant_id, sum(d.impressions) as impressions, sum(d.spend_micros) as spend
    from delivery_days d ${joins} where ${counted} group by d.tenant_id`,
)

/** Rules of the daily sums of delivery; `sales-agent delivery rebuild` makes them again. */
export const SUM_RULES: readonly StoreRule[] = [
  {
    table: 'delivery_days',
    rule: 'is what the ledger says, to the unit and the micro',
    broken: sql`select l.package_id as key from
      (select o.tenant_id, o.package_id, sum(o.impressions) as impressions, sum(o.spend_micros) as spend from delivery_ledger o
        where not exists (select 1 from delivery_ledger n where n.tenant_id = o.tenant_id and n.package_id = o.package_id and n.period = o.period
          and n.creative_id = o.creative_id and n.revision > o.revision)
        group by o.tenant_id, o.package_id) l
      left join (select tenant_id, package_id, sum(impressions) as impressions, sum(spend_micros) as spend from delivery_days
        group by tenant_id, package_id) d on d.tenant_id = l.tenant_id and d.package_id = l.package_id
      where coalesce(d.impressions, 0) <> l.impressions or coalesce(d.spend, 0) <> l.spend`,
  },
  {
    table: 'delivery_totals',
    rule: 'is what the days of packages add up to, to the unit and the micro',
    broken: sql`select t.tenant_id || ' ' || t.dimension as key from
      (select tenant_id, dimension, sum(impressions) as impressions, sum(spend_micros) as spend from delivery_totals group by tenant_id, dimension) t
      left join (select tenant_id, sum(impressions) as impressions, sum(spend) as spend from (${IN_TOTALS}) i group by tenant_id) s
        on s.tenant_id = t.tenant_id
      where t.impressions <> coalesce(s.impressions, 0) or t.spend <> coalesce(s.spend, 0)`,
  },
]
