import { sql } from 'kysely'
import type { StoreRule } from './inspect-rules.ts'

/** Rules of the embedded ad server: what is summed up agrees with the log to the unit. */
export const EMBEDDED_RULES: readonly StoreRule[] = [
  {
    table: 'embedded_lines',
    rule: 'is part of an order that exists',
    broken: sql`select l.line_id as key from embedded_lines l
      where not exists (select 1 from embedded_orders o where o.tenant_id = l.tenant_id and o.order_id = l.order_id)`,
  },
  {
    table: 'embedded_associations',
    rule: 'is between a line and a creative that exist',
    broken: sql`select a.line_id as key from embedded_associations a
      where not exists (select 1 from embedded_lines l where l.tenant_id = a.tenant_id and l.line_id = a.line_id)
      or not exists (select 1 from embedded_creatives c where c.tenant_id = a.tenant_id and c.creative_id = a.creative_id)`,
  },
  {
    table: 'embedded_hours',
    rule: 'counts the events of the log, hour by hour',
    broken: sql`select h.line_id as key from embedded_hours h
      group by h.tenant_id, h.line_id, h.kind
      having sum(h.events) <> (select count(*) from embedded_events e
        where e.tenant_id = h.tenant_id and e.line_id = h.line_id and e.kind = h.kind)`,
  },
  {
    table: 'embedded_place_hours',
    rule: 'has the impressions of the hours of its lines',
    broken: sql`select p.place as key from embedded_place_hours p
      where p.impressions <> (select coalesce(sum(h.events), 0) from embedded_hours h
        where h.tenant_id = p.tenant_id and h.hour = p.hour and h.place = p.place and h.bot = 0 and h.kind = 'impression')`,
  },
  {
    table: 'embedded_totals',
    rule: 'counts the events of the log that are not those of bots',
    broken: sql`select t.line_id as key from embedded_totals t
      where t.events <> (select count(*) from embedded_events e
        where e.tenant_id = t.tenant_id and e.line_id = t.line_id and e.kind = t.kind and e.bot = 0)`,
  },
  {
    table: 'embedded_events',
    rule: 'is in the sum of its hour',
    broken: sql`select e.event_id as key from embedded_events e
      where not exists (select 1 from embedded_hours h where h.tenant_id = e.tenant_id and h.line_id = e.line_id
        and h.kind = e.kind and h.hour = substr(e.happened_at, 1, 13) || ':00:00.000Z')`,
  },
  {
    table: 'embedded_file_parts',
    rule: 'is part of a file that exists',
    broken: sql`select p.file_id as key from embedded_file_parts p
      where not exists (select 1 from embedded_files f where f.tenant_id = p.tenant_id and f.file_id = p.file_id)`,
  },
  {
    table: 'embedded_bundle_files',
    rule: 'names a file that exists',
    broken: sql`select b.bundle_id as key from embedded_bundle_files b
      where not exists (select 1 from embedded_files f where f.tenant_id = b.tenant_id and f.file_id = b.file_id)`,
  },
]
