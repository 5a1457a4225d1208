import type { Kysely } from 'kysely'

/** Charges for cancellations keep the rule that they follow, so that an invoice says it in the language of its receiver. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('rule', 'text').execute()
}
