import { requiredText } from '../../domain/compliance/params.ts'
import { seededPlan } from '../../domain/compliance/seeded-plan.ts'
import { checkPlan } from '../../domain/governance/check-plan.ts'
import { clearActions } from '../../store/governance/governance-actions.ts'
import { registerPlan } from '../governance/sync-plans.ts'
import { type Scenario, seeded } from './scenario.ts'

/** `seed_plan`: a campaign plan of this agent, with nothing committed and nobody asked under it. Its log goes on. */
export const seedPlan: Scenario = async (params, context) => {
  const planId = requiredText(params, 'plan_id')
  const plan = seededPlan(planId, params, context.now)
  checkPlan(plan, 'params.fixture', false)
  await clearActions(context.tx, context.principal, planId)
  await registerPlan(context, plan, 'params.fixture')
  return seeded('plan', planId)
}
