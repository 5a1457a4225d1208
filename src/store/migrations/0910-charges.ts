import type { Kysely } from 'kysely'

/** Packages read in one step. */
const STEP = 500

interface StoredPackage {
  readonly cancellation?: { readonly canceledAt: string }
  readonly cancellationFee?: { readonly micros: number }
  readonly pricing: { readonly currency: string }
}

type Tables = {
  packages: { tenant_id: string; package_id: string; media_buy_id: string; product_id: string; document: string }
  media_buys: { tenant_id: string; media_buy_id: string; document: string }
  charges: Record<string, string | number | null>
}

/** What is charged for orders beside their delivery, until and after it is on an invoice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charges')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('charge_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('line_id', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('incurred_at', 'text', (c) => c.notNull())
    .addColumn('made_by', 'text')
    .addColumn('invoice_id', 'text')
    .addColumn('taken_back_at', 'text')
    .addColumn('taken_back_by', 'text')
    .addColumn('taken_back_reason', 'text')
    .addPrimaryKeyConstraint('charges_pk', ['tenant_id', 'charge_id'])
    .execute()
  await db.schema.createIndex('charges_of_orders').on('charges').columns(['tenant_id', 'order_id']).execute()
  await db.schema.createIndex('charges_of_invoices').on('charges').columns(['tenant_id', 'invoice_id', 'incurred_at']).execute()
  await carryOver(db.withTables<Tables>())
}

/** Fees of packages that were canceled before are charged too. */
async function carryOver(db: Kysely<Tables>): Promise<void> {
  let [afterTenant, afterPackage] = ['', '']
  for (;;) {
    const rows = await db
      .selectFrom('packages as p')
      .innerJoin('media_buys as b', (join) =>
        join.onRef('b.tenant_id', '=', 'p.tenant_id').onRef('b.media_buy_id', '=', 'p.media_buy_id'),
      )
      .select(['p.tenant_id', 'p.package_id', 'p.media_buy_id', 'p.product_id', 'p.document', 'b.document as order'])
      .where('p.document', 'like', '%"cancellationFee"%')
      .where((e) =>
        e.or([
          e('p.tenant_id', '>', afterTenant),
          e.and([e('p.tenant_id', '=', afterTenant), e('p.package_id', '>', afterPackage)]),
        ]),
      )
      .orderBy('p.tenant_id')
      .orderBy('p.package_id')
      .limit(STEP)
      .execute()
    for (const row of rows) await addFee(db, row)
    const last = rows.at(-1)
    if (!last || rows.length < STEP) return
    ;[afterTenant, afterPackage] = [last.tenant_id, last.package_id]
  }
}

async function addFee(db: Kysely<Tables>, row: Tables['packages'] & { readonly order: string }): Promise<void> {
  const { cancellationFee, cancellation, pricing }: StoredPackage = JSON.parse(row.document)
  const order: StoredPackage = JSON.parse(row.order)
  const at = (cancellation ?? order.cancellation)?.canceledAt
  if (!cancellationFee || cancellationFee.micros <= 0 || at === undefined) return
  const { tenant_id, package_id: line_id, media_buy_id: order_id, product_id } = row
  await db
    .insertInto('charges')
    .values({
      ...{ tenant_id, charge_id: `fee_${line_id}`, kind: 'cancellation', order_id, line_id, product_id },
      ...{ currency: pricing.currency, amount_micros: cancellationFee.micros, reason: 'fee of the cancellation' },
      ...{ incurred_at: at, made_by: null, invoice_id: null },
      ...{ taken_back_at: null, taken_back_by: null, taken_back_reason: null },
    })
    .execute()
}
