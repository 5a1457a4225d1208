import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/** Why a search is declined, and what could be asked for instead (AdCP 3.2 media-buy/get-products-rejected.json). */
export interface Rejection {
  readonly reason: string
  readonly suggestions?: readonly string[]
}

/**
 * How a sandbox agent's next call of a task is answered: `submitted` under this task id; for an order, with what it lacks (no task id); for a search, declined
 * (no task id, a rejection).
 */
export interface SandboxDirective {
  readonly task: string
  readonly taskId: string
  readonly message: string | undefined
  readonly rejection?: Rejection
}

/** Places a directive; it replaces an unused one for the same task. */
export async function placeSandboxDirective(tx: Db, owner: PrincipalRef, directive: SandboxDirective, now: Date): Promise<void> {
  const { rejection, message = null } = directive
  const declined = rejection === undefined ? null : JSON.stringify(rejection)
  const values = { task_id: directive.taskId, message, rejection: declined, created_at: now.toISOString() }
  await tx
    .insertInto('sandbox_directives')
    .values({ tenant_id: owner.tenantId, principal_id: owner.principalId, task: directive.task, ...values })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'task']).doUpdateSet(values))
    .execute()
}

/** The agent's unused directive for a task. */
export async function findSandboxDirective(db: Db, owner: PrincipalRef, task: string): Promise<SandboxDirective | undefined> {
  const row = await db
    .selectFrom('sandbox_directives')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task', '=', task)
    .executeTakeFirst()
  if (!row) return undefined
  const rejection: { rejection?: Rejection } = row.rejection === null ? {} : { rejection: JSON.parse(row.rejection) }
  return { task, taskId: row.task_id, message: row.message ?? undefined, ...rejection }
}

/** Uses a directive up. False when another call did so first. */
export async function useSandboxDirective(tx: Db, owner: PrincipalRef, { task, taskId }: SandboxDirective): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sandbox_directives')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task', '=', task)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Drops the agent's unused directive for a task, if there is one. */
export async function dropSandboxDirective(tx: Db, owner: PrincipalRef, task: string): Promise<void> {
  await tx
    .deleteFrom('sandbox_directives')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task', '=', task)
    .execute()
}
