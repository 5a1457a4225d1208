import { conditionsText } from '../../domain/approval/policy.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError, toWireError } from '../../protocol/errors.ts'
import {
  type Approval,
  changeApproval,
  endApproving,
  findApproval,
  getApproval,
  OPEN_STATES,
} from '../../store/approval/approvals.ts'
import type { Db, Store } from '../../store/database.ts'
import { advanceTask, getTask, type StoredTask, type TaskChange } from '../../store/task/tasks.ts'
import { type ApprovalServices, type CarriedOut, carryOutContext, withConditions } from './carry-out.ts'
import { CARRY_OUT, GIVE_BACK } from './kinds.ts'

/** After this time without a result, somebody else goes on with an approval: its process has died, or another system was away. */
export const CARRY_OUT_AGAIN_MS = 30_000

/** The states of a task that was approved. */
const APPROVED: readonly Approval['state'][] = ['approving', 'approved', 'failed']

/**
 * The seller approves: the work is checked again and carried out, and its task completes, or fails with the reason why it cannot be done any
 * more. `decidedBy` is the person, as the audit log names them. The decision is final from here on, even if this process dies. Approving again gives the same task, and stores nothing; with `first` it is refused, but for one whose carrying out has not ended in time. Throws REFERENCE_NOT_FOUND
 * when nothing of that id was submitted, INVALID_STATE after another decision or for other conditions than it was approved with, and whatever is worth another try.
 */
export async function approve(
  services: ApprovalServices,
  tenantId: string,
  taskId: string,
  conditions: readonly string[],
  now: Date,
  { decidedBy, first = false }: { readonly decidedBy?: string | undefined; readonly first?: boolean | undefined } = {},
): Promise<StoredTask> {
  const { store } = services
  const dueAt = new Date(now.getTime() + CARRY_OUT_AGAIN_MS).toISOString()
  // Checked where it is read: who comes second stores nothing, and is told who was first.
  const again = (approval: Approval) => {
    const isStuck = approval.state === 'approving' && approval.dueAt <= now.toISOString()
    if (!APPROVED.includes(approval.state) || (first && !isStuck)) throw decided(approval)
    requireConditions(approval, conditions)
    return approval
  }
  const begin = async (tx: Db) => {
    const approval = await getApproval(tx, tenantId, taskId)
    if (!isOpen(approval)) return again(approval)
    requireInTime(approval, now)
    return change(tx, approval, { state: 'approving', conditions, decidedBy, dueAt }, now)
  }
  const found = await getApproval(store.read, tenantId, taskId)
  const begun = isOpen(found) ? await store.transaction(begin) : again(found)
  return begun.state === 'approving' ? carryOut(services, begun, now) : getTask(store.read, begun, taskId)
}

/** Whoever approves again adds no conditions: the buyer was told those of the first time. */
function requireConditions({ taskId, conditions: agreed }: Approval, conditions: readonly string[]): void {
  if (conditions.length === 0 || conditionsText(conditions) === conditionsText(agreed)) return
  const how = agreed.length === 0 ? 'without conditions' : `and its buyer was told: ${conditionsText(agreed)}`
  throw new AdcpError('INVALID_STATE', `task ${taskId} is approved already, ${how}`, { field: 'conditions' })
}

/** Carries out what was approved. Several may do so at once: the effects outside are under one anchor, and one result is written. */
export async function carryOut(services: ApprovalServices, approval: Approval, now: Date): Promise<StoredTask> {
  const { store } = services
  let done: CarriedOut
  try {
    const kind = CARRY_OUT[approval.taskType]
    if (!kind) throw new Error(`nothing is known about carrying out ${approval.taskType}`)
    done = await kind(approval, await carryOutContext(services, approval, now))
  } catch (error) {
    return fail(services, approval, error, now)
  }
  try {
    const task = await store.transaction(async (tx) => {
      if (!(await endApproving(tx, approval, 'approved', undefined, now))) return undefined
      const result = withConditions(await done.write(tx), approval.conditions)
      const message = conditionsText(approval.conditions) || 'Approved by the seller'
      if (done.goesOn !== undefined)
        return advance(tx, approval, { status: 'submitted', message: `${message}. ${done.goesOn}` }, now)
      return advance(tx, approval, { status: 'completed', result, message }, now)
    })
    if (task) return task
  } catch (error) {
    if (isFinal(error, services)) await done.undo?.()
    return fail(services, approval, error, now)
  }
  // Somebody else carried it out, or found that it cannot be done.
  if ((await findApproval(store.read, approval.tenantId, approval.taskId))?.state === 'failed') await done.undo?.()
  return getTask(store.read, approval, approval.taskId)
}

/** The seller declines: nothing is done, and the task ends as rejected, with the reason. Declining again gives the same task; throws INVALID_STATE for another reason, and with `first` for any. */
export async function reject(
  store: Store,
  tenantId: string,
  taskId: string,
  reason: string,
  now: Date,
  first = false,
): Promise<StoredTask> {
  const found = await getApproval(store.read, tenantId, taskId)
  if (found.state === 'rejected' && !first) return rejectedBefore(store.read, found, reason)
  return store.transaction(async (tx) => {
    const approval = await getApproval(tx, tenantId, taskId)
    if (approval.state === 'rejected' && !first) return rejectedBefore(tx, approval, reason)
    requireOpen(approval)
    await change(tx, approval, { state: 'rejected', note: reason }, now)
    await giveBack(tx, approval)
    const error = { code: 'POLICY_VIOLATION', message: reason, recovery: 'correctable' }
    return advance(tx, approval, { status: 'rejected', message: reason, error }, now)
  })
}

