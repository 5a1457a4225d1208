import type { CreateTableBuilder, Kysely } from 'kysely'

export async function createGovernanceTables(db: Kysely<unknown>): Promise<void> {
  await createCampaignPlans(db)
  await createGovernanceAgents(db)
}

/** A plan's id is chosen by the buyer, so it is unique only within its agent. */
const PLAN = ['tenant_id', 'principal_id', 'plan_id'] as const

function table(db: Kysely<unknown>, name: string): CreateTableBuilder<string, 'tenant_id' | 'principal_id' | 'plan_id'> {
  return db.schema
    .createTable(name)
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('plan_id', 'text', (c) => c.notNull())
}

async function createCampaignPlans(db: Kysely<unknown>): Promise<void> {
  await table(db, 'governance_plans')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('governance_plans_pk', [...PLAN])
    .addForeignKeyConstraint('governance_plans_principal', ['tenant_id', 'principal_id'], 'principals', [
      'tenant_id',
      'principal_id',
    ])
    .execute()
  // Every revision stays: a token's plan_hash is checked against the revision that it was given under.
  await table(db, 'governance_plan_versions')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('plan_hash', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('governance_plan_versions_pk', [...PLAN, 'version'])
    .addForeignKeyConstraint('governance_plan_versions_of', [...PLAN], 'governance_plans', [...PLAN])
    .execute()
  await table(db, 'governance_plan_members')
    .addColumn('member_plan_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('governance_plan_members_pk', ['tenant_id', 'principal_id', 'member_plan_id', 'plan_id'])
    .addForeignKeyConstraint('governance_plan_members_of', [...PLAN], 'governance_plans', [...PLAN])
    .execute()
  await table(db, 'governance_actions')
    .addColumn('action_id', 'text', (c) => c.notNull())
    // What the caller asked for, as a hash: the same question finds its action without a token.
    .addColumn('action_key', 'text', (c) => c.notNull())
    .addColumn('purchase_type', 'text', (c) => c.notNull())
    .addColumn('caller', 'text', (c) => c.notNull())
    .addColumn('seller', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('committed_micros', 'bigint', (c) => c.notNull())
    .addColumn('seller_reference', 'text')
    .addColumn('governance_context', 'text', (c) => c.notNull())
    // Amount and channels as they were approved, JSON; absent until they are.
    .addColumn('approved', 'text')
    .addColumn('escalation', 'text')
    .addColumn('escalation_state', 'text')
    .addColumn('escalated_check_id', 'text')
    .addColumn('counterproposals', 'integer', (c) => c.notNull())
    .addColumn('check_count', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('next_check_at', 'text')
    .addPrimaryKeyConstraint('governance_actions_pk', [...PLAN, 'action_id'])
    .addForeignKeyConstraint('governance_actions_of', [...PLAN], 'governance_plans', [...PLAN])
    .execute()
  await db.schema
    .createIndex('governance_actions_by_key')
    .on('governance_actions')
    .columns([...PLAN, 'action_key'])
    .execute()
  await db.schema
    .createIndex('governance_actions_waiting')
    .on('governance_actions')
    .columns(['tenant_id', 'escalation_state', 'created_at'])
    .execute()
  await db.schema
    .createIndex('governance_actions_by_escalation')
    .on('governance_actions')
    .columns(['tenant_id', 'escalated_check_id'])
    .execute()
  await table(db, 'governance_log')
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('entry_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('action_id', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('previous_hash', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('governance_log_pk', [...PLAN, 'seq'])
    .addForeignKeyConstraint('governance_log_of', [...PLAN], 'governance_plans', [...PLAN])
    .execute()
  await db.schema.createIndex('governance_log_by_kind').on('governance_log').columns(['kind']).execute()
  await db.schema
    .createIndex('governance_log_by_entry')
    .unique()
    .on('governance_log')
    .columns(['tenant_id', 'entry_id'])
    .execute()
}

async function createGovernanceAgents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('account_governance_agents')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('scheme', 'text', (c) => c.notNull())
    .addColumn('credentials', 'text', (c) => c.notNull())
    .addColumn('categories', 'text')
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('account_governance_agents_pk', ['tenant_id', 'account_id', 'position'])
    .execute()
  await db.schema
    .createTable('spend_approvals')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('agent_url', 'text', (c) => c.notNull())
    .addColumn('check_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('plan_id', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('phase', 'text', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('spend_approvals_pk', ['tenant_id', 'resource_id', 'agent_url', 'check_id'])
    .execute()
  // Every governance token that came with a request, for auditors; those whose issuer was known are used up.
  await db.schema
    .createTable('governance_tokens')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('principal_id', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('governance_tokens_pk', ['tenant_id', 'resource_id', 'token_hash'])
    .execute()
  await db.schema
    .createTable('used_governance_tokens')
    .addColumn('iss', 'text', (c) => c.notNull())
    .addColumn('aud', 'text', (c) => c.notNull())
    .addColumn('jti', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('used_governance_tokens_pk', ['iss', 'aud', 'jti'])
    .execute()
  await db.schema.createIndex('used_governance_tokens_expiry').on('used_governance_tokens').columns(['expires_at']).execute()
}
