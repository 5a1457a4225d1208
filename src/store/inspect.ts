import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/** A rule of the store that rows break. */
export interface StoreProblem {
  readonly table: string
  readonly rule: string
  /** Keys of some of the rows. */
  readonly examples: readonly string[]
}

/** Rows named for a rule that is broken; the first few are enough to look for the cause. */
const EXAMPLES = 5

interface Rule {
  readonly table: string
  readonly rule: string
  /** Gives the key of each row that breaks the rule. One statement, so that a running server does not make it wrong. */
  readonly broken: RawBuilder<{ key: string }>
}

/** A table as the engine describes it. */
interface Shape {
  readonly name: string
  readonly columns: ReadonlySet<string>
}

/**
 * Holds every table against the rules that no constraint states: rows refer to what exists, finished things say so, counts are what they
 * count. Gives what is broken, and how many rules were looked at.
 */
export async function inspectStore(db: Db): Promise<{ rules: number; problems: readonly StoreProblem[] }> {
  const shapes = (await db.introspection.getTables()).map(({ name, columns }) => ({
    name,
    columns: new Set(columns.map((column) => column.name)),
  }))
  const known = new Set(shapes.map(({ name }) => name))
  const rules = [...shapes.flatMap(referencesOf), ...OWN_RULES.filter(({ table }) => known.has(table))]
  const problems: StoreProblem[] = []
  for (const { table, rule, broken } of rules) {
    const { rows } = await sql<{ key: string }>`${broken} limit ${EXAMPLES}`.execute(db)
    if (rows.length > 0) problems.push({ table, rule, examples: rows.map(({ key }) => key) })
  }
  return { rules: rules.length, problems }
}

/** What a column refers to wherever it stands. Empty text stands for none. */
const REFERENCES = [
  { column: 'tenant_id', parent: 'tenants', within: [] },
  { column: 'principal_id', parent: 'principals', within: ['tenant_id'] },
  { column: 'account_id', parent: 'accounts', within: ['tenant_id'] },
  { column: 'media_buy_id', parent: 'media_buys', within: ['tenant_id'] },
  { column: 'package_id', parent: 'packages', within: ['tenant_id'] },
] as const

/**
 * What stays after its subject: records of the past, and what outlives a removed agent. A sandbox agent's simulated accounts are none
 * of the accounts table, and the callers of a public task are no principals.
 */
const OUTLIVES: readonly (readonly [table: string, column: string])[] = [
  ['audit_log', 'principal_id'],
  ['webhook_outbox', 'media_buy_id'],
]

function referencesOf({ name, columns }: Shape): Rule[] {
  return REFERENCES.filter(
    ({ column, parent, within }) =>
      name !== parent &&
      columns.has(column) &&
      within.every((outer) => columns.has(outer)) &&
      !OUTLIVES.some(([table, left]) => table === name && left === column),
  ).map(({ column, parent, within }) => {
    const pairs = [...within, column].map((each) => sql`p.${sql.ref(each)} = c.${sql.ref(each)}`)
    const key = sql.join(
      [...within, column].map((each) => sql`c.${sql.ref(each)}`),
      sql` || ' ' || `,
    )
    return {
      table: name,
      rule: `${column} is one of ${parent}`,
      broken: sql`select distinct ${key} as key from ${sql.table(name)} c
        where c.${sql.ref(column)} <> ''
        and not exists (select 1 from ${sql.table(parent)} p where ${sql.join(pairs, sql` and `)})`,
    }
  })
}

/** Rules of single tables, in portable SQL. */
const OWN_RULES: readonly Rule[] = [
  {
    table: 'tenants',
    rule: 'one at most is the default of public calls',
    broken: sql`select tenant_id as key from tenants where is_public_default = 1
      and (select count(*) from tenants where is_public_default = 1) > 1`,
  },
  {
    table: 'media_buys',
    rule: 'has a package',
    broken: sql`select b.media_buy_id as key from media_buys b where not exists
      (select 1 from packages p where p.tenant_id = b.tenant_id and p.media_buy_id = b.media_buy_id)`,
  },
  {
    table: 'media_buys',
    rule: 'ends after it starts, and has a revision',
    broken: sql`select media_buy_id as key from media_buys where ends_at <= starts_at or revision < 1`,
  },
  {
    table: 'packages',
    rule: 'has a place of its own in its media buy',
    broken: sql`select media_buy_id as key from packages group by tenant_id, media_buy_id, position having count(*) > 1`,
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
    table: 'webhook_outbox',
    rule: 'says when it was settled exactly when it is settled',
    broken: sql`select delivery_id as key from webhook_outbox where (settled_at is not null) <> (state <> 'pending')`,
  },
  {
    table: 'webhook_outbox',
    rule: 'goes to an endpoint that exists while it waits',
    broken: sql`select delivery_id as key from webhook_outbox o where state = 'pending'
      and not exists (select 1 from webhook_endpoints e where e.endpoint_id = o.endpoint_id)`,
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
    table: 'inventory_days',
    rule: 'reserves nothing or something',
    broken: sql`select product_id || ' ' || day as key from inventory_days where reserved < 0`,
  },
  {
    table: 'signing_keys',
    rule: 'signs with one key of a purpose',
    broken: sql`select purpose as key from signing_keys where state = 'active' group by purpose having count(*) > 1`,
  },
  {
    table: 'content_standards',
    rule: 'has the version that is in force',
    broken: sql`select s.standards_id as key from content_standards s where not exists
      (select 1 from content_standards_versions v
       where v.tenant_id = s.tenant_id and v.standards_id = s.standards_id and v.version = s.version)`,
  },
  {
    table: 'directory_claims',
    rule: 'is of an agent that the directory knows',
    broken: sql`select distinct c.agent_id as key from directory_claims c
      where not exists (select 1 from directory_agents a where a.agent_id = c.agent_id)`,
  },
  {
    table: 'directory_publishers',
    rule: 'ends its way at a file that is kept',
    broken: sql`select p.publisher_domain as key from directory_publishers p where p.route_document_id is not null
      and not exists (select 1 from directory_documents d where d.document_id = p.route_document_id)`,
  },
]
