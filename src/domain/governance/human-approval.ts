import { isObject } from '../../protocol/is-object.ts'
import type { Review } from './escalation.ts'

/** Words for a decision that is no approval. */
const REFUSALS = new Set(['rejected', 'denied', 'pending'])

/** Longest name or reason that is stored, characters. */
const MAX_TEXT = 200

/**
 * The approval by a person that an agent reports in `human_approval` of a check (AdCP 3.0.26, governance/check-governance-request.json) or of its `ext`:
 * `true`, or an object that may name the person and the reason. Undefined when there is none, or when it says that the person refused. What it says is the
 * agent's own word, so it counts in a sandbox only.
 */
export function humanApproval(request: {
  readonly human_approval?: unknown
  readonly ext?: unknown
}): Partial<Pick<Review, 'decidedBy' | 'reason'>> | undefined {
  const approval = request.human_approval ?? (isObject(request.ext) ? request.ext.human_approval : undefined)
  if (approval === true) return {}
  if (!isObject(approval) || approval.approved === false) return undefined
  const outcome = approval.status ?? approval.decision ?? approval.resolution
  if (typeof outcome === 'string' && REFUSALS.has(outcome)) return undefined
  const decidedBy = textOf(approval.approved_by ?? approval.approver)
  const reason = textOf(approval.reason ?? approval.note)
  return { ...(decidedBy !== undefined && { decidedBy }), ...(reason !== undefined && { reason }) }
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().slice(0, MAX_TEXT) : ''
  return text === '' ? undefined : text
}
