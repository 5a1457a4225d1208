import { randomUUID } from 'node:crypto'
import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { GovernedAction } from '../../domain/governance/action.ts'
import { actionKey } from '../../domain/governance/action-key.ts'
import type { EntryDocument, NewEntry } from '../../domain/governance/audit-chain.ts'
import { type Decision, decide, type PlanState } from '../../domain/governance/decide.ts'
import { type Escalation, type Review, resolve, reviewFor, sandboxReview } from '../../domain/governance/escalation.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { type Plan, type Portfolio, totalCommitted } from '../../domain/governance/plan.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { Owner } from '../../store/accounts.ts'
import type { Db } from '../../store/database.ts'
import { listActions, saveAction } from '../../store/governance-actions.ts'
import { appendToLog } from '../../store/governance-log.ts'
import { findPortfolios } from '../../store/governance-plans.ts'
import { type KnownContext, reachPlan } from './governance-context.ts'
import { type IssuedToken, issueToken } from './issue-token.ts'
import { checkTypeOf, productIdsOf, readAction } from './read-action.ts'

export type CheckContext = Pick<InTransaction<AuthenticatedContext>, 'tx' | 'tenant' | 'principal' | 'services' | 'now'>

/** What came of a check, recorded already. */
export interface CheckResult {
  readonly checkId: string
  readonly plan: Plan
  readonly action: GovernedAction
  readonly decision: Decision
  /** The person's decision that counted; undefined when none did. */
  readonly review: Review | undefined
  /** The check that waits for a person; undefined when none does. */
  readonly waitingFor: string | undefined
  /** None for a denial: nothing that is signed could pass for an approval then. */
  readonly token: IssuedToken | undefined
}

/**
 * Decides on an action under a plan that the caller reaches, and records it: the log, the action, what waits for a person, the token. The one
 * way into a decision, for the task and for the seller side of this same process. Throws PLAN_NOT_FOUND.
 */
export async function runCheck(context: CheckContext, request: CheckGovernanceRequest): Promise<CheckResult> {
  const { tx, principal, now } = context
  const { owner, plan, known } = await reachPlan(tx, principal, request.plan_id, request.governance_context)
  const actions = await listActions(tx, owner, [plan.planId])
  const action = readAction(request, {
    products: await productsOf(context, request),
    seller: sellerOf(context, request, plan, known, actions),
  })
  const record = recordOf(request, actions, known, { plan, action, now })
  const checkId = `chk_${randomUUID()}`
  const entries: NewEntry[] = []
  const escalation = context.principal.sandbox ? simulated(record, plan, request, now, entries) : record.escalation
  const review = reviewFor(escalation, { planHash: plan.planHash, amountMicros: action.amountMicros }, now)
  const state = await stateOf(tx, owner, plan, actions, record)
  const decision = decide(
    {
      ...state,
      action,
      review,
      accepted: known?.entry.document.status === 'conditions' && known.entry.actionId === record.actionId,
      counterproposals: record.counterproposals,
    },
    now,
  )
  const token =
    decision.status === 'denied' || action.checkType === 'availability'
      ? undefined
      : await issueToken(context, { checkId, plan, action, decision, record, payload: request.payload })
  entries.push({
    entryId: checkId,
    kind: 'check',
    actionId: action.checkType === 'availability' ? '' : record.actionId,
    document: checkEntry({ action, decision, plan, review, token, now, tool: request.tool }),
  })
  const waiting =
    decision.escalation === undefined
      ? undefined
      : waits(escalation, { record, plan, action, why: decision.escalation, checkId, now })
  if (waiting && waiting !== escalation) entries.push(escalationEntry(waiting))
  if (action.checkType !== 'availability')
    await saveAction(
      tx,
      owner.tenantId,
      afterCheck({ ...record, escalation: waiting ?? escalation }, action, decision, token),
      now,
    )
  await appendToLog(tx, owner, plan.planId, entries)
  return { checkId, plan, action, decision, review, waitingFor: waiting?.checkId, token }
}

