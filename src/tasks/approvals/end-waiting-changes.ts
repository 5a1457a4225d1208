import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type ChangeRequest, changedMembers, membersInBoth } from '../../domain/media-buy/changed-members.ts'
import { type Approval, changeApproval, endApproving } from '../../store/approval/approvals.ts'
import { waitingChanges } from '../../store/approval/waiting-changes.ts'
import type { Db } from '../../store/database.ts'
import { advanceTask, getTask } from '../../store/task/tasks.ts'

/** A change of an order that was made. */
export interface MadeChange {
  readonly mediaBuyId: string
  readonly request: ChangeRequest & { readonly canceled?: boolean | undefined }
  /** When it was asked for, where it waited itself: what was asked for later goes on waiting. */
  readonly askedAt?: string | undefined
  readonly now: Date
}

/**
 * Ends the changes of an order that still wait for a decision and set what a newer change has set: approved later, they would take the newer one back.
 * A canceled order has nothing left to decide. Gives sentences for the buyer: what was ended, and what still waits.
 */
export async function endWaitingChanges(
  tx: Db,
  owner: PrincipalRef,
  { mediaBuyId, request, askedAt, now }: MadeChange,
): Promise<string[]> {
  const made = changedMembers(request)
  const notes: string[] = []
  for (const approval of await waitingChanges(tx, owner, [mediaBuyId])) {
    const shared = membersInBoth(made, changedMembers(requestOf(approval)))
    if (shared.length === 0 || (askedAt !== undefined && approval.createdAt > askedAt)) notes.push(waitingNote(approval))
    else {
      const why = request.canceled
        ? 'the order was canceled before this was decided'
        : `a newer change of the order was made before this was decided, of the same: ${listed(shared)}`
      if (await end(tx, approval, why, now)) notes.push(`${wordsOf(approval)} waited for approval, and is canceled: ${why}.`)
    }
  }
  return notes
}

/** Ends one; false when somebody decided on it in this moment: what comes of that is said by whoever decides. */
async function end(tx: Db, approval: Approval, why: string, now: Date): Promise<boolean> {
  const task = await getTask(tx, approval, approval.taskId)
  if (approval.state !== 'approving') {
    if (!(await changeApproval(tx, approval, { state: 'withdrawn', note: why }, now))) return false
    await advanceTask(tx, approval, task, { status: 'canceled', message: why }, now)
    return true
  }
  // Approved, and not carried out yet, since another system was away.
  if (!(await endApproving(tx, approval, 'failed', why, now))) return false
  const error = { code: 'CONFLICT', message: why, recovery: 'correctable' }
  await advanceTask(tx, approval, task, { status: 'failed', message: `Approved, but no longer possible: ${why}`, error }, now)
  return true
}

/** The sentence on a change that still waits for a decision. */
export function waitingNote(approval: Approval): string {
  return `${wordsOf(approval)} still waits for approval by the seller; nothing of it holds yet.`
}

/** A change by its task, with what it would change. */
function wordsOf({ taskId, summary }: Approval): string {
  const changes = changesIn(summary)
  return changes.length === 0 ? `The change ${taskId}` : `The change ${taskId} (${listed(changes)})`
}

/** What a waiting change would change, one sentence each. */
export function changesIn(summary: Approval['summary']): string[] {
  const { changes } = summary
  return Array.isArray(changes) ? changes.filter((each) => typeof each === 'string') : []
}

/** Things that a sentence names. */
const MOST_NAMED = 5

function listed(all: readonly string[]): string {
  const more = all.length - MOST_NAMED
  return more > 0 ? `${all.slice(0, MOST_NAMED).join(', ')} and ${more} more` : all.join(', ')
}

function requestOf({ document }: Approval): ChangeRequest {
  const { request }: { readonly request?: ChangeRequest } = JSON.parse(document)
  return request ?? {}
}
