import { AdcpError, joinFaults, toWireError, type WireError } from '../../protocol/errors.ts'
import { type Creative, type CreativeStatus, changedFields, contentOf, needsReview, type SentCreative } from './creative.ts'
import { type Examining, untilSeen } from './examination.ts'
import type { Finding } from './finding.ts'
import { landingPageRemark } from './landing-page.ts'
import { reviewed, type Verdict, wireStatus } from './lifecycle.ts'
import { type FormatScope, type ResolvedFormat, resolveFormat } from './resolve-format.ts'
import { type ReviewPolicy, review } from './review.ts'
import { validateCreative } from './validate-creative.ts'

/** A row of sync_creatives. */
interface SyncedCreative {
  creative_id: string
  action: 'created' | 'updated' | 'unchanged' | 'failed'
  status?: Exclude<CreativeStatus, 'suspended'>
  changes?: string[]
  errors?: WireError[]
  warnings?: string[]
}

export interface SyncContext {
  readonly accountId: string
  readonly scope: FormatScope
  readonly reviewPolicy: ReviewPolicy
  /** The ad was made here, of a brief: its buyer has to agree before it is reviewed. */
  readonly generated?: boolean
  /** Why nobody verified its claim of provenance; absent: there is none to verify, or it was. */
  readonly unverified?: string | undefined
  /** Whether its files are seen before it is approved; absent: they are not. */
  readonly examining?: Examining
  readonly now: Date
}

/** What a creative breaks of its format. `field` is its path in the request. */
export function refusedBy(wire: SentCreative, format: ResolvedFormat, field: string): readonly AdcpError[] {
  const findings = validateCreative(wire.assets, format)
  return findings.filter(({ severity }) => severity === 'error').map((each) => errorOf(each, field))
}

/** The result of a sync of one creative: nothing to write, a creative to insert or to save, or a refusal. */
export type SyncDecision =
  | { readonly action: 'created' | 'unchanged'; readonly creative: Creative; readonly warnings: readonly string[] }
  | {
      readonly action: 'updated'
      readonly creative: Creative
      readonly before: Creative
      readonly changes: readonly string[]
      readonly warnings: readonly string[]
    }
  | {
      readonly action: 'failed'
      readonly creativeId: string
      readonly errors: readonly AdcpError[]
      /** Whether it breaks its format: in strict mode from 3.1 on, the call is refused for it. */
      readonly format?: true
    }

/**
 * Decides on one creative of sync_creatives (upsert by the buyer's id). What breaks its format is refused; new or changed ads
 * are reviewed; a change that only sorts the library is not. `field` is its path in the request, e.g. `creatives[0]`.
 */
export function decideSync(
  wire: SentCreative,
  existing: Creative | undefined,
  field: string,
  { accountId, scope, reviewPolicy, generated = false, unverified, examining = UNEXAMINED, now }: SyncContext,
): SyncDecision {
  const format = resolveFormat(wire.format_id, scope)
  const findings = validateCreative(wire.assets, format)
  const errors = findings.filter((finding) => finding.severity === 'error')
  if (errors.length > 0)
    return {
      action: 'failed',
      // `sales_social` of the official suites uploads an ad that breaks its format, and reads the rows.
      ...(!scope.conformance && { format: true as const }),
      creativeId: wire.creative_id,
      errors: errors.map((each) => errorOf(each, field)),
    }
  const claims: Finding[] = unverified === undefined ? [] : [{ severity: 'warning', field: 'provenance', message: unverified }]
  const doubts = [...findings.filter((finding) => finding.severity === 'warning'), ...claims]
  const remark = landingPageRemark(wire.assets, format)
  const finalized = generated && wire.status === 'approved'
  const judged = generated && !finalized ? UNSEEN : review(wire.assets, doubts, reviewPolicy)
  // What was made here needs no fetching.
  const { verdict, remark: unfetched } = untilSeen(judged, wire.assets, generated ? UNEXAMINED : examining)
  const remarks = [remark, unfetched].filter((each) => each !== undefined)
  const warnings = [...doubts.map((finding) => `${finding.field} ${finding.message}`), ...remarks]
  const at = now.toISOString()
  if (!existing) {
    const fresh: Creative = {
      creativeId: wire.creative_id,
      accountId,
      content: contentOf(wire),
      status: 'processing',
      createdAt: at,
      updatedAt: at,
      revision: 1,
    }
    return { action: 'created', creative: reviewed(fresh, verdict, now), warnings }
  }
  const content = { ...contentOf(wire), ...(existing.content.prices && { prices: existing.content.prices }) }
  const changes = changedFields(existing.content, content)
  // Sending a rejected or archived creative again asks for another look at it, changed or not.
  const agreed = finalized && awaitsBuyer(existing)
  const resubmitted = existing.status === 'rejected' || existing.status === 'archived' || agreed
  if (changes.length === 0 && !resubmitted) return { action: 'unchanged', creative: existing, warnings }
  const changed: Creative = { ...existing, content, updatedAt: at }
  const creative = resubmitted || needsReview(changes) ? reviewed(changed, verdict, now) : changed
  return { action: 'updated', creative, before: existing, changes: agreed ? [...changes, 'status'] : changes, warnings }
}