/** The task that was declined for the same reason. Throws INVALID_STATE where its buyer was told another one. */
function rejectedBefore(db: Db, approval: Approval, reason: string): Promise<StoredTask> {
  const { taskId, note } = approval
  if (note === reason) return getTask(db, approval, taskId)
  const message = `task ${taskId} is rejected already, and its buyer was told: ${note}`
  throw new AdcpError('INVALID_STATE', message, { field: 'reason' })
}

/** The seller wants something of the buyer first: the task is `input-required` until the buyer answers, or somebody decides. */
export function askBuyer(store: Store, tenantId: string, taskId: string, question: string, now: Date): Promise<StoredTask> {
  return store.transaction(async (tx) => {
    const approval = await getApproval(tx, tenantId, taskId)
    requireOpen(approval)
    requireInTime(approval, now)
    await change(tx, approval, { state: 'asked', note: question }, now)
    // The form of AdCP `<task>-async-response-input-required`.
    const result = {
      reason: 'APPROVAL_REQUIRED',
      errors: [{ code: 'POLICY_VIOLATION', message: question, recovery: 'correctable' }],
    }
    const message = `${question} (send the request again as you want it, with ext.answers_task "${taskId}")`
    return advance(tx, approval, { status: 'input-required', message, result }, now)
  })
}

/** The buyer withdraws a pending request: nothing is done, and the task is canceled. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export function withdraw(store: Store, owner: PrincipalRef, taskId: string, now: Date): Promise<StoredTask> {
  return store.transaction(async (tx) => {
    const approval = await getApproval(tx, owner.tenantId, taskId)
    if (approval.principalId !== owner.principalId)
      throw new AdcpError('REFERENCE_NOT_FOUND', 'no pending approval for this task')
    requireOpen(approval)
    await change(tx, approval, { state: 'withdrawn', note: 'by the buyer' }, now)
    await giveBack(tx, approval)
    return advance(tx, approval, { status: 'canceled', message: 'withdrawn by the buyer' }, now)
  })
}

/** Rejects approvals whose term has ended. The buyer is notified, and may send the request again. */
export function expire(store: Store, approval: Approval, now: Date): Promise<StoredTask> {
  return store.transaction(async (tx) => {
    requireOpen(approval)
    await change(tx, approval, { state: 'expired' }, now)
    await giveBack(tx, approval)
    const message = 'not decided in time; send the request again if you still want it'
    const error = { code: 'APPROVAL_EXPIRED', message, recovery: 'correctable' }
    return advance(tx, approval, { status: 'rejected', message, error }, now)
  })
}

/** Tells the buyer, once, that time is running out. */
export function remind(store: Store, approval: Approval, now: Date): Promise<StoredTask> {
  return store.transaction(async (tx) => {
    requireOpen(approval)
    await change(tx, approval, { reminded: true, dueAt: approval.expiresAt }, now)
    const task = await getTask(tx, approval, approval.taskId)
    const { status, result } = task
    const waiting = status === 'input-required' ? 'Waiting for your answer' : 'Still waiting for the seller'
    const message = `${waiting}; ends undecided at ${approval.expiresAt}`
    return advanceTask(tx, approval, task, { status, message, ...(result && { result }) }, now)
  })
}

/** Ends approved work that cannot be done; what is worth another try is thrown, and stays approved. */
async function fail(services: ApprovalServices, approval: Approval, error: unknown, now: Date): Promise<StoredTask> {
  if (!isFinal(error, services)) throw error
  const { store, contracts } = services
  return store.transaction(async (tx) => {
    if (!(await endApproving(tx, approval, 'failed', error.message, now))) return getTask(tx, approval, approval.taskId)
    await giveBack(tx, approval)
    const message = `Approved, but no longer possible: ${error.message}`
    return advance(tx, approval, { status: 'failed', message, error: toWireError(error, contracts.base.recoveryOf) }, now)
  })
}

async function giveBack(tx: Db, approval: Approval): Promise<void> {
  await GIVE_BACK[approval.taskType]?.(tx, approval)
}

function isFinal(error: unknown, { contracts }: ApprovalServices): error is AdcpError {
  return error instanceof AdcpError && (error.recovery ?? contracts.base.recoveryOf(error.code)) !== 'transient'
}

async function change(tx: Db, approval: Approval, to: Parameters<typeof changeApproval>[2], now: Date): Promise<Approval> {
  const changed = await changeApproval(tx, approval, to, now)
  if (!changed) throw new AdcpError('CONFLICT', `task ${approval.taskId} was decided at the same moment`, { field: 'task_id' })
  return changed
}

async function advance(tx: Db, approval: Approval, to: Omit<TaskChange, 'at'>, now: Date): Promise<StoredTask> {
  return advanceTask(tx, approval, await getTask(tx, approval, approval.taskId), to, now)
}

function isOpen({ state }: Approval): boolean {
  return OPEN_STATES.includes(state)
}

function requireOpen(approval: Approval): void {
  if (!isOpen(approval)) throw decided(approval)
}

function requireInTime({ expiresAt, taskId }: Approval, now: Date): void {
  if (expiresAt <= now.toISOString())
    throw new AdcpError('INVALID_STATE', `task ${taskId} was not decided in time and has ended`, { field: 'task_id' })
}

function decided({ taskId, state, note }: Approval): AdcpError {
  const word = state === 'approving' ? 'approved already' : state
  const why = state === 'withdrawn' && note ? `: ${note}` : ''
  return new AdcpError('INVALID_STATE', `task ${taskId} is ${word}${why}`, { field: 'task_id' })
}
