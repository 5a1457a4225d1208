import type { Creative, CreativeStatus } from '../../domain/creative/creative.ts'
import type { PurgeReason } from '../../domain/creative/purge.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { creativeOf } from './creatives.ts'
import { type CreativeQuery, liveAssignments, matchingCreatives } from './matching-creatives.ts'

export type CreativeSortField = 'created_date' | 'updated_date' | 'name' | 'status' | 'assignment_count'

/** When and why a creative was destroyed. */
export interface Purged {
  readonly at: string
  readonly reason: PurgeReason
}

/** Keyset position: the sort value of the last creative shown, and its key. */
export type CreativePosition = readonly [value: string | number, creativeId: string, accountId: string]

export interface ListedCreative {
  readonly creative: Creative
  /** Assignments to packages of buys that are neither over nor canceled. */
  readonly assignments: number
  /** Set on a tombstone. */
  readonly purged?: Purged
  readonly position: CreativePosition
}

const SORT_COLUMN = {
  created_date: 'created_at',
  updated_date: 'updated_at',
  name: 'name_folded',
  status: 'status',
  assignment_count: 'assignment_count',
} as const satisfies Record<CreativeSortField, string>

/** Creatives in the given order, `limit` at most, after a position. */
export async function listCreatives(
  db: Db,
  agent: ActingPrincipal,
  query: CreativeQuery,
  sort: { readonly field: CreativeSortField; readonly direction: 'asc' | 'desc' },
  page: { readonly after: CreativePosition | undefined; readonly limit: number },
): Promise<ListedCreative[]> {
  const column = SORT_COLUMN[sort.field]
  const further = sort.direction === 'asc' ? '>' : '<'
  const { after } = page
  let listed = db
    .selectFrom(matchingCreatives(db, agent, query).as('c'))
    .selectAll('c')
    .orderBy(column, sort.direction)
    .orderBy('creative_id', sort.direction)
    .orderBy('account_id', sort.direction)
    .limit(page.limit)
  if (after) {
    const [value, creativeId, accountId] = after
    listed = listed.where((eb) =>
      eb.or([
        eb(column, further, value),
        eb.and([eb(column, '=', value), eb('creative_id', further, creativeId)]),
        eb.and([eb(column, '=', value), eb('creative_id', '=', creativeId), eb('account_id', further, accountId)]),
      ]),
    )
  }
  return (await listed.execute()).map(({ assignment_count, ...row }) => {
    const assignments = Number(assignment_count)
    const value = column === 'assignment_count' ? assignments : row[column]
    const purged = row.purged_at !== null && row.purge_reason !== null && { at: row.purged_at, reason: row.purge_reason }
    return {
      creative: creativeOf(row),
      assignments,
      ...(purged && { purged }),
      position: [value, row.creative_id, row.account_id],
    }
  })
}

export interface CreativeCounts {
  readonly total: number
  readonly byStatus: ReadonlyMap<CreativeStatus, number>
  /** By format id, of any owner. */
  readonly byFormat: ReadonlyMap<string, number>
}

/** How many creatives match, by status and by format. */
export async function countCreatives(db: Db, agent: ActingPrincipal, query: CreativeQuery): Promise<CreativeCounts> {
  const rows = await db
    .selectFrom(matchingCreatives(db, agent, query).as('c'))
    .select((e) => ['c.status', 'c.format_id', e.fn.countAll<number | string>().as('count')])
    .groupBy(['c.status', 'c.format_id'])
    .execute()
  const byStatus = new Map<CreativeStatus, number>()
  const byFormat = new Map<string, number>()
  for (const { status, format_id, count } of rows) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + Number(count))
    byFormat.set(format_id, (byFormat.get(format_id) ?? 0) + Number(count))
  }
  return { total: [...byStatus.values()].reduce((a, b) => a + b, 0), byStatus, byFormat }
}

/** Packages that creatives are assigned to, by creative id, in the order of assignment. */
export async function packagesOfCreatives(
  db: Db,
  agent: ActingPrincipal,
  creativeIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, readonly { readonly packageId: string; readonly assignedAt: string }[]>> {
  const packages = new Map<string, { packageId: string; assignedAt: string }[]>()
  if (creativeIds.length === 0) return packages
  const rows = await liveAssignments(db, agent, now)
    .select(['a.creative_id', 'a.package_id', 'a.assigned_at'])
    .where('a.creative_id', 'in', creativeIds)
    .orderBy('a.assigned_at')
    .orderBy('a.package_id')
    .execute()
  for (const row of rows) {
    const entry = { packageId: row.package_id, assignedAt: row.assigned_at }
    packages.set(row.creative_id, [...(packages.get(row.creative_id) ?? []), entry])
  }
  return packages
}
