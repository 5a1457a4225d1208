import { type Kysely, sql } from 'kysely'

/** Orders read in one step: their documents are read into memory. */
const STEP = 500

type Tables = {
  media_buys: {
    tenant_id: string
    media_buy_id: string
    principal_id: string
    account_id: string
    document: string
    budget_micros: number
    currency: string
    search: string
  }
  packages: { tenant_id: string; media_buy_id: string; product_id: string; document: string }
}

/**
 * The publisher's own list of orders, over all of its buyers: budget and currency as columns, text to search in, and one index for each order of the
 * list that holds everything that the list filters by, so that a page reads no documents but its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const orders = () => db.schema.alterTable('media_buys')
  await orders()
    .addColumn('budget_micros', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await orders()
    .addColumn('currency', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await orders()
    .addColumn('search', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await fill(db.withTables<Tables>())
  const filtered = ['decision', 'paused', 'starts_at', 'ends_at', 'principal_id', 'account_id']
  for (const column of ['created_at', 'ends_at', 'budget_micros']) {
    await db.schema
      .createIndex(`media_buys_list_${column}`)
      .on('media_buys')
      .columns(['tenant_id', column, 'media_buy_id', ...filtered.filter((other) => other !== column), 'search'])
      .execute()
  }
  await db.schema.createIndex('packages_by_product').on('packages').columns(['tenant_id', 'product_id', 'media_buy_id']).execute()
  // What runs or will run, over all buyers, is little beside what is over.
  await db.schema
    .createIndex('media_buys_running')
    .on('media_buys')
    .columns(['tenant_id', 'ends_at', 'media_buy_id', 'starts_at', 'paused'])
    .where(sql.ref('decision'), 'is', null)
    .execute()
}

async function fill(db: Kysely<Tables>): Promise<void> {
  let after = ['', '']
  for (;;) {
    const [tenant = '', id = ''] = after
    const rows = await db
      .selectFrom('media_buys')
      .select(['tenant_id', 'media_buy_id', 'principal_id', 'account_id', 'document'])
      .where((eb) => eb.or([eb('tenant_id', '>', tenant), eb.and([eb('tenant_id', '=', tenant), eb('media_buy_id', '>', id)])]))
      .orderBy('tenant_id')
      .orderBy('media_buy_id')
      .limit(STEP)
      .execute()
    for (const row of rows) await fillOne(db, row)
    const last = rows.at(-1)
    if (!last || rows.length < STEP) return
    after = [last.tenant_id, last.media_buy_id]
  }
}

type Row = Omit<Tables['media_buys'], 'budget_micros' | 'currency' | 'search'>

async function fillOne(db: Kysely<Tables>, row: Row): Promise<void> {
  const packages = await db
    .selectFrom('packages')
    .select(['product_id', 'document'])
    .where('tenant_id', '=', row.tenant_id)
    .where('media_buy_id', '=', row.media_buy_id)
    .execute()
  const buy: { currency?: string; poNumber?: string; brand?: { domain?: string } } = JSON.parse(row.document)
  const documents: { terms?: { budgetMicros?: number }; cancellation?: object }[] = packages.map(({ document }) =>
    JSON.parse(document),
  )
  const words = [row.media_buy_id, row.principal_id, row.account_id, buy.brand?.domain, buy.poNumber]
  const products = packages.map(({ product_id }) => product_id)
  await db
    .updateTable('media_buys')
    .set({
      budget_micros: documents.reduce((sum, { terms, cancellation }) => sum + (cancellation ? 0 : (terms?.budgetMicros ?? 0)), 0),
      currency: buy.currency ?? '',
      search: searchText([...words, ...products]),
    })
    .where('tenant_id', '=', row.tenant_id)
    .where('media_buy_id', '=', row.media_buy_id)
    .execute()
}

/** As of this migration; later changes of the form do not reach it. PostgreSQL indexes at most 2,700 bytes of a row. */
function searchText(words: readonly (string | undefined)[]): string {
  const distinct = [...new Set(words.filter((word) => word !== undefined && word !== ''))]
  return distinct.join(' ').toLowerCase().slice(0, 400)
}
