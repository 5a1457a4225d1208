import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type Adjustment,
  type AdjustmentType,
  adjustedSummary,
  adjustmentsIn,
  headroomOf,
  OF_ADJUSTMENTS,
  type ReviewedAdjustment,
  refusal,
  requireAdjustable,
} from '../../domain/governance/adjustment.ts'
import type { AuditEntry, EntryDocument, EntryKind } from '../../domain/governance/audit-chain.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { type Plan, toMicros, totalCommitted } from '../../domain/governance/plan.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findAction, listCommitments, saveAction } from '../../store/governance/governance-actions.ts'
import { appendToLog, eachEntry, findEntry } from '../../store/governance/governance-log.ts'
import { getPlan } from '../../store/governance/governance-plans.ts'

/** AdCP 3.2, governance/report-plan-adjustment-request.json: its schema demands the members of each action. */
interface Request {
  readonly action: 'report' | 'review'
  readonly plan_id: string
  readonly outcome_id?: string
  readonly adjustment_id?: string
  readonly decision?: 'accept' | 'dispute'
  readonly seller_reference?: string
  readonly seller_adjustment_id?: string
  readonly adjustment_type?: AdjustmentType
  readonly amount?: { readonly amount: number; readonly currency: string }
  readonly reason?: string
  readonly effective_at?: string
  readonly evidence?: Adjustment['evidence']
}

type Context = InTransaction<AuthenticatedContext>

export const reportPlanAdjustment = defineTask<Request, object>()({
  name: 'report_plan_adjustment',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'governance',
  summary:
    'After an outcome: its seller reports a decommitment, refund, credit or makegood (action report); the owner of the plan accepts or disputes it (review).',
  handle: (request, context) => (request.action === 'report' ? report(request, context) : review(request, context)),
})

/** Adjustments of one plan: each report reads them. */
const MOST_ADJUSTMENTS = 1_000
const OUTCOMES: ReadonlySet<EntryKind> = new Set(['outcome'])

/** A plan with what has happened to it. */
interface Ledger {
  readonly owner: PrincipalRef
  readonly plan: Plan
  readonly known: readonly ReviewedAdjustment[]
  /** Micros that the actions of the plan have committed. */
  readonly committed: number
}

async function report(request: Request, context: Context): Promise<object> {
  const { tx, principal, now } = context
  const { outcome_id: outcomeId = '', amount = { amount: 0, currency: '' }, reason = '' } = request
  const outcome = await findEntry(tx, principal.tenantId, outcomeId)
  if (outcome?.kind !== 'outcome' || outcome.planId !== request.plan_id) throw noOutcome()
  const ledger = await ledgerOf(context, outcome, outcome.planId)
  const action = await findAction(tx, ledger.owner, outcome.planId, outcome.actionId)
  requireSeller(action, outcome, context)
  const { committedMicros = 0, sellerReference } = await requireCurrent(tx, ledger.owner, outcome)
  const { currency } = ledger.plan.document.budget
  if (amount.currency !== currency) throw refusal('INVALID_REQUEST', 'amount.currency', `must be that of the plan, ${currency}`)
  const amountMicros = toMicros(amount.amount)
  if (amountMicros <= 0)
    throw refusal('INVALID_REQUEST', 'amount.amount', 'must be at least 0.000001, the smallest amount counted')
  const adjustment = adjustmentOf(request, amountMicros)
  const adjustmentId = idOf(action.seller, adjustment)
  const { known } = ledger
  const before = await findEntry(tx, principal.tenantId, adjustmentId)
  if (before) {
    const same = known.find((each) => each.adjustmentId === adjustmentId)
    if (same && isSame(same, adjustment)) return answerOf(same, ledger, known)
    throw refusal('CONFLICT', 'seller_adjustment_id', 'stands for another adjustment')
  }
  if (known.length >= MOST_ADJUSTMENTS)
    throw refusal(
      'INVALID_STATE',
      'plan_id',
      `has ${known.length} adjustments already; settle the rest with the owner of the plan`,
    )
  requireAdjustable(adjustment, { committedMicros, sellerReference }, known)
  const document: EntryDocument = {
    ...{ at: now.toISOString(), actor: principal.agentUrl ?? principal.name, reason, adjustment },
    ...(outcome.document.purchaseType && { purchaseType: outcome.document.purchaseType }),
  }
  await appendToLog(tx, ledger.owner, ledger.plan.planId, [
    { entryId: adjustmentId, kind: 'adjustment', actionId: action.actionId, document },
  ])
  const reported: ReviewedAdjustment = { ...adjustment, adjustmentId, actionId: action.actionId, reason, state: 'reported' }
  return answerOf(reported, ledger, [...known, reported])
}

