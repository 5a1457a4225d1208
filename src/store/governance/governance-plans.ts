import type { Plan } from '../../domain/governance/plan.ts'
import type { PlanDocument } from '../../domain/governance/plan-document.ts'
import { planHash } from '../../domain/governance/plan-hash.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { GovernancePlanTables, PlanKey } from './rows.ts'

/** Stores a plan as its next revision; the first sync makes the plan. */
export async function savePlan(tx: Db, owner: PrincipalRef, document: PlanDocument, now: Date): Promise<Plan> {
  const key = keyOf(owner, document.plan_id)
  const at = now.toISOString()
  const { version, created_at } = await tx
    .insertInto('governance_plans')
    .values({ ...key, version: 1, created_at: at, updated_at: at })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'principal_id', 'plan_id']).doUpdateSet((eb) => ({
        version: eb('governance_plans.version', '+', 1),
        updated_at: at,
      })),
    )
    .returning(['version', 'created_at'])
    .executeTakeFirstOrThrow()
  const plan_hash = planHash(document)
  await tx
    .insertInto('governance_plan_versions')
    .values({ ...key, version, plan_hash, document: JSON.stringify(document), created_at: at })
    .execute()
  await tx
    .deleteFrom('governance_plan_members')
    .where('tenant_id', '=', key.tenant_id)
    .where('principal_id', '=', key.principal_id)
    .where('plan_id', '=', key.plan_id)
    .execute()
  const members = [...new Set(document.portfolio?.member_plan_ids)].map((member_plan_id) => ({ ...key, member_plan_id }))
  if (members.length > 0) await tx.insertInto('governance_plan_members').values(members).execute()
  return planOf({ ...key, version, created_at, updated_at: at, plan_hash, document: JSON.stringify(document) })
}

/** The revision in force of an agent's plan. Throws PLAN_NOT_FOUND for an absent one and for another agent's alike. */
export async function getPlan(db: Db, owner: PrincipalRef, planId: string, field = 'plan_id'): Promise<Plan> {
  const [plan] = await findPlans(db, owner, [planId])
  if (!plan) throw planNotFound(field)
  return plan
}

/** The one answer for a plan that does not exist and for one that is somebody else's. */
export function planNotFound(field = 'plan_id'): AdcpError {
  return new AdcpError('PLAN_NOT_FOUND', 'there is no such plan', { field })
}

/** Those of the named plans that the agent has, in the order of their ids. */
export async function findPlans(db: Db, owner: PrincipalRef, planIds: readonly string[]): Promise<Plan[]> {
  if (planIds.length === 0) return []
  const rows = await inForce(db, owner).where('p.plan_id', 'in', planIds).orderBy('p.plan_id').execute()
  return rows.map(planOf)
}

/** Ids of those of the named plans that the agent has, in order. */
export async function findPlanIds(
  db: Db,
  { tenantId, principalId }: PrincipalRef,
  planIds: readonly string[],
): Promise<string[]> {
  if (planIds.length === 0) return []
  const rows = await db
    .selectFrom('governance_plans')
    .select('plan_id')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('plan_id', 'in', planIds)
    .orderBy('plan_id')
    .execute()
  return rows.map((row) => row.plan_id)
}

/** The first of some plans that at least so many portfolios hold besides `portfolioId`. */
export async function findFullMember(
  db: Db,
  owner: PrincipalRef,
  portfolioId: string,
  members: readonly string[],
  most: number,
): Promise<string | undefined> {
  if (members.length === 0) return undefined
  const row = await db
    .selectFrom('governance_plan_members')
    .select('member_plan_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('member_plan_id', 'in', members)
    .where('plan_id', '!=', portfolioId)
    .groupBy('member_plan_id')
    .having((eb) => eb.fn.countAll(), '>=', most)
    .limit(1)
    .executeTakeFirst()
  return row?.member_plan_id
}

/** The portfolio plans that a plan is a member of. */
export async function findPortfolios(db: Db, owner: PrincipalRef, planId: string): Promise<Plan[]> {
  const rows = await inForce(db, owner)
    .innerJoin('governance_plan_members as m', (join) =>
      join
        .onRef('m.tenant_id', '=', 'p.tenant_id')
        .onRef('m.principal_id', '=', 'p.principal_id')
        .onRef('m.plan_id', '=', 'p.plan_id'),
    )
    .where('m.member_plan_id', '=', planId)
    .execute()
  return rows.map(planOf)
}

function inForce(db: Db, { tenantId, principalId }: PrincipalRef) {
  return db
    .selectFrom('governance_plans as p')
    .innerJoin('governance_plan_versions as v', (join) =>
      join
        .onRef('v.tenant_id', '=', 'p.tenant_id')
        .onRef('v.principal_id', '=', 'p.principal_id')
        .onRef('v.plan_id', '=', 'p.plan_id')
        .onRef('v.version', '=', 'p.version'),
    )
    .where('p.tenant_id', '=', tenantId)
    .where('p.principal_id', '=', principalId)
    .select(['p.principal_id', 'p.plan_id', 'p.version', 'p.created_at', 'p.updated_at', 'v.plan_hash', 'v.document'])
}

function keyOf({ tenantId, principalId }: PrincipalRef, planId: string): PlanKey {
  return { tenant_id: tenantId, principal_id: principalId, plan_id: planId }
}

type PlanRow = Pick<
  GovernancePlanTables['governance_plans'],
  'principal_id' | 'plan_id' | 'version' | 'created_at' | 'updated_at'
> &
  Pick<GovernancePlanTables['governance_plan_versions'], 'plan_hash' | 'document'>

function planOf(row: PlanRow): Plan {
  const document: PlanDocument = JSON.parse(row.document)
  return {
    planId: row.plan_id,
    principalId: row.principal_id,
    version: row.version,
    document,
    planHash: row.plan_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
