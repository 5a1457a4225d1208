import type { Kysely } from 'kysely'

/** What tokens of an issuer may do that name only scopes of other systems: as it was, what their principal may. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('jwt_issuers')
    .addColumn('foreign_scopes', 'text', (column) => column.notNull().defaultTo('inherit'))
    .execute()
}
