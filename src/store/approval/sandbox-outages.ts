import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/** An upstream that a sandbox agent's next answer of a task is said to have been made without. */
export interface SandboxOutage {
  readonly task: string
  readonly upstream: string
  /** Age of what is answered instead, in seconds. */
  readonly cacheAgeSeconds: number
}

/** Every task that may give an answer from a cache. */
export const EVERY_TASK = '*'

/** Declares an outage; one of the same task and upstream is replaced. */
export async function placeOutage(tx: Db, owner: PrincipalRef, outage: SandboxOutage, now: Date): Promise<void> {
  const values = { cache_age_seconds: outage.cacheAgeSeconds, created_at: now.toISOString() }
  await tx
    .insertInto('sandbox_outages')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      task: outage.task,
      upstream: outage.upstream,
      ...values,
    })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'task', 'upstream']).doUpdateSet(values))
    .execute()
}

/** The outages that the agent's next answer of a task has to mention, by the name of the upstream. */
export async function findOutages(db: Db, owner: PrincipalRef, task: string): Promise<SandboxOutage[]> {
  const rows = await db
    .selectFrom('sandbox_outages')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task', 'in', [task, EVERY_TASK])
    .orderBy('upstream')
    .orderBy('task')
    .execute()
  return rows.map((row) => ({ task: row.task, upstream: row.upstream, cacheAgeSeconds: row.cache_age_seconds }))
}

/** Ends the outages that an answer of a task has mentioned. */
export async function endOutages(tx: Db, owner: PrincipalRef, task: string): Promise<void> {
  await tx
    .deleteFrom('sandbox_outages')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task', 'in', [task, EVERY_TASK])
    .execute()
}
