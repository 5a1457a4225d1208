import type { Creative } from '../../domain/creative/creative.ts'
import { approvalOf } from '../../domain/creative/lifecycle.ts'
import type { ActingPrincipal, PrincipalRef } from '../../domain/identity/principal.ts'
import type { Assignment, CreativeFact, CreativeFacts, Window } from '../../domain/media-buy/media-buy.ts'
import { yieldToEventLoop } from '../../platform/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { sortRows } from '../sort-rows.ts'
import { scheduleCreativeCheck } from '../webhook/scheduled-events.ts'
import { type CreativeRow, creativeOf } from './creatives.ts'

export interface CreativeAssignmentTables {
  creative_assignments: {
    tenant_id: string
    principal_id: string
    package_id: string
    /** The buyer's id; no creative of it need be there yet. */
    creative_id: string
    position: number
    weight: number | null
    placement_ids: string | null
    assigned_at: string
    /** Closed stretches in which the creative could serve on the package, as JSON. */
    served: string
  }
}

/**
 * What the library says of the creatives that are assigned to packages, by package id, in the order of assignment. An id
 * means the creative of the account that bought the package; an assignment may be older than its creative.
 */
export async function assignmentsOf(db: Db, agent: ActingPrincipal, packageIds: readonly string[]): Promise<CreativeFacts> {
  if (packageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .selectAll('a')
    .select('m.account_id')
    .where('a.tenant_id', '=', agent.tenantId)
    .where('a.principal_id', '=', agent.principalId)
    .where('a.package_id', 'in', packageIds)
    .orderBy('a.package_id')
    .orderBy('a.position')
    .orderBy('a.creative_id')
    .execute()
  const candidates = await candidatesOf(db, agent, [...new Set(rows.map((row) => row.creative_id))])
  const facts = rows.map((row) => {
    const creative = chosen(candidates.get(row.creative_id) ?? [], row.account_id, agent.conformance === true)
    return [row.package_id, factOf(row, creative)] as const
  })
  return grouped(facts)
}

async function candidatesOf(db: Db, owner: PrincipalRef, creativeIds: readonly string[]): Promise<Map<string, CreativeRow[]>> {
  if (creativeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('creatives')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('creative_id', 'in', creativeIds)
    .execute()
  return grouped(sortRows(rows, ['updated_at', 'desc']).map((row) => [row.creative_id, row] as const))
}

/** Entries of the same key together, in their order. */
function grouped<T>(entries: readonly (readonly [string, T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [key, value] of entries) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** The account's own creative, else one that every account has, else, where the accounts count as one, the newest of any account. */
function chosen(candidates: readonly CreativeRow[], accountId: string, oneAccount: boolean): Creative | undefined {
  const row =
    candidates.find((candidate) => candidate.account_id === accountId) ??
    candidates.find((candidate) => candidate.account_id === '') ??
    (oneAccount ? candidates[0] : undefined)
  return row && creativeOf(row)
}

interface AssignmentRow {
  readonly creative_id: string
  readonly weight: number | null
  readonly placement_ids: string | null
  readonly assigned_at: string
  readonly served: string
}

function factOf(row: AssignmentRow, creative: Creative | undefined): CreativeFact {
  const served: readonly Window[] = JSON.parse(row.served)
  const servesFrom = creative && servingSince(row.assigned_at, creative)
  return {
    creativeId: row.creative_id,
    ...(row.weight !== null && { weight: row.weight }),
    ...(row.placement_ids !== null && { placementIds: JSON.parse(row.placement_ids) }),
    ...(served.length > 0 && { served }),
    ...(creative && { approval: approvalOf(creative.status), formatId: creative.content.formatId }),
    ...(creative && offlineOf(creative)),
    ...(creative?.statusReason !== undefined && { rejectionReason: creative.statusReason }),
    ...(servesFrom !== undefined && { servesFrom }),
  }
}

function offlineOf({ status, updatedAt }: Creative): Pick<CreativeFact, 'offline'> {
  return status === 'suspended' || status === 'rejected' ? { offline: { to: status, since: updatedAt } } : {}
}

/** When a creative could begin to serve where it is assigned: with the later of assignment and approval. */
function servingSince(assignedAt: string, { status, approvedAt }: Creative): string | undefined {
  if (status !== 'approved' || approvedAt === undefined) return undefined
  return approvedAt > assignedAt ? approvedAt : assignedAt
}

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
}

/** Takes a creative off a package, where it serves no more. Its media buy is looked at again: without an approved creative it is not active. */
export async function removeAssignment(
  tx: Db,
  owner: PrincipalRef,
  { packageId, creativeId }: { readonly packageId: string; readonly creativeId: string },
  now: Date,
): Promise<void> {
  // Before the row is gone, since it says which media buy that is.
  await scheduleCreativeCheck(tx, owner, creativeId, now)
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
  await scheduleCreativeCheck(tx, owner, creativeId, now)
}

/**
 * Closes the stretches in which a creative served, when it loses its approval: what was delivered stays delivered. `before` is
 * the creative as it was while approved.
 */
export async function endServing(tx: Db, agent: ActingPrincipal, before: Creative, now: Date): Promise<void> {
  const rows = await tx
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .selectAll('a')
    .select('m.account_id')
    .where('a.tenant_id', '=', agent.tenantId)
    .where('a.principal_id', '=', agent.principalId)
    .where('a.creative_id', '=', before.creativeId)
    .execute()
  const candidates = (await candidatesOf(tx, agent, [before.creativeId])).get(before.creativeId) ?? []
  const until = now.toISOString()
  for (const row of rows) {
    const from = servingSince(row.assigned_at, before)
    if (chosen(candidates, row.account_id, agent.conformance === true)?.accountId !== before.accountId) continue
    if (from === undefined || from >= until) continue
    const served: readonly Window[] = [...JSON.parse(row.served), { from, until }]
    await tx
      .updateTable('creative_assignments')
      .set({ served: JSON.stringify(served) })
      .where('tenant_id', '=', agent.tenantId)
      .where('package_id', '=', row.package_id)
      .where('creative_id', '=', row.creative_id)
      .execute()
  }
}

/** Media buys of the agent that any creative is assigned to. */
export async function listAssignedMediaBuys(db: Db, owner: PrincipalRef): Promise<string[]> {
  const rows = await db
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .select('p.media_buy_id')
    .distinct()
    .where('a.tenant_id', '=', owner.tenantId)
    .where('a.principal_id', '=', owner.principalId)
    .execute()
  return rows.map((row) => row.media_buy_id)
}
