import type { NamedEntry } from '../../domain/approval/entry-id.ts'
import { accountEntryId, type CreativeEntry, creativeEntryId, readEntryId } from '../../domain/approval/entry-id.ts'
import { conditionsText } from '../../domain/approval/policy.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { askAboutAccount, findTenantAccount, listPendingAccounts, setAccountStatus } from '../../store/account/tenant-accounts.ts'
import { getApproval, type ListedApproval, listApprovals, OPEN_STATES } from '../../store/approval/approvals.ts'
import { MAX_OPEN_DECISIONS } from '../../store/approval/count-open-decisions.ts'
import { findCreative, listWaitingCreatives } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { decideCreative } from '../creative/decide-creative.ts'
import type { ApprovalServices } from './carry-out.ts'
import { approve, askBuyer, reject } from './decide.ts'

/** Something that waits for a person at the publisher. `id` is what deciding takes. */
export interface QueueEntry {
  readonly id: string
  readonly kind: NamedEntry['kind']
  /** Name of the task operation that brought it. */
  readonly task: string
  readonly principal: string
  readonly account: string
  readonly state: string
  readonly reason: string
  readonly since: string
  /** When it ends undecided; creatives and accounts wait for good. */
  readonly expiresAt?: string
  readonly summary: Readonly<Record<string, unknown>>
}

/** The queue of a publisher: submitted tasks, creatives in review and accounts that wait, oldest first. */
export async function listQueue(db: Db, tenantId: string): Promise<QueueEntry[]> {
  const tasks = await listApprovals(db, tenantId, [...OPEN_STATES, 'approving'], MAX_OPEN_DECISIONS)
  const creatives = await listWaitingCreatives(db, tenantId, MAX_OPEN_DECISIONS)
  const accounts = await listPendingAccounts(db, tenantId, MAX_OPEN_DECISIONS)
  return [
    ...tasks.map(taskEntry),
    ...creatives.map(
      (row): QueueEntry => ({
        id: creativeEntryId({ buyer: row.principal_id, account: row.account_id, creative: row.creative_id }),
        kind: 'creative',
        task: 'sync_creatives',
        principal: row.principal_id,
        account: row.account_id,
        state: 'waiting',
        reason: row.status_reason ?? '',
        since: row.updated_at,
        summary: { creative_id: row.creative_id, name: row.name, format: row.format_id },
      }),
    ),
    ...accounts.map(
      ({ accountId, principalId, document }): QueueEntry => ({
        id: accountEntryId(accountId),
        kind: 'account',
        task: 'sync_accounts',
        principal: principalId,
        account: accountId,
        state: 'waiting',
        reason: document.setup?.message ?? '',
        since: '',
        summary: { account_id: accountId, name: document.name },
      }),
    ),
  ].toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
}

/** A submitted task of the queue, decided or not, with what carrying it out takes. Throws REFERENCE_NOT_FOUND. */
export async function showTask(db: Db, tenantId: string, taskId: string) {
  const approval = await getApproval(db, tenantId, taskId)
  return { ...taskEntry(approval), approval }
}

/** A submitted task as an entry of the queue. */
export function taskEntry({
  taskId,
  taskType,
  principalId,
  accountId,
  state,
  reason,
  createdAt,
  expiresAt,
  summary,
}: ListedApproval): QueueEntry {
  return {
    id: taskId,
    kind: 'task',
    task: taskType,
    principal: principalId,
    account: accountId,
    state,
    reason,
    since: createdAt,
    expiresAt,
    summary,
  }
}

export interface Decided {
  readonly status: string
  readonly message: string | undefined
  readonly result: object | undefined
}

type Verdict =
  | { readonly approve: true; readonly conditions: readonly string[]; readonly decidedBy?: string }
  | { readonly approve: false; readonly reason: string }

/** Decides on one entry of the queue. `first`: only where nobody has yet. Throws what its kind throws: REFERENCE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE. */
export async function decideEntry(
  services: ApprovalServices,
  tenantId: string,
  id: string,
  { first = false, ...verdict }: Verdict & { readonly first?: boolean | undefined },
  now: Date,
): Promise<Decided> {
  const { store } = services
  const told = verdict.approve ? conditionsText(verdict.conditions) || undefined : verdict.reason
  const entry = readEntryId(id)
  if (entry.kind === 'account') {
    const status = verdict.approve ? 'active' : 'rejected'
    await store.transaction(async (tx) => {
      const account = await findTenantAccount(tx, tenantId, entry.account)
      const { status_reason: before }: { readonly status_reason?: unknown } = { ...account?.document.ext }
      if (account) requireSame({ status: account.status, told: before }, { status, told, first })
      return setAccountStatus(tx, tenantId, entry.account, status, now, told)
    })
    return { status, message: told, result: undefined }
  }
  if (entry.kind === 'creative') {
    const status = verdict.approve ? 'approved' : 'rejected'
    const check = (creative: Creative) =>
      requireSame({ status: creative.status, told: creative.statusReason }, { status, told, first })
    await decideCreative(store, namedCreative(tenantId, entry), status, told, now, check)
    return { status, message: told, result: undefined }
  }
  const task = verdict.approve
    ? await approve(services, tenantId, id, verdict.conditions, now, { decidedBy: verdict.decidedBy, first })
    : await reject(store, tenantId, id, verdict.reason, now, first)
  return { status: task.status, message: task.message, result: task.result ?? task.error }
}

