import { randomUUID } from 'node:crypto'
import { type ApprovalFacts, approvalReason, approvalTerm } from '../../domain/approval/policy.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type Approval, changeApproval, findApproval, insertApproval, OPEN_STATES } from '../../store/approval/approvals.ts'
import { advanceTask, getTask, insertTask } from '../../store/task/tasks.ts'

/** Work that a person at the seller has to approve first. */
export interface Held {
  readonly taskId: string
  /** The message for the buyer. */
  readonly message: string
  /** The waiting work that this request goes on with, when the seller asked the buyer for something. */
  readonly answers?: Approval
}

/**
 * Whether a request has to wait for a person: by the publisher's policy, or because it answers what the seller asked about work that waits
 * (`ext.answers_task`). `task` is the one that waits, `policy` the one whose rule holds for it. Throws REFERENCE_NOT_FOUND for a task that is not the agent's
 * own or does not wait.
 */
export async function heldByPolicy(
  context: AuthenticatedContext,
  { task, policy }: { readonly task: string; readonly policy: string },
  request: { readonly ext?: unknown },
  facts: ApprovalFacts,
): Promise<Held | undefined> {
  const answers = await answeredHold(context, task, request)
  if (answers) return answers
  const message = approvalReason(context.tenant.settings, policy, facts)
  return message === undefined ? undefined : newHold(message)
}

/** Work that has to wait under a task of its own. `message` says why, to the buyer. */
export function newHold(message: string): Held {
  return { taskId: `task_${randomUUID()}`, message }
}

/** The waiting work that a request goes on with; undefined when it names none. Throws REFERENCE_NOT_FOUND. */
export async function answeredHold(
  { db, principal }: AuthenticatedContext,
  task: string,
  request: { readonly ext?: unknown },
): Promise<Held | undefined> {
  const answered = answeredTask(request)
  if (answered === undefined) return undefined
  const answers = await findApproval(db, principal.tenantId, answered)
  if (
    !answers ||
    answers.principalId !== principal.principalId ||
    answers.taskType !== task ||
    !OPEN_STATES.includes(answers.state)
  )
    throw new AdcpError('REFERENCE_NOT_FOUND', 'you have no pending task of this id', { field: 'ext.answers_task' })
  return { taskId: answered, message: 'Awaiting approval by the seller, as changed', answers }
}

function answeredTask({ ext }: { readonly ext?: unknown }): string | undefined {
  const named: unknown = typeof ext === 'object' && ext !== null ? Reflect.get(ext, 'answers_task') : undefined
  return typeof named === 'string' ? named : undefined
}

export interface Submission {
  readonly taskType: string
  readonly request: object
  /** What a person has to know, in wire words. */
  readonly summary: Readonly<Record<string, unknown>>
  /** What the kind of work needs to be carried out. */
  readonly document: object
}

/** Puts work into the seller's queue under a task that the buyer can follow. Gives the `submitted` answer. */
export async function submitForApproval(
  context: InTransaction<AuthenticatedContext>,
  { taskId, message, answers }: Held,
  { taskType, request, summary, document }: Submission,
): Promise<{ status: 'submitted'; task_id: string; message: string }> {
  const { tx, principal, tenant, account, now } = context
  const { remindAt, expiresAt } = approvalTerm(tenant.settings, now)
  const term = { dueAt: remindAt.toISOString(), expiresAt: expiresAt.toISOString() }
  if (answers) {
    const change = { state: 'waiting' as const, summary, document, reminded: false, ...term }
    if (!(await changeApproval(tx, answers, change, now)))
      throw new AdcpError('CONFLICT', 'the seller decided at the same moment; read the task', { field: 'ext.answers_task' })
    await advanceTask(tx, principal, await getTask(tx, principal, taskId), { status: 'submitted', message }, now)
  } else {
    const accountId = account?.accountId ?? ''
    await openTask(context, { taskId, message, taskType, request })
    await insertApproval(tx, principal, { taskId, accountId, taskType, reason: message, summary, document, ...term }, now)
  }
  return { status: 'submitted', task_id: taskId, message }
}

/** Writes a submitted task that the buyer can follow. */
export async function openTask(
  { tx, principal, account, contract, now }: InTransaction<AuthenticatedContext>,
  { taskId, message, taskType, request }: Pick<Held, 'taskId' | 'message'> & Pick<Submission, 'taskType' | 'request'>,
): Promise<void> {
  const task = {
    taskId,
    accountId: account?.accountId ?? '',
    taskType,
    protocol: contract.protocolOf(taskType) ?? '',
    status: 'submitted' as const,
    message,
    request,
    hasWebhook: 'push_notification_config' in request && request.push_notification_config !== undefined,
  }
  await insertTask(tx, principal, task, now)
}
