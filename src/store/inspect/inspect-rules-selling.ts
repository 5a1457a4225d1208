import { sql } from 'kysely'
import type { StoreRule } from './inspect-rules.ts'
import { SUM_RULES } from './inspect-rules-sums.ts'

const unknownLine = (table: string) => sql<{ key: string }>`select distinct d.package_id as key from ${sql.table(table)} d
  where not exists (select 1 from packages p where p.tenant_id = d.tenant_id and p.package_id = d.package_id)
  and not exists (select 1 from order_lines l where l.tenant_id = d.tenant_id and l.line_id = d.package_id)`

/** Rules of what is sold and of what buyers bring: products, media buys, creatives, audiences, catalogs, signals, rights, plans. */
export const SELLING_RULES: readonly StoreRule[] = [
  {
    table: 'media_buys',
    rule: 'has a package',
    broken: sql`select b.media_buy_id as key from media_buys b where not exists
      (select 1 from packages p where p.tenant_id = b.tenant_id and p.media_buy_id = b.media_buy_id)`,
  },
  {
    table: 'media_buys',
    rule: 'ends after it starts, and has a revision',
    broken: sql`select media_buy_id as key from media_buys where ends_at <= starts_at or revision < 1`,
  },
  {
    table: 'packages',
    rule: 'has a place of its own in its media buy',
    broken: sql`select media_buy_id as key from packages group by tenant_id, media_buy_id, position having count(*) > 1`,
  },
  {
    table: 'ad_server_orders',
    rule: 'belongs to a media buy, and has not applied more than was requested',
    broken: sql`select o.media_buy_id as key from ad_server_orders o where o.applied > o.requested or not exists
      (select 1 from media_buys b where b.tenant_id = o.tenant_id and b.media_buy_id = o.media_buy_id)`,
  },
  {
    table: 'ad_server_drift',
    rule: 'belongs to an order at an ad server',
    broken: sql`select d.drift_id as key from ad_server_drift d where not exists (select 1 from ad_server_orders o
      where o.tenant_id = d.tenant_id and o.media_buy_id = d.media_buy_id and o.ad_server = d.ad_server)`,
  },
  {
    table: 'orders',
    rule: 'ends after it starts, and has a line',
    broken: sql`select o.order_id as key from orders o where o.ends_at <= o.starts_at or not exists
      (select 1 from order_lines l where l.tenant_id = o.tenant_id and l.order_id = o.order_id)`,
  },
  {
    table: 'order_lines',
    rule: 'is part of an order that exists',
    broken: sql`select l.line_id as key from order_lines l
      where not exists (select 1 from orders o where o.tenant_id = l.tenant_id and o.order_id = l.order_id)`,
  },
  {
    table: 'delivery_ledger',
    rule: 'is of a line that exists',
    broken: unknownLine('delivery_ledger'),
  },
  {
    table: 'delivery_days',
    rule: 'is of a line that exists',
    broken: unknownLine('delivery_days'),
  },
  {
    table: 'delivery_ledger',
    rule: 'has every revision of a row from the first to the last',
    broken: sql`select package_id || ' ' || period as key from delivery_ledger
      group by tenant_id, package_id, period, creative_id having max(revision) <> count(*)`,
  },
  ...SUM_RULES,
  {
    table: 'inventory_periods',
    rule: 'reserves nothing or something on each day',
    // Longer periods may be negative: see migration 0116.
    broken: sql`select product_id || ' ' || period as key from inventory_periods where reserved < 0 and length(period) = 10`,
  },
  {
    table: 'inventory_holds',
    rule: 'holds something, for a proposal that is kept',
    broken: sql`select h.proposal_id as key from inventory_holds h where h.impressions <= 0 or not exists
      (select 1 from proposals p where p.tenant_id = h.tenant_id and p.principal_id = h.principal_id and p.proposal_id = h.proposal_id)`,
  },
  {
    table: 'content_standards',
    rule: 'has the version that is in force',
    broken: sql`select s.standards_id as key from content_standards s where not exists
      (select 1 from content_standards_versions v
       where v.tenant_id = s.tenant_id and v.standards_id = s.standards_id and v.version = s.version)`,
  },
  {
    table: 'creative_tags',
    rule: 'belongs to a creative',
    broken: sql`select distinct c.creative_id as key from creative_tags c
      where not exists (select 1 from creatives p where p.tenant_id = c.tenant_id
        and p.principal_id = c.principal_id and p.account_id = c.account_id and p.creative_id = c.creative_id)`,
  },
  {
    table: 'catalogs',
    rule: 'counts its items',
    broken: sql`select c.catalog_id as key from catalogs c where c.item_count <>
      (select count(*) from catalog_items i where i.tenant_id = c.tenant_id and i.platform_id = c.platform_id)`,
  },
  {
    table: 'catalogs',
    rule: 'counts items of its own as pending and rejected',
    broken: sql`select catalog_id as key from catalogs
      where pending_count < 0 or rejected_count < 0 or pending_count + rejected_count > item_count`,
  },
  {
    table: 'rights_creatives',
    rule: 'says when it was decided exactly when it is decided',
    broken: sql`select submission_id as key from rights_creatives
      where (decided_at is not null) <> (status <> 'pending_review')`,
  },
  {
    table: 'si_sessions',
    rule: 'has an end time exactly when it has ended, and no personal data then',
    broken: sql`select session_id as key from si_sessions
      where (ended_at is not null) <> (state in ('complete', 'terminated'))
      or (ended_at is not null and (identity is not null or transcript is not null))`,
  },
  {
    table: 'governance_plans',
    rule: 'has the version that is in force',
    broken: sql`select p.plan_id as key from governance_plans p where not exists
      (select 1 from governance_plan_versions v where v.tenant_id = p.tenant_id
        and v.principal_id = p.principal_id and v.plan_id = p.plan_id and v.version = p.version)`,
  },
  {
    table: 'governance_actions',
    rule: 'commits nothing or something',
    broken: sql`select action_id as key from governance_actions where committed_micros < 0`,
  },
  {
    table: 'usage_records',
    rule: 'costs nothing or something',
    broken: sql`select usage_id as key from usage_records where cost_micros < 0`,
  },
]
