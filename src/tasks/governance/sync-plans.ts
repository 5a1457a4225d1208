import { randomUUID } from 'node:crypto'
import type { SyncPlansRequest, SyncPlansResponse } from '@adcp/sdk/types'
import { checkPlan } from '../../domain/governance/check-plan.ts'
import { categoriesOf } from '../../domain/governance/decide.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { PlanDocument } from '../../domain/governance/plan-document.ts'
import { resolveRegimes } from '../../domain/governance/regimes.ts'
import { CATEGORIES } from '../../domain/governance/remark.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { appendToLog } from '../../store/governance/governance-log.ts'
import { savePlan } from '../../store/governance/governance-plans.ts'

export const syncPlans = defineTask<SyncPlansRequest, SyncPlansResponse>()({
  name: 'sync_plans',
  mutating: true,
  access: 'authenticated',
  scope: 'governance',
  summary: 'Register campaign plans or new revisions of them: budget, flight, markets, policies, delegations.',
  async handle({ plans }, context) {
    plans.forEach((plan, index) => {
      checkPlan(plan, `plans[${index}]`, plans.findIndex((each) => each.plan_id === plan.plan_id) !== index)
    })
    const saved: Plan[] = []
    for (const plan of plans) saved.push(await registerPlan(context, plan))
    return { plans: saved.map(presentPlan) }
  },
})

/** Stores the next revision of a plan and says so in its log. */
export async function registerPlan(
  { tx, principal, now }: Pick<InTransaction<AuthenticatedContext>, 'tx' | 'principal' | 'now'>,
  document: PlanDocument,
): Promise<Plan> {
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
