import { type Kysely, sql } from 'kysely'

/**
 * Idempotency keys belong to the agent and no longer to one of its accounts, so that the retry of a call from before this migration still finds
 * its answer. Where an agent used one key in two accounts, one of the two answers stays; `/call` marks records that are no keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = sql.raw('idempotency_key, request_hash, claim, lease_until, response, expires_at, forget_at')
  const keysOfAccounts = sql`account_id <> '' and account_id <> '/call'`
  await sql`insert into idempotency (tenant_id, principal_id, account_id, ${columns})
    select tenant_id, principal_id, '', ${columns} from idempotency where ${keysOfAccounts}
    on conflict do nothing`.execute(db)
  await sql`delete from idempotency where ${keysOfAccounts}`.execute(db)
}
