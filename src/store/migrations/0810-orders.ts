import { type Kysely, sql } from 'kysely'

/** Orders read in one step. */
const STEP = 500
/** What direct orders are stored under at the embedded ad server. */
const DIRECT = 'direct:'

type Tables = {
  house_orders: { tenant_id: string; order_id: string; anchor: string; document: string; updated_at: string }
  house_lines: { tenant_id: string; line_id: string; order_id: string; anchor: string; document: string }
  billing_months: { tenant_id: string; month: string }
  orders: Record<string, string | number | null>
  order_lines: Record<string, string | number | null>
}

/** Orders that people entered or took over from an ad server, with their lines, and what finance needs to know of orders of every origin. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('orders')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('ad_server', 'text', (c) => c.notNull())
    .addColumn('external_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('advertiser', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('party', 'text', (c) => c.notNull())
    .addColumn('billed_from', 'text', (c) => c.notNull())
    .addColumn('starts_at', 'text', (c) => c.notNull())
    .addColumn('ends_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('report_at', 'text', (c) => c.notNull())
    .addColumn('imports', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('orders_pk', ['tenant_id', 'order_id'])
    .execute()
  await db.schema.createIndex('orders_at_ad_server').on('orders').columns(['tenant_id', 'external_id']).unique().execute()
  await db.schema.createIndex('orders_report_due').on('orders').column('report_at').execute()
  await db.schema
    .createTable('order_lines')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('line_id', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('order_lines_pk', ['tenant_id', 'line_id'])
    .execute()
  await db.schema.createIndex('order_lines_by_order').on('order_lines').columns(['tenant_id', 'order_id']).execute()
  await db.schema
    .createTable('order_terms')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('advertiser', 'text')
    .addColumn('agency', 'text')
    .addColumn('billed_to', 'text', (c) => c.notNull())
    .addColumn('purchase_order', 'text')
    .addColumn('sales_person', 'text')
    .addColumn('labels', 'text', (c) => c.notNull())
    .addColumn('discount_basis_points', 'integer', (c) => c.notNull())
    .addColumn('commission_basis_points', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('order_terms_pk', ['tenant_id', 'order_id'])
    .execute()
  await carryOver(db.withTables<Tables>())
}

/** Takes direct orders over. Their delivery is imported when the server starts; what they delivered in months that are closed is not billed. */
async function carryOver(db: Kysely<Tables>): Promise<void> {
  const billedFrom = await firstOpenMonths(db)
  let after = ['', '']
  for (;;) {
    const [tenant = '', id = ''] = after
    const rows = await db
      .selectFrom('house_orders')
      .selectAll()
      .where('anchor', '>', DIRECT)
      .where('anchor', '<', `${DIRECT}~`)
      .where((eb) => eb.or([eb('tenant_id', '>', tenant), eb.and([eb('tenant_id', '=', tenant), eb('order_id', '>', id)])]))
      .orderBy('tenant_id')
      .orderBy('order_id')
      .limit(STEP)
      .execute()
    for (const row of rows) await carryOrder(db, row, billedFrom.get(row.tenant_id) ?? '')
    const last = rows.at(-1)
    if (!last || rows.length < STEP) return
    after = [last.tenant_id, last.order_id]
  }
}

/** The month after the last closed one of each publisher. */
async function firstOpenMonths(db: Kysely<Tables>): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('billing_months')
    .select(['tenant_id', sql<string>`max(month)`.as('month')])
    .groupBy('tenant_id')
    .execute()
  return new Map(rows.map(({ tenant_id, month }) => [tenant_id, monthAfter(month)]))
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
}

interface Settings {
  readonly name: string
  readonly advertiserId: string
  readonly currency: string
  readonly startsAt: string
  readonly endsAt: string
}

async function carryOrder(db: Kysely<Tables>, row: Tables['house_orders'], billedFrom: string): Promise<void> {
  const { settings, direct }: { settings: Settings; direct?: { history: { at: string }[] } } = JSON.parse(row.document)
  const lines = await db
    .selectFrom('house_lines')
    .selectAll()
    .where('tenant_id', '=', row.tenant_id)
    .where('order_id', '=', row.order_id)
    .execute()
  const rated = lines.map(({ anchor, document }) => {
    const line: { settings: { productId: string; price: { model: string; rateMicros: number } } } = JSON.parse(document)
    const { model, rateMicros } = line.settings.price
    return { anchor, productId: line.settings.productId, rateMicros, document: JSON.stringify({ model, rateMicros }) }
  })
  const orderId = row.anchor.slice(DIRECT.length)
  await db
    .insertInto('orders')
    .values({
      tenant_id: row.tenant_id,
      order_id: orderId,
      origin: 'entered',
      ad_server: 'embedded',
      external_id: row.anchor,
      name: settings.name,
      advertiser: settings.advertiserId,
      currency: settings.currency,
      party: rated.some(({ rateMicros }) => rateMicros > 0) ? `${DIRECT}${settings.advertiserId}` : '',
      billed_from: billedFrom,
      starts_at: settings.startsAt,
      ends_at: settings.endsAt,
      created_at: direct?.history[0]?.at ?? row.updated_at,
      document: '{}',
      report_at: '',
      imports: 0,
    })
    .execute()
  for (const { anchor, productId, document } of rated)
    await db
      .insertInto('order_lines')
      .values({ tenant_id: row.tenant_id, line_id: anchor, order_id: orderId, product_id: productId, document })
      .execute()
}
