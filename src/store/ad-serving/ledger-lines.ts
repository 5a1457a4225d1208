import { type RawBuilder, sql } from 'kysely'

/** What delivery can be split by. */
export type LineDimension = 'order' | 'package' | 'product' | 'buyer' | 'advertiser' | 'account'

/** Where the lines of the ledger are described: `d` is a day of one. */
export interface LineSource {
  readonly joins: RawBuilder<unknown>
  /** Which lines are in the sums. */
  readonly counted: RawBuilder<boolean>
  readonly columns: Readonly<Record<LineDimension, RawBuilder<string>>>
  /** Who pays for the line now; '': nobody. Who pays for the day `d` is `columns.account`. */
  readonly payer: RawBuilder<string>
  readonly currency: RawBuilder<string>
  /** 1: it costs nobody money. */
  readonly sandbox: RawBuilder<number>
}

/** 1 for an order that costs nobody money: its buyer is a sandbox agent, or its account a sandbox account. `b` is the media buy. */
export const IS_SANDBOX = sql<number>`case when exists (select 1 from principals a where a.tenant_id = b.tenant_id
    and a.principal_id = b.principal_id and a.sandbox = 1)
  or exists (select 1 from accounts c where c.tenant_id = b.tenant_id and c.account_id = b.account_id and c.sandbox = 1)
  then 1 else 0 end`

/** Packages of buyers; those whose whole delivery is in `delivery_days`: that of others is asked for. */
const BOUGHT: LineSource = {
  joins: sql`join packages p on p.tenant_id = d.tenant_id and p.package_id = d.package_id
    join media_buys b on b.tenant_id = p.tenant_id and b.media_buy_id = p.media_buy_id`,
  counted: sql`b.delivery_source in ('ledger', 'settled')`,
  columns: {
    order: sql`b.media_buy_id`,
    package: sql`p.package_id`,
    product: sql`p.product_id`,
    buyer: sql`b.principal_id`,
    advertiser: sql`b.advertiser`,
    account: sql`b.account_id`,
  },
  payer: sql`b.account_id`,
  currency: sql`b.currency`,
  sandbox: IS_SANDBOX,
}

/**
 * Who pays for the day `d` of a line of an order `o`: whom the month of the day was billed to, also for what is corrected of it later; else, and where invoices were credited as a whole, whom the order is
 * billed to now.
 */
const PARTY_OF_DAY = sql<string>`coalesce((select i.account_id from invoice_lines v
    join invoices i on i.tenant_id = v.tenant_id and i.invoice_id = v.invoice_id
    where v.tenant_id = d.tenant_id and v.package_id = d.package_id and v.service_month = substr(d.day, 1, 7)
    group by i.account_id having sum(v.impressions) <> 0 or sum(v.amount_micros) <> 0
    order by min(v.invoice_id) desc limit 1), o.party)`

/** Lines of orders that people entered: they have no buyer, and their billing party in place of an account. */
const SOLD: LineSource = {
  joins: sql`join order_lines l on l.tenant_id = d.tenant_id and l.line_id = d.package_id
    join orders o on o.tenant_id = l.tenant_id and o.order_id = l.order_id`,
  counted: sql`1 = 1`,
  columns: {
    order: sql`o.order_id`,
    package: sql`l.line_id`,
    product: sql`l.product_id`,
    buyer: sql`''`,
    advertiser: sql`o.advertiser`,
    account: PARTY_OF_DAY,
  },
  payer: sql`o.party`,
  currency: sql`o.currency`,
  sandbox: sql`0`,
}

/** Lines of every origin. */
export const LINE_SOURCES: readonly LineSource[] = [BOUGHT, SOLD]

/** One selection of each source, together. */
export function fromAllLines<T>(select: (source: LineSource) => RawBuilder<T>): RawBuilder<T> {
  return sql<T>`${sql.join(LINE_SOURCES.map(select), sql` union all `)}`
}