/** The action that a check continues: its token's, else the one with the same question, else a new one. Delivery without a token is about the last approved purchase. */
function recordOf(
  request: CheckGovernanceRequest,
  actions: readonly ActionRecord[],
  known: KnownContext | undefined,
  { plan, action, now }: { plan: Plan; action: GovernedAction; now: Date },
): ActionRecord {
  const key = actionKey(request.caller, request.tool ?? '', action.purchaseType, request.payload)
  const byToken = known && actions.find((each) => each.actionId === known.entry.actionId)
  const buysAnew = action.checkType === 'intent' && action.phase === 'purchase'
  if (byToken && !(buysAnew && isDone(byToken))) return byToken
  const same = actions.filter((each) => each.purchaseType === action.purchaseType)
  const found =
    action.checkType === 'intent'
      ? same.findLast((each) => each.actionKey === key && !isDone(each))
      : (same.findLast((each) => each.approved !== undefined) ?? same.at(-1))
  return (
    found ?? {
      planId: plan.planId,
      principalId: plan.principalId,
      actionId: `act_${randomUUID()}`,
      actionKey: key,
      purchaseType: action.purchaseType,
      caller: action.caller,
      seller: action.seller,
      status: 'active',
      committedMicros: 0,
      channels: [],
      sellerReference: undefined,
      governanceContext: '',
      approved: undefined,
      escalation: undefined,
      counterproposals: 0,
      checkCount: 0,
      createdAt: now.toISOString(),
    }
  )
}

/** Bought already: who asks for the same thing again wants it once more, with money of its own. */
function isDone(record: ActionRecord): boolean {
  return record.committedMicros > 0 || record.sellerReference !== undefined
}

/** In a sandbox a simulated person answers as soon as the agent comes back with a context for what waits. */
function simulated(
  record: ActionRecord,
  plan: Plan,
  request: CheckGovernanceRequest,
  now: Date,
  entries: NewEntry[],
): Escalation | undefined {
  const { escalation } = record
  if (!escalation || escalation.review || escalation.planHash !== plan.planHash) return escalation
  if (request.governance_context === undefined || checkTypeOf(request) !== 'intent') return escalation
  const decided = resolve(escalation, sandboxReview(now))
  if (decided.review) entries.push(reviewEntry(decided, decided.review))
  return decided
}

/** What waits now: the same request for a person when one is open for this revision and amount, else a new one. */
function waits(
  open: Escalation | undefined,
  {
    record,
    plan,
    action,
    why,
    checkId,
    now,
  }: { record: ActionRecord; plan: Plan; action: GovernedAction; why: string; checkId: string; now: Date },
): Escalation {
  const covers = open && !open.review && open.planHash === plan.planHash && open.amountMicros === action.amountMicros
  if (covers) return open
  return {
    planId: plan.planId,
    principalId: plan.principalId,
    actionId: record.actionId,
    checkId,
    planHash: plan.planHash,
    caller: action.caller,
    tool: action.tool,
    amountMicros: action.amountMicros,
    currency: plan.document.budget.currency,
    why,
    review: undefined,
    createdAt: now.toISOString(),
  }
}

function afterCheck(
  record: ActionRecord,
  action: GovernedAction,
  { status }: Decision,
  token: IssuedToken | undefined,
): ActionRecord {
  const approves = status === 'approved' && action.phase !== 'delivery'
  const approved = approves
    ? {
        amountMicros: action.amountMicros ?? record.approved?.amountMicros,
        channels: action.channels.length > 0 ? action.channels : record.channels,
      }
    : record.approved
  return {
    ...record,
    approved,
    status: action.phase === 'delivery' ? (status === 'denied' ? 'suspended' : 'active') : record.status,
    governanceContext: token?.value ?? record.governanceContext,
    counterproposals:
      status === 'conditions' && action.checkType === 'intent'
        ? record.counterproposals + 1
        : status === 'approved'
          ? 0
          : record.counterproposals,
    checkCount: record.checkCount + 1,
  }
}

