import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/** The seller's wish to approve an agent's next order: under which task it waits, and the message for the buyer. */
export interface ApprovalHold {
  readonly taskId: string
  readonly message: string | undefined
}

/** Holds the agent's next media buy for approval. A newer hold replaces an unused one. */
export async function placeApprovalHold(tx: Db, owner: PrincipalRef, hold: ApprovalHold, now: Date): Promise<void> {
  const values = { task_id: hold.taskId, message: hold.message ?? null, created_at: now.toISOString() }
  await tx
    .insertInto('approval_holds')
    .values({ tenant_id: owner.tenantId, principal_id: owner.principalId, ...values })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id']).doUpdateSet(values))
    .execute()
}

/** The agent's unused hold. */
export async function findApprovalHold(db: Db, owner: PrincipalRef): Promise<ApprovalHold | undefined> {
  const row = await db
    .selectFrom('approval_holds')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .executeTakeFirst()
  return row && { taskId: row.task_id, message: row.message ?? undefined }
}

/** Uses a hold up. False when another order did so first. */
export async function useApprovalHold(tx: Db, owner: PrincipalRef, taskId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('approval_holds')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Drops the agent's unused hold, if there is one. */
export async function dropApprovalHold(tx: Db, owner: PrincipalRef): Promise<void> {
  await tx
    .deleteFrom('approval_holds')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .execute()
}