/**
 * Asks the buyer for something before an entry of the queue is approved. A task waits for its answer; an account stays pending, with the question where its
 * buyer reads what is missing; a creative is sent back as rejected, which its buyer may submit again (AdCP enums/creative-status.json). Throws as
 * {@link decideEntry} does.
 */
export async function askEntry(
  { store }: Pick<ApprovalServices, 'store'>,
  tenantId: string,
  id: string,
  question: string,
  now: Date,
): Promise<Decided> {
  const entry = readEntryId(id)
  if (entry.kind === 'account') {
    await store.transaction((tx) => askAboutAccount(tx, tenantId, entry.account, question, now))
    return { status: 'pending_approval', message: question, result: undefined }
  }
  if (entry.kind === 'creative') {
    const message = `Change it and submit it again: ${question}`
    await decideCreative(store, namedCreative(tenantId, entry), 'rejected', message, now)
    return { status: 'rejected', message, result: undefined }
  }
  const { status, message, result } = await askBuyer(store, tenantId, id, question, now)
  return { status, message, result }
}

function namedCreative(tenantId: string, { buyer, account, creative }: CreativeEntry) {
  return { tenantId, principalId: buyer, accountId: account, creativeId: creative }
}

/** Throws INVALID_STATE when an entry of the queue was decided on; one that is being carried out may be approved again. */
export async function requireUndecided(db: Db, tenantId: string, id: string): Promise<void> {
  const status = await entryState(db, tenantId, id)
  if (status !== undefined) requireWaiting({ status })
}

/** Throws INVALID_STATE for an entry that was decided otherwise, or with other words than its buyer was told; with `first` for any that was decided. */
function requireSame(
  { status, told }: { readonly status: string; readonly told: unknown },
  decision: { readonly status: string; readonly told: string | undefined; readonly first: boolean },
): void {
  if (WAITING.includes(status)) return
  if (decision.first || status !== decision.status) requireWaiting({ status })
  if (decision.told === undefined || decision.told === told) return
  const how = told === undefined ? 'without a word to its buyer' : `and its buyer was told: ${told}`
  throw new AdcpError('INVALID_STATE', `it is ${status} already, ${how}`, { field: 'id' })
}

function requireWaiting({ status: state }: { readonly status: string }): void {
  if (!WAITING.includes(state))
    throw new AdcpError('INVALID_STATE', `it is ${state.replaceAll('_', ' ')} already`, { field: 'id' })
}

/** States of tasks, creatives and accounts that wait for a decision; a task that is being carried out may be approved again. */
const WAITING: readonly string[] = [...OPEN_STATES, 'approving', 'pending_review', 'pending_approval']

/** The state of an entry of the queue: of its task, creative or account. Throws REFERENCE_NOT_FOUND for an unknown task. */
export async function entryState(db: Db, tenantId: string, id: string): Promise<string | undefined> {
  const entry = readEntryId(id)
  if (entry.kind === 'account') return (await findTenantAccount(db, tenantId, entry.account))?.status
  if (entry.kind === 'creative') {
    const { creativeId, ...owner } = namedCreative(tenantId, entry)
    return (await findCreative(db, owner, creativeId))?.status
  }
  return (await getApproval(db, tenantId, id)).state
}

/** What the buyer of an entry was asked, while it has not answered. */
export async function askedOf(db: Db, tenantId: string, id: string): Promise<string | undefined> {
  const entry = readEntryId(id)
  if (entry.kind === 'account') return (await findTenantAccount(db, tenantId, entry.account))?.document.setup?.message
  if (entry.kind === 'creative') {
    const { creativeId, ...owner } = namedCreative(tenantId, entry)
    return (await findCreative(db, owner, creativeId))?.statusReason
  }
  const { state, note } = await getApproval(db, tenantId, id)
  return state === 'asked' ? (note ?? undefined) : undefined
}

/** The task that an id of the queue represents. Throws INVALID_REQUEST for a creative or an account. */
export function taskIdOf(id: string): string {
  if (readEntryId(id).kind !== 'task')
    throw new AdcpError('INVALID_REQUEST', 'only submitted tasks can be shown', { field: 'id' })
  return id
}
