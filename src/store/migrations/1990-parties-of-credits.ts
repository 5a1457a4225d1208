import { type Kysely, sql } from 'kysely'

/** A credit stays with whom it was given to. Open ones of before are with whom their orders are billed to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('credited_to', 'text').execute()
  await sql`update charges set credited_to = (select nullif(o.party, '') from orders o
      where o.tenant_id = charges.tenant_id and o.order_id = charges.order_id)
    where amount_micros < 0 and invoice_id is null and taken_back_at is null`.execute(db)
}