async function review(request: Request, context: Context): Promise<object> {
  const { tx, principal, now } = context
  const { adjustment_id: adjustmentId, decision, reason } = request
  const ledger = await ledgerOf(context, principal, request.plan_id)
  const { known } = ledger
  const found = known.find((each) => each.adjustmentId === adjustmentId)
  const action = found && (await findAction(tx, principal, request.plan_id, found.actionId))
  if (!found || !action || adjustmentId === undefined || decision === undefined)
    throw new AdcpError('REFERENCE_NOT_FOUND', 'adjustment_id: there is no such adjustment under this plan', {
      field: 'adjustment_id',
    })
  if (found.state !== 'reported') throw refusal('INVALID_STATE', 'adjustment_id', `was ${found.state} already`)
  const outcome = await findEntry(tx, principal.tenantId, found.outcomeId)
  if (decision === 'accept' && outcome) await requireCurrent(tx, ledger.owner, outcome)
  const document: EntryDocument = {
    ...{ at: now.toISOString(), actor: principal.agentUrl ?? principal.name, adjustmentId, decision },
    ...(reason !== undefined && { reason }),
  }
  await appendToLog(tx, principal, ledger.plan.planId, [
    { entryId: `${adjustmentId}_review`, kind: 'adjustment_review', actionId: found.actionId, document },
  ])
  const reviewed: ReviewedAdjustment = { ...found, state: decision === 'accept' ? 'verified' : 'disputed' }
  const changed = { ...action, committedMicros: action.committedMicros - headroomOf(reviewed) }
  if (headroomOf(reviewed) > 0) await saveAction(tx, principal.tenantId, changed, now)
  const adjustments = known.map((each) => (each === found ? reviewed : each))
  return answerOf(reviewed, { ...ledger, committed: ledger.committed - headroomOf(reviewed) }, adjustments)
}

async function ledgerOf({ tx }: Context, { tenantId, principalId }: PrincipalRef, planId: string): Promise<Ledger> {
  const owner = { tenantId, principalId }
  const plan = await getPlan(tx, owner, planId)
  const entries: AuditEntry[] = []
  await eachEntry(tx, owner, planId, (entry) => entries.push(entry), OF_ADJUSTMENTS)
  const committed = totalCommitted(await listCommitments(tx, owner, [planId]))
  return { owner, plan, known: adjustmentsIn(entries), committed }
}

/** Only the seller of an action speaks of it; to everybody else but the owner of the plan there is no such outcome. */
function requireSeller(
  action: ActionRecord | undefined,
  { principalId }: PrincipalRef,
  { principal }: Context,
): asserts action is ActionRecord {
  if (action && principal.agentUrl !== undefined && action.seller === principal.agentUrl) return
  if (principal.principalId !== principalId || !action) throw noOutcome()
  throw new AdcpError(
    'PERMISSION_DENIED',
    'adjustments are reported by the seller of the outcome; the owner of the plan reviews them',
    {
      field: 'action',
      suggestion: 'send action "review" with the adjustment_id that the seller reported',
    },
  )
}

function noOutcome(): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', 'outcome_id: there is no such outcome under this plan', { field: 'outcome_id' })
}

/** What an outcome committed. Refuses one that committed nothing, or was reported anew since. */
async function requireCurrent(db: Db, owner: PrincipalRef, outcome: AuditEntry): Promise<EntryDocument> {
  let last: string | undefined
  const visit = ({ entryId, actionId, document }: AuditEntry) => {
    if (actionId === outcome.actionId && document.outcome !== 'delivery') last = entryId
  }
  await eachEntry(db, owner, outcome.planId, visit, OUTCOMES)
  if (outcome.document.outcome !== 'completed')
    throw refusal('INVALID_STATE', 'outcome_id', 'is of an outcome that committed nothing')
  if (last !== outcome.entryId)
    throw refusal('INVALID_STATE', 'outcome_id', `was replaced by a later report of the same purchase, ${last}`)
  return outcome.document
}

/** The schema of `report` demands every member. */
function adjustmentOf(request: Request, amountMicros: number): Adjustment {
  const { outcome_id, seller_reference, seller_adjustment_id, adjustment_type, effective_at, evidence } = request
  if (!outcome_id || !seller_reference || !seller_adjustment_id || !adjustment_type || !effective_at || !evidence)
    throw new Error('a report without its members passed the schema')
  return {
    outcomeId: outcome_id,
    sellerReference: seller_reference,
    sellerAdjustmentId: seller_adjustment_id,
    type: adjustment_type,
    amountMicros,
    effectiveAt: effective_at,
    evidence,
  }
}

/** The same adjustment of a seller always has the same id. */
function idOf(seller: string, { sellerAdjustmentId }: Adjustment): string {
  return `adj_${hash('sha256', JSON.stringify([seller, sellerAdjustmentId]), 'hex').slice(0, 32)}`
}

function isSame(known: ReviewedAdjustment, sent: Adjustment): boolean {
  const { adjustmentId: _id, actionId: _action, reason: _reason, state: _state, ...before } = known
  return isDeepStrictEqual(before, sent)
}

function answerOf(adjustment: ReviewedAdjustment, { plan, committed }: Ledger, all: readonly ReviewedAdjustment[]): object {
  const { currency, total } = plan.document.budget
  return {
    adjustment_id: adjustment.adjustmentId,
    adjustment_state: adjustment.state,
    adjustment_type: adjustment.type,
    amount: { amount: microsToAmount(adjustment.amountMicros), currency },
    headroom_restored: microsToAmount(headroomOf(adjustment)),
    plan_summary: adjustedSummary(committed, all, toMicros(total)),
  }
}
