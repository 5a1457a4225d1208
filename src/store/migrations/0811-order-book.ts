import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Orders read in one step. */
const STEP = 500

type Tables = {
  house_orders: { tenant_id: string; anchor: string; document: string }
  order_lines: { tenant_id: string; order_id: string; product_id: string }
  orders: {
    tenant_id: string
    order_id: string
    external_id: string
    name: string
    advertiser: string
    budget_micros: number
    search: string
  }
}

/** Orders that people entered can be listed beside those of buyers: their budget, text to search in, and one index for each order of the list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('orders')
    .addColumn('budget_micros', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('orders')
    .addColumn('search', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  // Ids sort by their bytes on either database, whatever language PostgreSQL was set up for.
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    for (const table of ['orders', 'order_lines', 'order_terms'])
      await sql`alter table ${sql.table(table)} alter column order_id type text collate "C"`.execute(db)
  await fill(db.withTables<Tables>())
  for (const sort of ['created_at', 'ends_at', 'budget_micros'])
    await db.schema.createIndex(`orders_by_${sort}`).on('orders').columns(['tenant_id', sort, 'order_id']).execute()
}

async function fill(db: Kysely<Tables>): Promise<void> {
  let after = ['', '']
  for (;;) {
    const [tenant = '', id = ''] = after
    const rows = await db
      .selectFrom('orders')
      .select(['tenant_id', 'order_id', 'external_id', 'name', 'advertiser'])
      .where((eb) => eb.or([eb('tenant_id', '>', tenant), eb.and([eb('tenant_id', '=', tenant), eb('order_id', '>', id)])]))
      .orderBy('tenant_id')
      .orderBy('order_id')
      .limit(STEP)
      .execute()
    for (const row of rows) await fillOne(db, row)
    const last = rows.at(-1)
    if (!last || rows.length < STEP) return
    after = [last.tenant_id, last.order_id]
  }
}

type Row = Omit<Tables['orders'], 'budget_micros' | 'search'>

async function fillOne(db: Kysely<Tables>, row: Row): Promise<void> {
  const booked = await db
    .selectFrom('house_orders')
    .select('document')
    .where('tenant_id', '=', row.tenant_id)
    .where('anchor', '=', row.external_id)
    .executeTakeFirst()
  const lines = await db
    .selectFrom('order_lines')
    .select('product_id')
    .where('tenant_id', '=', row.tenant_id)
    .where('order_id', '=', row.order_id)
    .orderBy('product_id')
    .execute()
  const { settings }: { settings?: { budgetMicros?: number } } = JSON.parse(booked?.document ?? '{}')
  const products = new Set(lines.map(({ product_id: id }) => id))
  await db
    .updateTable('orders')
    .set({
      budget_micros: settings?.budgetMicros ?? 0,
      search: [row.order_id, row.name, row.advertiser, ...products].join(' ').toLowerCase(),
    })
    .where('tenant_id', '=', row.tenant_id)
    .where('order_id', '=', row.order_id)
    .execute()
}
