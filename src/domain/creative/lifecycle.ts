import { AdcpError } from '../../protocol/errors.ts'
import type { Creative, CreativeStatus } from './creative.ts'

/**
 * Where a creative may go from each status of enums/creative-status.json, as that enum describes it. Typed over the official
 * enum, so a release that adds a status does not compile until it is listed. No status is terminal: a rejected creative is
 * submitted again, an archived one is withdrawn.
 */
export const TRANSITIONS: { readonly [From in CreativeStatus]: readonly CreativeStatus[] } = {
  processing: ['pending_review', 'rejected'],
  pending_review: ['approved', 'rejected'],
  // Back to review: 3.1, Creative Protocol specification, "Creative status lifecycle".
  approved: ['archived', 'pending_review', 'rejected', 'suspended'],
  suspended: ['approved', 'archived', 'rejected'],
  rejected: ['processing', 'pending_review'],
  archived: ['approved'],
}

/** Whether a creative may go from one status to another. Staying put is always allowed. */
export function canTransition(from: CreativeStatus, to: CreativeStatus): boolean {
  return from === to || TRANSITIONS[from].includes(to)
}

/** Moves a creative on. Throws INVALID_STATE when its status does not lead there. */
export function transition(creative: Creative, to: CreativeStatus, now: Date, reason?: string): Creative {
  if (!canTransition(creative.status, to)) {
    throw new AdcpError('INVALID_STATE', `a creative that is ${creative.status} cannot become ${to}`)
  }
  if (creative.status === to && creative.statusReason === reason) return creative
  const { approvedAt, statusReason: _reason, ...rest } = creative
  const approved = to === 'approved' && { approvedAt: approvedAt ?? now.toISOString() }
  return { ...rest, status: to, ...(reason !== undefined && { statusReason: reason }), ...approved, updatedAt: now.toISOString() }
}

/** What a review makes of a creative. */
export const APPROVALS = ['pending_review', 'approved', 'rejected'] as const
export type Approval = (typeof APPROVALS)[number]

/** The status that the outcome of a review leads to. */
export interface Verdict {
  readonly status: Approval
  readonly reason?: string
}

/**
 * A creative after its content was submitted, first or again: new content starts over (`processing`) and goes where its review
 * sends it. An approval that is confirmed keeps its date, so that what already serves goes on serving.
 */
export function reviewed(creative: Creative, verdict: Verdict, now: Date): Creative {
  const { approvedAt, statusReason: _reason, ...rest } = creative
  return {
    ...rest,
    status: verdict.status,
    ...(verdict.reason !== undefined && { statusReason: verdict.reason }),
    ...(verdict.status === 'approved' && { approvedAt: approvedAt ?? now.toISOString() }),
  }
}

/**
 * The state of a creative on a package (enums/creative-approval-status.json). An archived creative is refused there: its buyer
 * withdrew it. So is a suspended one, since it does not serve.
 */
export function approvalOf(status: CreativeStatus): Approval {
  switch (status) {
    case 'processing':
    case 'pending_review':
      return 'pending_review'
    case 'approved':
      return 'approved'
    case 'rejected':
    case 'suspended':
    case 'archived':
      return 'rejected'
  }
}

/**
 * What is wrong with putting a creative on a package: one that was rejected is not put anywhere (Creative Protocol specification, "Creative status
 * lifecycle": CREATIVE_REJECTED). Undefined for all others; `field` names the creative in the request.
 */
export function assignmentFault({ status, statusReason }: Creative, field: string): AdcpError | undefined {
  if (status !== 'rejected') return undefined
  const reason = statusReason === undefined ? '' : `: ${statusReason}`
  return new AdcpError('CREATIVE_REJECTED', `${field} names a creative that was rejected${reason}`, {
    field,
    suggestion: 'mend it and send it again with sync_creatives, or assign another one',
  })
}

/**
 * The status of a creative as 3.0 shows it, which has no suspension: one that is suspended is under review again, and `suspended` says so. Later releases
 * have a status of that name, which their converter puts in its place.
 */
export function wireStatus(status: CreativeStatus): { status: Exclude<CreativeStatus, 'suspended'>; suspended?: true } {
  return status === 'suspended' ? { status: 'pending_review', suspended: true } : { status }
}
