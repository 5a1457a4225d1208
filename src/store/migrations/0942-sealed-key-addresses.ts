import type { Kysely } from 'kysely'

/**
 * What follows the `?` of the address of public keys lies sealed beside the rest: some hosts take a secret there. Addresses of before are parted at the next start,
 * which has the secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('agent_key_sources').addColumn('query', 'text').execute()
  await db.schema.alterTable('jwt_issuers').addColumn('jwks_query', 'text').execute()
}