const UNEXAMINED: Examining = { examined: false, sandbox: false }

/** core/creative-asset.json `status`: a generated creative is finalized by its buyer. */
const UNSEEN: Verdict = {
  status: 'pending_review',
  reason: 'generated from the brief; check the preview, then sync it again with status approved',
}

/** Whether a creative waits for its buyer, who is to agree to what was made of the brief, and not for the publisher. */
export function awaitsBuyer({ status, statusReason }: Pick<Creative, 'status' | 'statusReason'>): boolean {
  return status === 'pending_review' && statusReason === UNSEEN.reason
}

/** In strict mode one creative that fails takes the others with it (enums/validation-mode.json). */
export function strictly(decisions: readonly SyncDecision[]): readonly SyncDecision[] {
  const culprit = decisions.findIndex((decision) => decision.action === 'failed')
  if (culprit < 0) return decisions
  return decisions.map((decision, index) => {
    if (decision.action === 'failed') return decision
    const error = new AdcpError('VALIDATION_ERROR', `not applied: validation_mode is strict and creatives[${culprit}] failed`, {
      field: `creatives[${index}]`,
      suggestion: 'mend the creative that failed, or use validation_mode lenient',
    })
    return { action: 'failed', creativeId: decision.creative.creativeId, errors: [error] }
  })
}

/** The one error of a strict call whose creatives break their formats; undefined where none does. */
export function formatRefusal(decisions: readonly SyncDecision[]): AdcpError | undefined {
  const faults = decisions.flatMap((decision) => (decision.action === 'failed' && decision.format ? decision.errors : []))
  const [first] = faults
  if (first === undefined || faults.length === 1) return first
  const message = joinFaults(faults.map((fault) => fault.message))
  const { field, details } = first
  return new AdcpError(first.code, message, { ...(field !== undefined && { field }), ...(details && { details }), faults })
}

/** The wire row of a decision. */
export function presentDecision(decision: SyncDecision): SyncedCreative {
  if (decision.action === 'failed') {
    const errors = decision.errors.map((error) => toWireError(error))
    return { creative_id: decision.creativeId, action: 'failed', errors }
  }
  const { creative, action } = decision
  const reason = creative.statusReason === undefined ? [] : [`${creative.status}: ${creative.statusReason}`]
  const warnings = [...decision.warnings, ...reason]
  return {
    creative_id: creative.creativeId,
    action,
    ...wireStatus(creative.status),
    ...(decision.action === 'updated' && { changes: [...decision.changes] }),
    ...(warnings.length > 0 && { warnings }),
  }
}

function errorOf({ field, message }: Finding, path: string): AdcpError {
  const at = `${path}.${field}`
  return new AdcpError(field === 'format_id' ? 'UNSUPPORTED_FEATURE' : 'VALIDATION_ERROR', `${at} ${message}`, { field: at })
}
