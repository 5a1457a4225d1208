import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import type { ApprovalState, ApprovalTables } from './rows.ts'

/** States in which anything may still be decided. */
export const OPEN_STATES: readonly ApprovalState[] = ['waiting', 'asked']

export interface Approval extends PrincipalRef {
  readonly taskId: string
  readonly accountId: string
  readonly taskType: string
  readonly state: ApprovalState
  readonly reason: string
  readonly summary: Readonly<Record<string, unknown>>
  /** JSON, in the form of the task's own kind of approval. */
  readonly document: string
  readonly conditions: readonly string[]
  readonly note: string | undefined
  readonly reminded: boolean
  readonly dueAt: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly decidedAt: string | undefined
  readonly decidedBy: string | undefined
  readonly revision: number
}

export type NewApproval = Pick<Approval, 'taskId' | 'accountId' | 'taskType' | 'reason' | 'summary' | 'dueAt' | 'expiresAt'> & {
  readonly document: object
}

/** Puts work of a buyer into the seller's queue. */
export async function insertApproval(tx: Db, owner: PrincipalRef, approval: NewApproval, now: Date): Promise<void> {
  await tx
    .insertInto('approvals')
    .values({
      tenant_id: owner.tenantId,
      task_id: approval.taskId,
      principal_id: owner.principalId,
      account_id: approval.accountId,
      task_type: approval.taskType,
      media_buy_id: orderIn(approval.summary),
      state: 'waiting',
      reason: approval.reason,
      summary: JSON.stringify(approval.summary),
      document: JSON.stringify(approval.document),
      conditions: '[]',
      note: null,
      reminded: 0,
      due_at: approval.dueAt,
      expires_at: approval.expiresAt,
      created_at: now.toISOString(),
      decided_at: null,
      decided_by: null,
      revision: 1,
    })
    .execute()
}

function orderIn({ media_buy_id: id }: Approval['summary']): string | null {
  return typeof id === 'string' ? id : null
}

/** One approval by its task. Throws REFERENCE_NOT_FOUND. */
export async function getApproval(db: Db, tenantId: string, taskId: string): Promise<Approval> {
  const approval = await findApproval(db, tenantId, taskId)
  if (!approval) throw new AdcpError('REFERENCE_NOT_FOUND', `no pending approval for task ${taskId}`, { field: 'task_id' })
  return approval
}

/** One approval by its task, if there is one. */
export async function findApproval(db: Db, tenantId: string, taskId: string): Promise<Approval | undefined> {
  const row = await db
    .selectFrom('approvals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  return row && approvalOf(row)
}

/** Those of some tasks that were submitted for approval, decided or not. */
export async function submittedTasks(db: Db, tenantId: string, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (taskIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('approvals')
    .select('task_id')
    .where('tenant_id', '=', tenantId)
    .where('task_id', 'in', taskIds)
    .execute()
  return new Set(rows.map(({ task_id: id }) => id))
}

/** An approval without what carrying it out takes, which may be megabytes. */
export type ListedApproval = Omit<Approval, 'document'>

const LISTED = [
  ...(['tenant_id', 'task_id', 'principal_id', 'account_id', 'task_type', 'media_buy_id', 'state', 'reason', 'summary'] as const),
  ...(['conditions', 'note', 'reminded', 'due_at', 'expires_at', 'created_at', 'decided_at', 'decided_by', 'revision'] as const),
] as const

/** A publisher's approvals in some states, oldest first, `limit` at most. */
export async function listApprovals(
  db: Db,
  tenantId: string,
  states: readonly ApprovalState[],
  limit: number,
): Promise<ListedApproval[]> {
  const rows = await db
    .selectFrom('approvals')
    .select(LISTED)
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', states)
    .orderBy('created_at')
    .orderBy('task_id')
    .limit(limit)
    .execute()
  return rows.map(listedOf)
}

/** Approvals that the background job has to check, of every publisher, oldest first; `limit` at most, fewer where they are large. */
export async function dueApprovals(db: Db, now: Date, limit: number): Promise<Approval[]> {
  const due = db.selectFrom('approvals').selectAll().where('due_at', '<=', now.toISOString()).orderBy('due_at')
  return (await pageOfSize(due, ['document'], limit)).rows.map(approvalOf)
}

export type ApprovalChange = Partial<
  Pick<Approval, 'state' | 'reason' | 'summary' | 'conditions' | 'decidedBy' | 'note' | 'reminded' | 'dueAt' | 'expiresAt'> & {
    readonly document: object
  }
>

/** Nothing for the clock to do. */
export const NEVER = '9999-01-01T00:00:00.000Z'

/**
 * Changes an approval by compare-and-set on its revision: undefined when another decision came first. A final state takes it off the clock.
 */
export async function changeApproval(
  tx: Db,
  approval: Approval,
  change: ApprovalChange,
  now: Date,
): Promise<Approval | undefined> {
  const { state = approval.state } = change
  const isOver = state !== 'approving' && !OPEN_STATES.includes(state)
  const row = await tx
    .updateTable('approvals')
    .set({
      state,
      ...(change.reason !== undefined && { reason: change.reason }),
      ...(change.summary && { summary: JSON.stringify(change.summary), media_buy_id: orderIn(change.summary) }),
      ...(change.document && { document: JSON.stringify(change.document) }),
      ...(change.conditions && { conditions: JSON.stringify(change.conditions) }),
      ...(change.decidedBy !== undefined && { decided_by: change.decidedBy }),
      ...(change.note !== undefined && { note: change.note }),
      ...(change.reminded !== undefined && { reminded: change.reminded ? 1 : 0 }),
      ...(change.expiresAt !== undefined && { expires_at: change.expiresAt }),
      due_at: isOver ? NEVER : (change.dueAt ?? approval.dueAt),
      ...(isOver && { decided_at: now.toISOString() }),
      revision: approval.revision + 1,
    })
    .where('tenant_id', '=', approval.tenantId)
    .where('task_id', '=', approval.taskId)
    .where('revision', '=', approval.revision)
    .returningAll()
    .executeTakeFirst()
  return row && approvalOf(row)
}

/** Ends what is being carried out. False when it ended before: of several that carry out the same approval, one wins. */
export async function endApproving(
  tx: Db,
  { tenantId, taskId }: Approval,
  state: 'approved' | 'failed',
  note: string | undefined,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('approvals')
    .set((e) => ({
      state,
      due_at: NEVER,
      decided_at: now.toISOString(),
      revision: e('revision', '+', 1),
      ...(note !== undefined && { note }),
    }))
    .where('tenant_id', '=', tenantId)
    .where('task_id', '=', taskId)
    .where('state', '=', 'approving')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A row as an approval. */
export function approvalOf(row: Selectable<ApprovalTables['approvals']>): Approval {
  return { ...listedOf(row), document: row.document }
}

function listedOf(row: Pick<Selectable<ApprovalTables['approvals']>, (typeof LISTED)[number]>): ListedApproval {
  return {
    tenantId: row.tenant_id,
    taskId: row.task_id,
    principalId: row.principal_id,
    accountId: row.account_id,
    taskType: row.task_type,
    state: row.state,
    reason: row.reason,
    summary: JSON.parse(row.summary),
    conditions: JSON.parse(row.conditions),
    note: row.note ?? undefined,
    reminded: row.reminded === 1,
    dueAt: row.due_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    decidedAt: row.decided_at ?? undefined,
    decidedBy: row.decided_by ?? undefined,
    revision: row.revision,
  }
}
