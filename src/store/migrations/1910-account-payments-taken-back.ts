import type { Kysely } from 'kysely'

/** A payment into an account that was recorded wrongly is taken back as one of an invoice is: it stays, with who took it back and why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['taken_back_at', 'taken_back_by', 'taken_back_reason'])
    await db.schema.alterTable('account_payments').addColumn(column, 'text').execute()
}
