import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { RULES, type StoreRule, WITHOUT_RULES } from './inspect-rules.ts'

/** A rule of the store that rows break. */
export interface StoreProblem {
  readonly table: string
  readonly rule: string
  /** Keys of some of the rows. */
  readonly examples: readonly string[]
}

/** Rows named for a rule that is broken; the first few are enough to look for the cause. */
const EXAMPLES = 5

/** A table as the engine describes it. */
interface Shape {
  readonly name: string
  readonly columns: ReadonlySet<string>
}

/**
 * Holds every table against the rules that no constraint states: rows refer to what exists, finished things say so, counts are what they
 * count. Gives what is broken, and how many tables and rules were examined.
 */
export async function inspectStore(db: Db): Promise<{ tables: number; rules: number; problems: readonly StoreProblem[] }> {
  const shapes = (await db.introspection.getTables()).map(({ name, columns }) => ({
    name,
    columns: new Set(columns.map((column) => column.name)),
  }))
  const known = new Set(shapes.map(({ name }) => name))
  const rules = [...shapes.flatMap(referencesOf), ...RULES.filter(({ table }) => known.has(table))]
  const problems: StoreProblem[] = []
  for (const { table, rule, broken } of rules) {
    const { rows } = await sql<{ key: string }>`${broken} limit ${EXAMPLES}`.execute(db)
    if (rows.length > 0) problems.push({ table, rule, examples: rows.map(({ key }) => key) })
  }
  const ruled = new Set(rules.map(({ table }) => table))
  const tables = shapes.filter(({ name }) => ruled.has(name) || WITHOUT_RULES[name] !== undefined).length
  return { tables, rules: rules.length, problems }
}

/** What a column refers to in every table. Empty text means none. */
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
  ['audit_entries', 'tenant_id'],
  ['audit_log', 'tenant_id'],
  ['audit_log', 'principal_id'],
  ['webhook_outbox', 'media_buy_id'],
  // Lines of every origin: see the rules of these tables.
  ['delivery_ledger', 'package_id'],
  ['delivery_days', 'package_id'],
  ['order_notes', 'media_buy_id'],
  ['invoice_lines', 'media_buy_id'],
  ['invoice_lines', 'package_id'],
  ['invoices', 'account_id'],
  ['refunds', 'account_id'],
]

function referencesOf({ name, columns }: Shape): StoreRule[] {
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
