import { sql } from 'kysely'
import type { StoreRule } from './inspect-rules.ts'

/** Rules of what runs the agent: tenants, keys, retries, tasks, webhooks, the audit log, the directory and the registry. */
export const RUNNING_RULES: readonly StoreRule[] = [
  {
    table: 'tenants',
    rule: 'one at most is the default of public calls',
    broken: sql`select tenant_id as key from tenants where is_public_default = 1
      and (select count(*) from tenants where is_public_default = 1) > 1`,
  },
  {
    table: 'idempotency',
    rule: 'is forgotten after it expires, and has an owner while it is claimed',
    broken: sql`select idempotency_key as key from idempotency where forget_at < expires_at or (response is null and claim = '')`,
  },
  {
    table: 'tasks',
    rule: 'says when it ended exactly when it ended',
    broken: sql`select task_id as key from tasks
      where (completed_at is not null) <> (status in ('completed', 'failed', 'canceled', 'rejected'))`,
  },
  {
    table: 'task_changes',
    rule: 'is a change of a task',
    broken: sql`select distinct c.task_id as key from task_changes c
      where not exists (select 1 from tasks t where t.tenant_id = c.tenant_id
        and t.principal_id = c.principal_id and t.task_id = c.task_id)`,
  },
  {
    table: 'task_texts',
    rule: 'is what a task is found by',
    broken: sql`select x.task_id as key from task_texts x
      where not exists (select 1 from tasks t where t.tenant_id = x.tenant_id
        and t.principal_id = x.principal_id and t.task_id = x.task_id)`,
  },
  {
    table: 'approvals',
    rule: 'is about a task',
    broken: sql`select c.task_id as key from approvals c
      where not exists (select 1 from tasks t where t.tenant_id = c.tenant_id and t.task_id = c.task_id)`,
  },
  {
    table: 'approvals',
    rule: 'says when it was decided exactly when it is decided',
    broken: sql`select task_id as key from approvals
      where (decided_at is not null) <> (state not in ('waiting', 'asked', 'approving'))`,
  },
  {
    table: 'webhook_outbox',
    rule: 'says when it was settled exactly when it is settled',
    broken: sql`select delivery_id as key from webhook_outbox where (settled_at is not null) <> (state <> 'pending')`,
  },
  {
    table: 'webhook_outbox',
    rule: 'goes to an endpoint that exists while it is pending',
    broken: sql`select delivery_id as key from webhook_outbox o where state = 'pending'
      and not exists (select 1 from webhook_endpoints e where e.endpoint_id = o.endpoint_id)`,
  },
  {
    table: 'webhook_outbox',
    rule: 'is held only while an earlier one of its ordering key is pending',
    broken: sql`select delivery_id as key from webhook_outbox o where state = 'pending' and held = 1 and not exists
      (select 1 from webhook_outbox e where e.ordering_key = o.ordering_key and e.position < o.position and e.state = 'pending')`,
  },
  {
    table: 'scheduled_events',
    rule: 'notifies an endpoint that exists',
    broken: sql`select c.event_id as key from scheduled_events c
      where not exists (select 1 from webhook_endpoints e where e.endpoint_id = c.endpoint_id)`,
  },
  {
    table: 'signature_nonce_counts',
    rule: 'counts the nonces of its key',
    broken: sql`select c.keyid as key from signature_nonce_counts c
      where c.entries <> (select count(*) from signature_nonces n where n.keyid = c.keyid)`,
  },
  {
    table: 'signature_nonces',
    rule: 'is counted',
    broken: sql`select distinct n.keyid as key from signature_nonces n
      where not exists (select 1 from signature_nonce_counts c where c.keyid = n.keyid)`,
  },
  {
    table: 'signing_keys',
    rule: 'signs with one key of a purpose, and of a brand',
    broken: sql`select purpose as key from signing_keys where state = 'active' group by purpose, subject having count(*) > 1`,
  },
  {
    table: 'auth_failures',
    rule: 'counts at least one',
    broken: sql`select bucket as key from auth_failures where failures < 1`,
  },
  {
    table: 'audit_log',
    rule: 'numbers the links of a chain without a gap',
    broken: sql`select tenant_id as key from audit_log group by tenant_id having count(*) <> max(seq) or min(seq) <> 1`,
  },
  {
    table: 'governance_log',
    rule: 'numbers the entries of a plan without a gap',
    broken: sql`select plan_id as key from governance_log
      group by tenant_id, principal_id, plan_id having count(*) <> max(seq) or min(seq) <> 1`,
  },
  keptIn('directory_agents', 'agent_id', { table: 'directory_claims', rule: 'is of an agent that the directory knows' }),
  {
    table: 'directory_publishers',
    rule: 'ends at a file that is stored',
    broken: sql`select p.publisher_domain as key from directory_publishers p where p.route_document_id is not null
      and not exists (select 1 from directory_documents d where d.document_id = p.route_document_id)`,
  },
  keptIn('directory_documents', 'document_id', { table: 'directory_texts', rule: 'is of a file that is stored' }),
  keptIn('directory_documents', 'document_id', { table: 'directory_holds', rule: 'holds a file that is stored' }),
  keptIn('registry_agents', 'agent_id', { table: 'registry_facets', rule: 'is of an agent that the registry knows' }),
  {
    table: 'registry_events',
    rule: 'has a number that was given out',
    broken: sql`select cast(e.sequence as text) as key from registry_events e
      where e.sequence > coalesce((select f.sequence from registry_feed f where f.name = 'last'), 0)`,
  },
]

/** Rows whose column names a row of another table that has it under the same name. */
function keptIn(parent: string, column: string, { table, rule }: Pick<StoreRule, 'table' | 'rule'>): StoreRule {
  const [ours, theirs] = [sql.ref(`c.${column}`), sql.ref(`p.${column}`)]
  const broken = sql<{ key: string }>`select distinct ${ours} as key from ${sql.table(table)} c
    where not exists (select 1 from ${sql.table(parent)} p where ${theirs} = ${ours})`
  return { table, rule, broken }
}
