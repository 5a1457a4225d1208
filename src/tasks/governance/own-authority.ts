import type { OwnAuthority } from '../../features/governance/deciders.ts'
import type { Store } from '../../store/database.ts'
import { findPlans } from '../../store/governance/governance-plans.ts'
import { findNewestPlanFor } from '../../store/governance/governing-plan.ts'
import { presentCheck } from './check-governance.ts'
import { type CheckContext, runCheck } from './run-check.ts'

/**
 * This server as the governance agent of its own sales: plans that were synced here are asked in this process, by the same decision as
 * check_governance, and recorded in the same log. `services` is asked for at each check, since they hold the seller's side too.
 */
export function createOwnAuthority(store: Store, issuer: string, services: () => CheckContext['services']): OwnAuthority {
  return {
    issuer,
    async planFor({ db, principal }, { planId, brandDomain, plannedDelivery }) {
      if (planId !== undefined) return (await findPlans(db, principal, [planId]))[0]?.planId
      if (brandDomain === undefined) return undefined
      const { start_time: start, end_time: end } = plannedDelivery
      return findNewestPlanFor(db, principal, brandDomain, { start, end })
    },
    check: ({ tenant, principal, now }, request) =>
      store.transaction(async (tx) =>
        presentCheck(await runCheck({ tx, tenant, principal, now, services: services() }, request), now),
      ),
  }
}
