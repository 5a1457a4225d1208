import type { Kysely } from 'kysely'

/** Second factors of people, sign-ins that wait for one, and how each session began. Sessions from before began with a password or at the provider: which, nobody knows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('person_totps')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('people.person_id'))
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .addColumn('wrong_codes', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text')
    .execute()
  await db.schema
    .createTable('person_passkeys')
    .addColumn('credential_id', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('people.person_id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text')
    .execute()
  await db.schema.createIndex('person_passkeys_by_person').on('person_passkeys').columns(['person_id', 'created_at']).execute()
  await db.schema
    .createTable('person_recovery_codes')
    .addColumn('person_id', 'text', (c) => c.notNull().references('people.person_id'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('person_recovery_codes_pk', ['person_id', 'code_hash'])
    .execute()
  await db.schema
    .createTable('person_half_sign_ins')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('people.person_id'))
    .addColumn('way', 'text', (c) => c.notNull())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('person_half_sign_ins_by_person').on('person_half_sign_ins').column('person_id').execute()
  await db.schema
    .alterTable('person_sessions')
    .addColumn('way', 'text', (c) => c.notNull().defaultTo('password'))
    .execute()
  await db.schema.alterTable('person_sessions').addColumn('factor', 'text').execute()
}
