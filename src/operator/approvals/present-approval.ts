import type { QueueEntry, showApproval } from './list-approvals.ts'

/** An entry of the approval queue as it is in JSON. */
export function presentEntry(entry: QueueEntry) {
  const { id, kind, task, principal, account, state, reason, since, expiresAt, summary } = entry
  return {
    id,
    kind,
    ...(kind === 'task' && { task_id: id }),
    task,
    principal,
    account,
    state,
    reason,
    ...(since !== '' && { since }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...summary,
  }
}

/** A submitted task as it is in JSON: its entry, what was decided, and the document that it would carry out. */
export function presentTask({ approval, ...entry }: Awaited<ReturnType<typeof showApproval>>) {
  const { conditions, note, decidedAt } = approval
  const document: unknown = JSON.parse(approval.document)
  return {
    ...presentEntry(entry),
    conditions,
    ...(note !== undefined && { note }),
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    document,
  }
}
