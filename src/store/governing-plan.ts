import type { PlanDocument } from '../domain/governance/plan.ts'
import type { Owner } from './accounts.ts'
import type { Db } from './database.ts'

/** A buyer has few plans that are not over; among the newest of them one for the brand is found. */
const NEWEST = 200

/** The plan that a buyer synced last for a brand; its flight may be over, which is for the plan to say. Undefined when there is none. */
export async function findNewestPlanFor(db: Db, owner: Owner, brandDomain: string): Promise<string | undefined> {
  const rows = await db
    .selectFrom('governance_plans as p')
    .innerJoin('governance_plan_versions as v', (join) =>
      join
        .onRef('v.tenant_id', '=', 'p.tenant_id')
        .onRef('v.principal_id', '=', 'p.principal_id')
        .onRef('v.plan_id', '=', 'p.plan_id')
        .onRef('v.version', '=', 'p.version'),
    )
    .where('p.tenant_id', '=', owner.tenantId)
    .where('p.principal_id', '=', owner.principalId)
    .select(['p.plan_id', 'v.document'])
    .orderBy('p.updated_at', 'desc')
    .orderBy('p.plan_id', 'desc')
    .limit(NEWEST)
    .execute()
  const domain = brandDomain.toLowerCase()
  const plan = rows.find((row) => {
    const { brand, portfolio }: PlanDocument = JSON.parse(row.document)
    return portfolio === undefined && brand.domain.toLowerCase() === domain
  })
  return plan?.plan_id
}
