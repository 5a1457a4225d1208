import { type Kysely, sql } from 'kysely'

/** Orders read in one step: their documents are read into memory. */
const STEP = 500

type Tables = {
  media_buys: { tenant_id: string; media_buy_id: string; advertiser: string; document: string }
}

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

/** Daily sums of delivery, so that a report reads days and not orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumns(db)
  let days = db.schema
    .createTable('delivery_days')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('package_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('creative_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_days_pk', ['tenant_id', 'package_id', 'day', 'creative_id'])
  for (const name of COUNTS) days = days.addColumn(name, 'bigint', (c) => c.notNull())
  await days.execute()
  await db.schema.createIndex('delivery_days_by_day').on('delivery_days').columns(['tenant_id', 'day', 'package_id']).execute()
  let totals = db.schema
    .createTable('delivery_totals')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('dimension', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('sandbox', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_totals_pk', ['tenant_id', 'dimension', 'day', 'value', 'currency', 'sandbox'])
  for (const name of COUNTS) totals = totals.addColumn(name, 'bigint', (c) => c.notNull())
  await totals.execute()
  await db.schema
    .createTable('delivery_zones')
    .addColumn('tenant_id', 'text', (c) => c.primaryKey())
    .addColumn('time_zone', 'text', (c) => c.notNull())
    .execute()
  await fillDays(db)
  await fillAdvertisers(db.withTables<Tables>())
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('media_buys')
    .addColumn('advertiser', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('media_buys')
    .addColumn('delivery_source', 'text', (c) => c.notNull().defaultTo('live'))
    .execute()
  await db.schema
    .createIndex('media_buys_asked')
    .on('media_buys')
    .columns(['tenant_id', 'ends_at', 'media_buy_id', 'starts_at'])
    .where(sql.ref('delivery_source'), '=', sql.lit('live'))
    .execute()
}

/** What ad servers reported so far, by UTC day; orders enter the totals when the background job finds them. */
async function fillDays(db: Kysely<unknown>): Promise<void> {
  const sums = sql.join(COUNTS.map((name) => sql`sum(${sql.ref(`l.${name}`)})`))
  const columns = sql.join(COUNTS.map((name) => sql.ref(name)))
  await sql`insert into delivery_days (tenant_id, package_id, day, creative_id, ${columns})
    select l.tenant_id, l.package_id, substr(l.period, 1, 10), l.creative_id, ${sums}
    from delivery_ledger l
    where not exists (select 1 from delivery_ledger newer where newer.tenant_id = l.tenant_id and newer.package_id = l.package_id
      and newer.period = l.period and newer.creative_id = l.creative_id and newer.revision > l.revision)
    group by l.tenant_id, l.package_id, substr(l.period, 1, 10), l.creative_id`.execute(db)
}

async function fillAdvertisers(db: Kysely<Tables>): Promise<void> {
  let after = ['', '']
  for (;;) {
    const [tenant = '', id = ''] = after
    const rows = await db
      .selectFrom('media_buys')
      .select(['tenant_id', 'media_buy_id', 'document'])
      .where((eb) => eb.or([eb('tenant_id', '>', tenant), eb.and([eb('tenant_id', '=', tenant), eb('media_buy_id', '>', id)])]))
      .orderBy('tenant_id')
      .orderBy('media_buy_id')
      .limit(STEP)
      .execute()
    for (const { tenant_id, media_buy_id, document } of rows) {
      const buy: { brand?: { domain?: string } } = JSON.parse(document)
      const advertiser = buy.brand?.domain ?? ''
      if (advertiser === '') continue
      await db
        .updateTable('media_buys')
        .set({ advertiser })
        .where('tenant_id', '=', tenant_id)
        .where('media_buy_id', '=', media_buy_id)
        .execute()
    }
    const last = rows.at(-1)
    if (!last || rows.length < STEP) return
    after = [last.tenant_id, last.media_buy_id]
  }
}