async function stateOf(
  tx: Db,
  owner: Owner,
  plan: Plan,
  actions: readonly ActionRecord[],
  record: ActionRecord,
): Promise<PlanState> {
  const portfolios: Portfolio[] = []
  for (const portfolio of await findPortfolios(tx, owner, plan.planId)) {
    const members = await listActions(tx, owner, portfolio.document.portfolio?.member_plan_ids ?? [])
    const others = members.filter((each) => each.actionId !== record.actionId)
    portfolios.push({ planId: portfolio.planId, document: portfolio.document, committedMicros: totalCommitted(others) })
  }
  return { plan: { ...plan, currentActionId: record.actionId }, commitments: actions, portfolios, approved: record.approved }
}

/** The seller that an intent is for: named in its payload, else the plan's only one, else this one. One that executes names itself. */
function sellerOf(
  { services, principal }: CheckContext,
  request: CheckGovernanceRequest,
  { document, principalId }: Plan,
  known: KnownContext | undefined,
  actions: readonly ActionRecord[],
): string {
  const linked = known && actions.find((each) => each.actionId === known.entry.actionId)
  if (linked) return linked.seller
  if (principalId !== principal.principalId) return request.caller
  const target = request.payload !== undefined && 'target_seller' in request.payload ? request.payload.target_seller : undefined
  if (typeof target === 'string') return target
  const [only, another] = document.approved_sellers ?? []
  return only !== undefined && another === undefined ? only : services.wiring.agentUrl
}

async function productsOf({ services, tx, tenant, principal }: CheckContext, request: CheckGovernanceRequest) {
  const ids = productIdsOf(request)
  if (ids.length === 0) return new Map()
  const { byId } = await services.catalogue.get(tx, tenant, principal)
  return new Map(
    ids.flatMap((id) => {
      const product = byId.get(id)
      return product
        ? [[id, { name: `${product.offer.name} ${product.offer.description}`, channels: product.offer.channels ?? [] }] as const]
        : []
    }),
  )
}

interface Checked {
  readonly action: GovernedAction
  readonly decision: Decision
  readonly plan: Plan
  readonly review: Review | undefined
  readonly token: IssuedToken | undefined
  readonly tool: string | undefined
  readonly now: Date
}

function checkEntry({ action, decision, plan, review, token, tool, now }: Checked): EntryDocument {
  return {
    at: now.toISOString(),
    actor: action.caller,
    caller: action.caller,
    reason: decision.explanation,
    status: decision.status,
    checkType: action.checkType,
    ...(tool !== undefined && { tool }),
    ...(action.amountMicros !== undefined && { amountMicros: action.amountMicros }),
    purchaseType: action.purchaseType,
    remarks: decision.remarks,
    conditions: decision.conditions,
    categories: decision.categories,
    policies: decision.policies,
    planHash: plan.planHash,
    planVersion: plan.version,
    humanReviewed: review !== undefined,
    ...(token && { governanceContext: token.value }),
  }
}

function escalationEntry({ checkId, why, createdAt, actionId, planHash }: Escalation): NewEntry {
  return {
    entryId: `esc_${randomUUID()}`,
    kind: 'escalation',
    actionId,
    document: { at: createdAt, actor: 'governance agent', reason: why, checkId, planHash },
  }
}

/** The log entry of what a person decided. */
export function reviewEntry({ checkId, actionId, planHash }: Escalation, review: Review): NewEntry {
  const { resolution, conditions, decidedBy, reason, decidedAt } = review
  return {
    entryId: `rev_${randomUUID()}`,
    kind: 'review',
    actionId,
    document: { at: decidedAt, actor: decidedBy, reason, resolution, conditions, checkId, planHash },
  }
}
