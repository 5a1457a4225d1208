import { randomUUID } from 'node:crypto'
import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { GovernedAction } from '../../domain/governance/action.ts'
import type { NewEntry } from '../../domain/governance/audit-chain.ts'
import { decideSteps } from '../../domain/governance/decide.ts'
import type { Decision, PlanState } from '../../domain/governance/decision.ts'
import { type Escalation, type Review, resolve, reviewFor, sandboxReview } from '../../domain/governance/escalation.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { humanApproval } from '../../domain/governance/human-approval.ts'
import { nextCheckAt } from '../../domain/governance/next-check.ts'
import type { Plan, Portfolio } from '../../domain/governance/plan.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { committedUnder, findAction, listCommitments, saveAction } from '../../store/governance/governance-actions.ts'
import { appendToLog } from '../../store/governance/governance-log.ts'
import { findPortfolios } from '../../store/governance/governance-plans.ts'
import { checkEntry, escalationEntry, reviewEntry } from './check-entries.ts'
import { actionOfCheck, sellerOf } from './find-action.ts'
import { type Checker, reachPlan } from './governance-context.ts'
import { type IssuedToken, issueToken } from './issue-token.ts'
import { checkTypeOf, productIdsOf, readAction } from './read-action.ts'

export interface CheckContext extends Pick<InTransaction<AuthenticatedContext>, 'tx' | 'tenant' | 'now'> {
  readonly principal: Checker
  readonly services: Pick<AuthenticatedContext['services'], 'products' | 'governanceTokens'> & {
    readonly wiring: { readonly agentUrl: string }
  }
}

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
  /** When the seller is to report delivery (ISO 8601). */
  readonly nextCheck: string | undefined
}

/**
 * Decides on an action under a plan that the caller reaches, and records it: the log, the action, the escalation to a person, the token. The one
 * way into a decision, for the task and for the seller side of this same process. Throws PLAN_NOT_FOUND.
 */
export async function runCheck(context: CheckContext, request: CheckGovernanceRequest): Promise<CheckResult> {
  const { tx, principal, services, now } = context
  const { owner, plan, known } = await reachPlan(tx, principal, request.plan_id, request.governance_context)
  const linked = known && (await findAction(tx, owner, plan.planId, known.entry.actionId))
  const action = readAction(request, {
    products: await productsOf(context, request),
    seller: sellerOf(services.wiring.agentUrl, principal.principalId, request, plan, linked),
  })
  const record = await actionOfCheck(tx, owner, request, linked, { plan, action, now })
  const checkId = `chk_${randomUUID()}`
  const entries: NewEntry[] = []
  const open = context.principal.sandbox ? simulated(record, plan, request, now, entries) : record.escalation
  const state = await stateOf(tx, owner, plan, record)
  const asked = { planHash: plan.planHash, amountMicros: action.amountMicros }
  const accepted = known?.entry.document.status === 'conditions' && known.entry.actionId === record.actionId
  const decideWith = async (escalation: Escalation | undefined) => {
    const review = reviewFor(escalation, asked, now)
    const { counterproposals } = record
    const decision = await inTurns(decideSteps({ ...state, action, review, accepted, counterproposals }, now))
    return { escalation, review, decision }
  }
  const alone = await decideWith(open)
  const reported = reportedApproval(context, request, alone.decision, { record, plan, action, checkId, now })
  if (reported) entries.push(escalationEntry(reported.escalation), reviewEntry(reported.escalation, reported.review))
  const { escalation, review, decision } = reported ? await decideWith(reported.escalation) : alone
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
  const nextCheck = nextCheckAt(action, decision, plan, now)
  const isReported = action.checkType === 'execution'
  if (action.checkType !== 'availability')
    await saveAction(
      tx,
      owner.tenantId,
      afterCheck(
        { ...record, escalation: waiting ?? escalation, ...(isReported && { nextCheckAt: nextCheck }) },
        action,
        decision,
        token,
      ),
      now,
    )
  await appendToLog(tx, owner, plan.planId, entries)
  return { checkId, plan, action, decision, review, waitingFor: waiting?.checkId, token, nextCheck }
}

/**
 * In a sandbox a simulated person answers as soon as the agent asks again about an escalation: with a context, or with the approval of a person of its own.
 */
function simulated(
  record: ActionRecord,
  plan: Plan,
  request: CheckGovernanceRequest,
  now: Date,
  entries: NewEntry[],
): Escalation | undefined {
  const { escalation } = record
  if (!escalation || escalation.review || escalation.planHash !== plan.planHash) return escalation
  const approval = humanApproval(request)
  if ((request.governance_context === undefined && !approval) || checkTypeOf(request) !== 'intent') return escalation
  const decided = resolve(escalation, { ...sandboxReview(now), ...approval })
  if (decided.review) entries.push(reviewEntry(decided, decided.review))
  return decided
}

/**
 * The approval of a person that the agent of a sandbox brings along with a first question that needs one, put on record for the phases that follow. The person
 * is the agent's own, so that the simulated one adds no condition. Undefined when there is none, or nothing that it could lift.
 */
function reportedApproval(
  { principal, now }: CheckContext,
  request: CheckGovernanceRequest,
  { escalation: why }: Decision,
  subject: Omit<Waiting, 'why'>,
): { readonly escalation: Escalation; readonly review: Review } | undefined {
  const approval = principal.sandbox && checkTypeOf(request) === 'intent' ? humanApproval(request) : undefined
  if (!approval || why === undefined) return undefined
  const review = { ...sandboxReview(now), conditions: [], ...approval }
  return { escalation: resolve(waits(undefined, { ...subject, why }), review), review }
}

interface Waiting {
  readonly record: ActionRecord
  readonly plan: Plan
  readonly action: GovernedAction
  readonly why: string
  readonly checkId: string
  readonly now: Date
}

/** What waits now: the same request for a person when one is open for this revision and amount, else a new one. */
function waits(open: Escalation | undefined, { record, plan, action, why, checkId, now }: Waiting): Escalation {
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

async function stateOf(tx: Db, owner: PrincipalRef, plan: Plan, record: ActionRecord): Promise<PlanState> {
  const portfolios: Portfolio[] = []
  for (const portfolio of await findPortfolios(tx, owner, plan.planId)) {
    const { planId, document } = portfolio
    const members = [...new Set(document.portfolio?.member_plan_ids)]
    portfolios.push({ planId, document, committedMicros: await committedUnder(tx, owner, members, record.actionId) })
  }
  return {
    plan: { ...plan, currentActionId: record.actionId },
    commitments: await listCommitments(tx, owner, [plan.planId]),
    portfolios,
    approved: record.approved,
    expectedBy: record.nextCheckAt,
  }
}

async function productsOf({ services, tx, tenant, principal }: CheckContext, request: CheckGovernanceRequest) {
  const ids = productIdsOf(request)
  if (ids.length === 0) return new Map()
  const { byId } = await services.products.get(tx, tenant, principal)
  return new Map(
    ids.flatMap((id) => {
      const product = byId.get(id)
      return product
        ? [[id, { name: `${product.offer.name} ${product.offer.description}`, channels: product.offer.channels ?? [] }] as const]
        : []
    }),
  )
}
