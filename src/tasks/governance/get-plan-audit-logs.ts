import type { GetPlanAuditLogsRequest } from '@adcp/sdk/types'
import type { AuditEntry } from '../../domain/governance/audit-chain.ts'
import { type AuditSummary, summarise } from '../../domain/governance/audit-summary.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { findActionsByContext, listActions } from '../../store/governance/governance-actions.ts'
import { readLog } from '../../store/governance/governance-log.ts'
import { findPlans, planNotFound } from '../../store/governance/governance-plans.ts'
import { findContext } from './governance-context.ts'
import { type AuditedPlan, withAdjustments } from './present-adjustments.ts'
import { presentAudit, presentChain } from './present-audit.ts'

export const getPlanAuditLogs = defineTask<
  GetPlanAuditLogsRequest,
  { readonly plans: readonly AuditedPlan[]; readonly ext?: object }
>()({
  name: 'get_plan_audit_logs',
  access: 'authenticated',
  scope: 'governance',
  summary: 'Budget, checks, decisions of people and outcomes of plans; the whole hash-chained trail with include_entries.',
  async handle(request, context) {
    const traced = await tracedActions(request, context)
    const plans = await plansOf(request, context, traced)
    const answers: AuditedPlan[] = []
    const chains: object[] = []
    const cuts: object[] = []
    const most = Math.max(1, Math.floor(MOST_SHOWN / plans.length))
    for (const plan of plans) {
      const log = await readLog(context.tx, context.principal, plan.planId)
      const actions = await listActions(context.tx, context.principal, [plan.planId])
      const chosen = selection(request, log, actions, traced)
      // Of a log of ten thousand entries each of these takes tens of milliseconds on a busy machine.
      await yieldToEventLoop()
      const shown = newest(chosen, most)
      await yieldToEventLoop()
      const shownPlan = plans.length > 1 || request.portfolio_plan_ids !== undefined
      const answer = presentAudit(plan, { ...shown, all: actions }, context.now, {
        entries: request.include_entries === true,
        planIds: shownPlan,
      })
      const isAdjusted = context.contract.has('report_plan_adjustment')
      answers.push(isAdjusted ? withAdjustments(answer, plan, { log, shown: shown.entries }, actions) : answer)
      if (request.include_entries) chains.push(await presentChain(plan, log, shown.entries))
      const cut = cutOf(chosen, shown)
      if (cut) cuts.push({ plan_id: plan.planId, ...cut })
    }
    const ext = {
      ...(request.include_entries === true && { audit_chain: chains }),
      ...(cuts.length > 0 && { audit_cut: { message: CUT, plans: cuts } }),
    }
    return { plans: answers, ...(Object.keys(ext).length > 0 && { ext }) }
  },
})

/** Entries, actions and escalations of one answer, shared by its plans: the task has no pages, and more would hold up other callers. */
const MOST_SHOWN = 1_000
const CUT =
  'the figures are of the whole log, the lists hold the newest of it: name fewer plans, or narrow it down with governance_contexts or purchase_types'

interface Chosen {
  readonly entries: readonly AuditEntry[]
  readonly actions: readonly ActionRecord[]
}

/** What an answer shows of what was chosen: the newest, in order; the figures are of all of it. */
function newest({ entries, actions }: Chosen, most: number): Chosen & { readonly counted: AuditSummary } {
  const counted = summarise(entries)
  return {
    entries: entries.slice(-most),
    actions: actions.slice(-most),
    counted: { ...counted, escalations: counted.escalations.slice(-most) },
  }
}

/** How much there is of what an answer shows in part; undefined when it shows all. */
function cutOf(chosen: Chosen, shown: Chosen): object | undefined {
  if (chosen.entries.length === shown.entries.length && chosen.actions.length === shown.actions.length) return undefined
  return {
    entries: { shown: shown.entries.length, of: chosen.entries.length },
    governed_actions: { shown: shown.actions.length, of: chosen.actions.length },
  }
}

/** Ids of the actions that the asked tokens belong to, by plan; undefined when no token was asked for. */
async function tracedActions(
  { governance_contexts: tokens }: GetPlanAuditLogsRequest,
  { tx, principal }: InTransaction<AuthenticatedContext>,
): Promise<readonly { planId: string; actionId: string }[] | undefined> {
  if (tokens === undefined) return undefined
  const traced: { planId: string; actionId: string }[] = await findActionsByContext(tx, principal, tokens)
  for (const token of new Set(tokens)) {
    const known = await findContext(tx, principal.tenantId, token)
    if (known && known.entry.principalId === principal.principalId) traced.push(known.entry)
  }
  return traced
}

/** The plans that are asked about; a portfolio represents its members. Throws PLAN_NOT_FOUND. */
async function plansOf(
  { plan_ids, portfolio_plan_ids }: GetPlanAuditLogsRequest,
  { tx, principal }: InTransaction<AuthenticatedContext>,
  traced: readonly { planId: string }[] | undefined,
): Promise<Plan[]> {
  const named = await findPlans(tx, principal, plan_ids ?? [])
  if (named.length < new Set(plan_ids).size) throw planNotFound('plan_ids')
  const portfolios = await findPlans(tx, principal, portfolio_plan_ids ?? [])
  if (portfolios.length < new Set(portfolio_plan_ids).size || portfolios.some(({ document }) => !document.portfolio))
    throw planNotFound('portfolio_plan_ids')
  const members = portfolios.flatMap(({ planId, document }) => [planId, ...(document.portfolio?.member_plan_ids ?? [])])
  const ofTokens = plan_ids || portfolio_plan_ids ? [] : (traced ?? []).map(({ planId }) => planId)
  return findPlans(tx, principal, [...new Set([...named.map(({ planId }) => planId), ...members, ...ofTokens])])
}

/** What the filters leave of a plan's log and actions. Entries about the plan as a whole stay unless a filter asks for something narrower. */
function selection(
  { purchase_types: types }: GetPlanAuditLogsRequest,
  log: readonly AuditEntry[],
  actions: readonly ActionRecord[],
  traced: readonly { actionId: string }[] | undefined,
): Chosen {
  const ids = traced && new Set(traced.map(({ actionId }) => actionId))
  const wanted = types && new Set<string>(types)
  if (!ids && !wanted) return { entries: log, actions }
  const typeOf = new Map<string, string>()
  for (const { actionId, document } of log) if (document.purchaseType !== undefined) typeOf.set(actionId, document.purchaseType)
  const isShown = (actionId: string) => (ids?.has(actionId) ?? true) && (wanted?.has(typeOf.get(actionId) ?? '') ?? true)
  return {
    entries: log.filter(({ actionId }) => isShown(actionId)),
    actions: actions.filter(({ actionId }) => isShown(actionId)),
  }
}
