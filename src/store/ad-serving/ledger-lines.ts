import { type RawBuilder, sql } from 'kysely'

/** What delivery can be split by. */
export type LineDimension = 'order' | 'package' | 'product' | 'buyer' | 'advertiser' | 'account'

/** Where the lines of the ledger are described: `d` is a day of one. */
export interface LineSource {
  readonly joins: RawBuilder<unknown>
  /** Which lines are in the sums. */
  readonly counted: RawBuilder<boolean>
  readonly columns: Readonly<Record<LineDimension, RawBuilder<string>>>
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
  currency: sql`b.currency`,
  sandbox: IS_SANDBOX,
}

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
    account: sql`o.party`,
  },
  currency: sql`o.currency`,
  sandbox: sql`0`,
}

/** Lines of every origin. */
export const LINE_SOURCES: readonly LineSource[] = [BOUGHT, SOLD]

/** One selection of each source, together. */
export function fromAllLines<T>(select: (source: LineSource) => RawBuilder<T>): RawBuilder<T> {
  return sql<T>`${sql.join(LINE_SOURCES.map(select), sql` union all `)}`
}
