import { randomUUID } from 'node:crypto'
import type { SyncPlansRequest, SyncPlansResponse } from '@adcp/sdk/types'
import { checkPlan } from '../../domain/governance/check-plan.ts'
import { categoriesOf } from '../../domain/governance/decide.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { PlanDocument } from '../../domain/governance/plan-document.ts'
import { resolveRegimes } from '../../domain/governance/regimes.ts'
import { CATEGORIES } from '../../domain/governance/remark.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { appendToLog } from '../../store/governance/governance-log.ts'
import { findFullMember, savePlan } from '../../store/governance/governance-plans.ts'

export const syncPlans = defineTask<SyncPlansRequest, SyncPlansResponse>()({
  name: 'sync_plans',
  mutating: true,
  access: 'authenticated',
  scope: 'governance',
  summary: 'Register campaign plans or new revisions of them: budget, flight, markets, policies, delegations.',
  async handle({ plans }, context) {
    const ids = new Set<string>()
    for (const [index, plan] of plans.entries()) {
      checkPlan(plan, `plans[${index}]`, ids.has(plan.plan_id))
      ids.add(plan.plan_id)
      await giveWay()
    }
    const saved: Plan[] = []
    for (const [index, plan] of plans.entries()) {
      saved.push(await registerPlan(context, plan, `plans[${index}]`))
      await giveWay()
    }
    return { plans: saved.map(presentPlan) }
  },
})

/** Portfolios that hold one plan: each of its checks reads all of them. */
const MAX_PORTFOLIOS = 10

/** Stores the next revision of a plan, which came at `path`, and says so in its log. Throws VALIDATION_ERROR. */
export async function registerPlan(
  { tx, principal, now }: Pick<InTransaction<AuthenticatedContext>, 'tx' | 'principal' | 'now'>,
  document: PlanDocument,
  path: string,
): Promise<Plan> {
  const members = document.portfolio?.member_plan_ids ?? []
  const full = await findFullMember(tx, principal, document.plan_id, members, MAX_PORTFOLIOS)
  if (full !== undefined) {
    const field = `${path}.portfolio.member_plan_ids`
    throw new AdcpError(
      'VALIDATION_ERROR',
      `${field} names ${full}, which ${MAX_PORTFOLIOS} portfolios hold already: take it out of one of them first`,
      { field },
    )
  }
  const plan = await savePlan(tx, principal, document, now)
  const reason = plan.version === 1 ? 'plan registered' : `plan revised to version ${plan.version}`
  await appendToLog(tx, principal, plan.planId, [
    {
      entryId: `pln_${randomUUID()}`,
      kind: 'plan',
      actionId: '',
      document: {
        at: now.toISOString(),
        actor: principal.agentUrl ?? principal.name,
        reason,
        planHash: plan.planHash,
        planVersion: plan.version,
      },
    },
  ])
  return plan
}

function presentPlan(plan: Plan): SyncPlansResponse['plans'][number] {
  const active = new Set(categoriesOf({ plan, portfolios: [] }))
  return {
    plan_id: plan.planId,
    status: 'active',
    version: plan.version,
    categories: CATEGORIES.map((category) => ({ category_id: category, status: active.has(category) ? 'active' : 'inactive' })),
    resolved_policies: resolveRegimes(plan.document).map(({ regime, source, reason }) => ({
      policy_id: regime.policyId,
      source,
      enforcement: 'must',
      reason,
    })),
  }
}
