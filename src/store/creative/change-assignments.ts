import type { ActingPrincipal, PrincipalRef } from '../../domain/identity/principal.ts'
import { endedServing } from '../../domain/media-buy/ended-serving.ts'
import type { Assignment } from '../../domain/media-buy/media-buy.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { keepServing } from '../media-buy/keep-serving.ts'
import { scheduleAssignmentCheck } from '../webhook/scheduled-events.ts'
import { assignmentsOf } from './creative-assignments.ts'

/** A few milliseconds of work, after which others get their turn. */
const STATEMENTS_A_TICK = 50

/** Puts assignments in place of the present ones of a package. What those served until now is for the caller to keep. */
export async function replaceAssignments(
  tx: Db,
  owner: PrincipalRef,
  packageId: string,
  assignments: readonly Assignment[],
  now: Date,
): Promise<void> {
  await tx
    .deleteFrom('creative_assignments')
    .where('tenant_id', '=', owner.tenantId)
    .where('package_id', '=', packageId)
    .where('principal_id', '=', owner.principalId)
    .execute()
  const last = new Map(assignments.map((assignment) => [assignment.creativeId, assignment]))
  for (const [position, assignment] of [...last.values()].entries()) {
    await putAssignment(tx, owner, packageId, assignment, position, now)
    if (position % STATEMENTS_A_TICK === STATEMENTS_A_TICK - 1) await yieldToEventLoop()
  }
  if (last.size > 0) await scheduleAssignmentCheck(tx, owner, { packageId, creativeIds: [...last.keys()] }, now)
}

/** Adds an assignment to those of a package, or changes its weight and placements; it keeps serving meanwhile. */
export async function addAssignment(
  tx: Db,
  owner: PrincipalRef,
  packageId: string,
  assignment: Assignment,
  now: Date,
): Promise<void> {
  const { last } = await tx
    .selectFrom('creative_assignments')
    .select((e) => e.fn.max<number | null>('position').as('last'))
    .where('tenant_id', '=', owner.tenantId)
    .where('package_id', '=', packageId)
    .executeTakeFirstOrThrow()
  await putAssignment(tx, owner, packageId, assignment, (last ?? -1) + 1, now)
  await scheduleAssignmentCheck(tx, owner, { packageId, creativeIds: [assignment.creativeId] }, now)
}

/** Takes a creative off a package, where it serves no more; what it served stays with the package. Its media buy is looked at again, since its status may be another one. */
export async function removeAssignment(
  tx: Db,
  owner: ActingPrincipal,
  { packageId, creativeId }: { readonly packageId: string; readonly creativeId: string },
  now: Date,
): Promise<void> {
  await scheduleAssignmentCheck(tx, owner, { packageId, creativeIds: [creativeId] }, now)
  const facts = (await assignmentsOf(tx, owner, [packageId])).get(packageId) ?? []
  const ended = endedServing(
    facts.filter((fact) => fact.creativeId === creativeId),
    now,
  )
  if (ended.length > 0) await keepServing(tx, owner, packageId, ended)
  await tx
    .deleteFrom('creative_assignments')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('package_id', '=', packageId)
    .where('creative_id', '=', creativeId)
    .execute()
}

async function putAssignment(
  tx: Db,
  owner: PrincipalRef,
  packageId: string,
  { creativeId, weight, placementIds }: Assignment,
  position: number,
  now: Date,
): Promise<void> {
  const options = { weight: weight ?? null, placement_ids: placementIds ? JSON.stringify(placementIds) : null }
  await tx
    .insertInto('creative_assignments')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      package_id: packageId,
      creative_id: creativeId,
      position,
      ...options,
      assigned_at: now.toISOString(),
      served: '[]',
    })
    .onConflict((c) => c.columns(['tenant_id', 'package_id', 'creative_id']).doUpdateSet(options))
    .execute()
}
