import type { GetPlanAuditLogsRequest } from '@adcp/sdk/types'
import type { Newest } from '../../domain/governance/newest.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { giveWay, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listActionsOfContexts } from '../../store/governance/governance-actions.ts'
import { findPlanIds, getPlan, planNotFound } from '../../store/governance/governance-plans.ts'
import { findContext } from './governance-context.ts'
import { type AuditedPlan, withAdjustments } from './present-adjustments.ts'
import { presentAudit, presentChain } from './present-audit.ts'
import { type ReadAudit, readAudit } from './read-audit.ts'

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
    const ids = await plansOf(request, context, traced)
    const filter = {
      actionIds: traced && new Set(traced.map(({ actionId }) => actionId)),
      types: request.purchase_types && new Set<string>(request.purchase_types),
    }
    const include = {
      entries: request.include_entries === true,
      planIds: ids.length > 1 || request.portfolio_plan_ids !== undefined,
    }
    const room = { count: Math.max(1, Math.floor(MOST_SHOWN / ids.length)), bytes: Math.floor(MOST_BYTES / ids.length) }
    const answers: AuditedPlan[] = []
    const chains: object[] = []
    const cuts: object[] = []
    for (const id of ids) {
      const plan = await getPlan(context.tx, context.principal, id)
      const audit = await readAudit(context.tx, context.principal, id, filter, { entries: include.entries, room })
      const { committed, byChannel, adjustments } = audit
      const [entries, actions] = [audit.entries.items, audit.actions.items]
      const answer = presentAudit(
        plan,
        { counted: audit.tally.summary, entries, actions, committed, byChannel },
        context.now,
        include,
      )
      const isAdjusted = context.contract.has('report_plan_adjustment')
      answers.push(isAdjusted ? withAdjustments(answer, plan, { committed, adjustments, shown: entries }) : answer)
      if (include.entries) chains.push(presentChain(plan, audit.chain, entries))
      const cut = cutOf(audit)
      if (cut) cuts.push({ plan_id: id, ...cut })
      await yieldToEventLoop()
    }
    const ext = {
      ...(include.entries && { audit_chain: chains }),
      ...(cuts.length > 0 && { audit_cut: { message: CUT, plans: cuts } }),
    }
    return { plans: answers, ...(Object.keys(ext).length > 0 && { ext }) }
  },
})

/** Entries, actions and escalations of one answer, and bytes of each, shared by its plans: the task has no pages, and more would hold up other callers. */
const MOST_SHOWN = 1_000
const MOST_BYTES = 1_500_000
/** Plans of one answer. */
const MOST_PLANS = 200
const CUT =
  'the figures are of the whole log, the lists hold the newest of it: name fewer plans, or narrow it down with governance_contexts or purchase_types'

/** How much there is of what an answer shows in part; undefined when it shows all. */
function cutOf({ entries, actions, tally: { escalations } }: ReadAudit): object | undefined {
  if (![entries, actions, escalations].some(({ isCut }) => isCut)) return undefined
  const shares = (newest: Newest<unknown>) => ({ shown: newest.items.length, of: newest.of })
  return { entries: shares(entries), governed_actions: shares(actions), escalations: shares(escalations) }
}

/** Ids of the actions that the asked tokens belong to, by plan; undefined when no token was asked for. */
async function tracedActions(
  { governance_contexts: tokens }: GetPlanAuditLogsRequest,
  { tx, principal }: InTransaction<AuthenticatedContext>,
): Promise<readonly { planId: string; actionId: string }[] | undefined> {
  if (tokens === undefined) return undefined
  const traced: { planId: string; actionId: string }[] = await listActionsOfContexts(tx, principal, tokens)
  for (const token of new Set(tokens)) {
    const known = await findContext(tx, principal.tenantId, token)
    if (known && known.entry.principalId === principal.principalId) traced.push(known.entry)
  }
  return traced
}

/** Ids of the plans that are asked about; a portfolio represents its members. Throws PLAN_NOT_FOUND, and INVALID_REQUEST for too many. */
async function plansOf(
  { plan_ids, portfolio_plan_ids }: GetPlanAuditLogsRequest,
  { tx, principal }: InTransaction<AuthenticatedContext>,
  traced: readonly { planId: string }[] | undefined,
): Promise<readonly string[]> {
  const named = await findPlanIds(tx, principal, plan_ids ?? [])
  if (named.length < new Set(plan_ids).size) throw planNotFound('plan_ids')
  const members: string[] = []
  for (const id of new Set(portfolio_plan_ids)) {
    const { document } = await getPlan(tx, principal, id, 'portfolio_plan_ids')
    if (!document.portfolio) throw planNotFound('portfolio_plan_ids')
    members.push(id, ...document.portfolio.member_plan_ids)
    await giveWay()
  }
  const ofTokens = plan_ids || portfolio_plan_ids ? [] : (traced ?? []).map(({ planId }) => planId)
  const ids = [...new Set([...named, ...members, ...ofTokens])]
  if (ids.length <= MOST_PLANS) return findPlanIds(tx, principal, ids)
  const field = portfolio_plan_ids ? 'portfolio_plan_ids' : 'governance_contexts'
  throw new AdcpError(
    'INVALID_REQUEST',
    `${field} stand for ${ids.length} plans; one answer has at most ${MOST_PLANS}: name fewer`,
    {
      field,
    },
  )
}
