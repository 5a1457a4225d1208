import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** More than a person decides in one sitting; lists of open decisions show no more of one kind. */
export const MAX_OPEN_DECISIONS = 500

/** Rows of each kind that need a decision by a person: their table and what makes them so. `t` is the tenant. */
const KINDS: readonly ((t: string) => RawBuilder<unknown>)[] = [
  (t) => sql`approvals where tenant_id = ${t} and state in ('waiting', 'asked', 'approving')`,
  (t) => sql`creatives where tenant_id = ${t} and status = 'pending_review'`,
  (t) => sql`accounts where tenant_id = ${t} and status = 'pending_approval' and implicit = 0`,
  (t) => sql`rights_creatives where tenant_id = ${t} and status = 'pending_review'`,
  (t) => sql`rights_grants where tenant_id = ${t} and pending is not null`,
  (t) => sql`governance_actions where tenant_id = ${t} and escalation_state = 'pending'`,
]

/** The number of open decisions of a publisher; of each kind at most {@link MAX_OPEN_DECISIONS} are counted. */
export async function countOpenDecisions(db: Db, tenantId: string): Promise<number> {
  const counts = KINDS.map(
    (rows) => sql`(select count(*) from (select 1 from ${rows(tenantId)} limit ${sql.lit(MAX_OPEN_DECISIONS)}) counted)`,
  )
  const { rows } = await sql<{ open: number | string }>`select ${sql.join(counts, sql` + `)} as open`.execute(db)
  return Number(rows[0]?.open ?? 0)
}
