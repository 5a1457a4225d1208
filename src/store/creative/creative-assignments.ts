import { sql } from 'kysely'
import type { Creative } from '../../domain/creative/creative.ts'
import { approvalOf } from '../../domain/creative/lifecycle.ts'
import { awaitsBuyer } from '../../domain/creative/sync-creative.ts'
import type { ActingPrincipal, PrincipalRef } from '../../domain/identity/principal.ts'
import type { CreativeFact, CreativeFacts, Window } from '../../domain/media-buy/media-buy.ts'
import { readChunks } from '../chunks.ts'
import type { Db } from '../database.ts'
import { bytesOf, forEachPart } from '../page-size.ts'
import { sortRows } from '../sort-rows.ts'
import { creativeOf } from './creatives.ts'

/**
 * What the library says of the creatives that are assigned to packages, by package id, in the order of assignment. An id
 * means the creative of the account that bought the package; an assignment may be older than its creative.
 */
export async function assignmentsOf(db: Db, agent: ActingPrincipal, packageIds: readonly string[]): Promise<CreativeFacts> {
  const rows = await readChunks(packageIds, (chunk) =>
    assignments(db, agent)
      .where('a.package_id', 'in', chunk)
      .orderBy('a.package_id')
      .orderBy('a.position')
      .orderBy('a.creative_id')
      .execute(),
  )
  const candidates = await candidatesOf(db, agent, [...new Set(rows.map((row) => row.creative_id))])
  const facts = rows.map((row) => {
    const creative = chosen(candidates.get(row.creative_id) ?? [], row.account_id, agent.conformance === true)
    return [row.package_id, factOf(row, creative)] as const
  })
  return grouped(facts)
}

/** Assignments of an agent's creatives, each with the account that bought its package. */
function assignments(db: Db, { tenantId, principalId }: PrincipalRef) {
  return db
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .selectAll('a')
    .select('m.account_id')
    .where('a.tenant_id', '=', tenantId)
    .where('a.principal_id', '=', principalId)
}

/** What an assignment says of its creative. */
type Assignable = Pick<Creative, 'accountId' | 'status' | 'statusReason' | 'approvedAt' | 'updatedAt'> &
  Pick<Creative['content'], 'formatId'>

/** Creatives by id, as far as assignments look at them; some megabytes of them are read in parts, and each once. */
async function candidatesOf(
  db: Db,
  owner: PrincipalRef,
  creativeIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Assignable[]>> {
  const named = (ids: readonly string[]) =>
    db
      .selectFrom('creatives')
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('creative_id', 'in', ids)
  const found: (readonly [id: string, creative: Assignable])[] = []
  const read = async (ids: readonly string[]) => {
    for (const row of sortRows(await named(ids).selectAll().execute(), ['updated_at', 'desc'])) {
      const { content, ...creative } = creativeOf(row)
      found.push([row.creative_id, { ...creative, formatId: content.formatId }])
    }
  }
  if (creativeIds.length <= FEW_CREATIVES) {
    if (creativeIds.length > 0) await read(creativeIds)
    return grouped(found)
  }
  const sizes = await readChunks(creativeIds, (chunk) =>
    named(chunk)
      .select(['creative_id', sql<number | string>`sum(${bytesOf('document')})`.as('bytes')])
      .groupBy('creative_id')
      .execute(),
  )
  await forEachPart(
    sizes,
    ({ bytes }) => Number(bytes),
    (part) => read(part.map((row) => row.creative_id)),
  )
  return grouped(found)
}

/** Creatives that are read without a look at how large they are. */
const FEW_CREATIVES = 2

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
function chosen(candidates: readonly Assignable[], accountId: string, oneAccount: boolean): Assignable | undefined {
  return (
    candidates.find((candidate) => candidate.accountId === accountId) ??
    candidates.find((candidate) => candidate.accountId === '') ??
    (oneAccount ? candidates[0] : undefined)
  )
}

interface AssignmentRow {
  readonly creative_id: string
  readonly weight: number | null
  readonly placement_ids: string | null
  readonly assigned_at: string
  readonly served: string
}

function factOf(row: AssignmentRow, creative: Assignable | undefined): CreativeFact {
  const served: readonly Window[] = JSON.parse(row.served)
  const servesFrom = creative && servingSince(row.assigned_at, creative)
  return {
    creativeId: row.creative_id,
    ...(row.weight !== null && { weight: row.weight }),
    ...(row.placement_ids !== null && { placementIds: JSON.parse(row.placement_ids) }),
    ...(served.length > 0 && { served }),
    ...(creative && { approval: approvalOf(creative.status), formatId: creative.formatId }),
    ...(creative && awaitsBuyer(creative) && { awaitsBuyer: true as const }),
    ...(creative && offlineOf(creative)),
    ...(creative?.statusReason !== undefined && { rejectionReason: creative.statusReason }),
    ...(servesFrom !== undefined && { servesFrom }),
  }
}

function offlineOf({ status, updatedAt }: Assignable): Pick<CreativeFact, 'offline'> {
  return status === 'suspended' || status === 'rejected' ? { offline: { to: status, since: updatedAt } } : {}
}

/** When a creative could begin to serve where it is assigned: with the later of assignment and approval. */
function servingSince(assignedAt: string, { status, approvedAt }: Pick<Creative, 'status' | 'approvedAt'>): string | undefined {
  if (status !== 'approved' || approvedAt === undefined) return undefined
  return approvedAt > assignedAt ? approvedAt : assignedAt
}

/**
 * Closes the stretches in which a creative served, when it loses its approval: what was delivered stays delivered. `before` is
 * the creative as it was while approved.
 */
export async function endServing(tx: Db, agent: ActingPrincipal, before: Creative, now: Date): Promise<void> {
  const rows = await assignments(tx, agent).where('a.creative_id', '=', before.creativeId).execute()
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
