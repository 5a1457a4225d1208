import type { PlanDocument } from '../../domain/governance/plan-document.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { pageOfSize } from '../page-size.ts'

/** A buyer has few plans that are not over; among the newest of them one for the brand is found. */
const NEWEST = 200

/** When something is bought for, ISO 8601; an open end is open. */
export interface PurchaseWindow {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

const whetherGoverned = hotQuery(['tenantId', 'principalId', 'accountId'], (db, value) =>
  db.selectNoFrom((eb) => [
    eb
      .exists(
        eb
          .selectFrom('account_governance_agents')
          .select('position')
          .where('tenant_id', '=', value('tenantId'))
          .where('account_id', '=', value('accountId')),
      )
      .as('agents'),
    eb
      .exists(
        eb
          .selectFrom('governance_plans')
          .select('plan_id')
          .where('tenant_id', '=', value('tenantId'))
          .where('principal_id', '=', value('principalId')),
      )
      .as('plans'),
  ]),
)

/** Whether anybody may have a say in what a buyer commits: governance agents of the account, or plans that the buyer keeps here. */
export async function mayBeGoverned(
  db: Db,
  { tenantId, principalId }: PrincipalRef,
  accountId: string | undefined,
): Promise<boolean> {
  const [row] = (await whetherGoverned(db, { tenantId, principalId, accountId: accountId ?? null })).rows
  return Boolean(row?.agents) || Boolean(row?.plans)
}

/**
 * The plan that a buyer synced last for a brand, among those whose flight the purchase touches; among all of them when it touches
 * none, which is then for the plan to say. Undefined when there is none for the brand.
 */
export async function findNewestPlanFor(
  db: Db,
  owner: PrincipalRef,
  brandDomain: string,
  window: PurchaseWindow = {},
): Promise<string | undefined> {
  const newest = db
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
  const domain = brandDomain.toLowerCase()
  let first: string | undefined
  for (let read = 0; read < NEWEST; ) {
    const { rows, isCut } = await pageOfSize(newest.offset(read), ['v.document'], NEWEST - read)
    for (const row of rows) {
      const document: PlanDocument = JSON.parse(row.document)
      if (document.portfolio !== undefined || document.brand.domain.toLowerCase() !== domain) continue
      if (touches(document.flight, window)) return row.plan_id
      first ??= row.plan_id
    }
    if (!isCut) break
    read += rows.length
    await yieldToEventLoop()
  }
  return first
}

function touches(flight: PlanDocument['flight'], { start, end }: PurchaseWindow): boolean {
  const beginsInTime = end === undefined || Date.parse(flight.start) <= Date.parse(end)
  return beginsInTime && (start === undefined || Date.parse(flight.end) >= Date.parse(start))
}
