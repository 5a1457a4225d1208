import { type SqlBool, sql } from 'kysely'
import type { Creative, CreativeStatus } from '../../domain/creative/creative.ts'
import type { AssignedPackage } from '../../domain/creative/present.ts'
import type { PurgeReason } from '../../domain/creative/purge.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import { type Condition, libraryConditions } from './creative-conditions.ts'
import type { CreativeQuery } from './creative-query.ts'
import { tombstonesSince } from './creative-tombstones.ts'
import { creativeOf } from './creatives.ts'

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

/** A page of creatives. */
export interface CreativePage {
  readonly listed: readonly ListedCreative[]
  /** Whether there are more. */
  readonly isCut: boolean
}

/** Creatives in the given order, `limit` at most, fewer where they are large, after a position. */
export async function listCreatives(
  db: Db,
  agent: ActingPrincipal,
  query: CreativeQuery,
  sort: { readonly field: CreativeSortField; readonly direction: 'asc' | 'desc' },
  page: { readonly after: CreativePosition | undefined; readonly limit: number },
): Promise<CreativePage> {
  const column = SORT_COLUMN[sort.field]
  const further = sort.direction === 'asc' ? '>' : '<'
  const { after } = page
  let ordered = db
    .selectFrom(matching(db, agent, query).as('c'))
    .selectAll('c')
    .orderBy(column, sort.direction)
    .orderBy('creative_id', sort.direction)
    .orderBy('account_id', sort.direction)
  if (after) {
    const [value, creativeId, accountId] = after
    ordered = ordered.where((eb) =>
      eb.or([
        eb(column, further, value),
        eb.and([eb(column, '=', value), eb('creative_id', further, creativeId)]),
        eb.and([eb(column, '=', value), eb('creative_id', '=', creativeId), eb('account_id', further, accountId)]),
      ]),
    )
  }
  const { rows, isCut } = await pageOfSize(ordered, ['document'], page.limit)
  const listed = rows.map(({ assignment_count, ...row }): ListedCreative => {
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
  return { listed, isCut }
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
    .selectFrom(matching(db, agent, query).as('c'))
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

/** Assignments of a page of creatives: about a megabyte of an answer. */
const ASSIGNMENTS_OF_A_PAGE = 10_000

/** Packages that each creative of a page is assigned to, in the order of assignment: the newest, so many that all creatives have as many. */
export async function packagesOfCreatives(
  db: Db,
  agent: ActingPrincipal,
  listed: readonly Pick<ListedCreative, 'creative' | 'assignments'>[],
  now: Date,
): Promise<readonly (readonly AssignedPackage[])[]> {
  const most = Math.floor(ASSIGNMENTS_OF_A_PAGE / Math.max(1, listed.filter(({ assignments: count }) => count > 0).length))
  const packages: AssignedPackage[][] = []
  for (const { creative, assignments: count } of listed) {
    const { creativeId, accountId } = creative
    const rows =
      count === 0
        ? []
        : await liveAssignments(db, agent, now)
            .select(['a.package_id', 'a.assigned_at'])
            .where('a.creative_id', '=', creativeId)
            .$if(!agent.conformance && accountId !== '', (q) => q.where('m.account_id', '=', accountId))
            .orderBy('a.assigned_at', 'desc')
            .orderBy('a.package_id', 'desc')
            .limit(most)
            .execute()
    packages.push(rows.map((row) => ({ packageId: row.package_id, assignedAt: row.assigned_at })).reverse())
  }
  return packages
}

/** Assignments to packages of media buys that are neither over nor canceled. */
function liveAssignments(db: Db, agent: ActingPrincipal, now: Date) {
  return assignments(db, agent)
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .where('m.decision', 'is', null)
    .where('m.ends_at', '>', now.toISOString())
}

function assignments(db: Db, agent: ActingPrincipal) {
  return db
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .where('a.tenant_id', '=', agent.tenantId)
    .where('a.principal_id', '=', agent.principalId)
}

/** Live assignments of the creative `c` of the query around. */
function liveAssignmentsOfC(db: Db, agent: ActingPrincipal, now: Date) {
  return liveAssignments(db, agent, now)
    .where(sql<SqlBool>`a.creative_id = c.creative_id`)
    .$if(!agent.conformance, (q) => q.where(sql<SqlBool>`(c.account_id = '' or c.account_id = m.account_id)`))
}

function matching(db: Db, agent: ActingPrincipal, query: CreativeQuery) {
  const count = liveAssignmentsOfC(db, agent, query.now).select((e) => e.fn.countAll<number | string>().as('count'))
  return db
    .selectFrom(library(db, query).as('c'))
    .selectAll('c')
    .select(sql<number | string>`${count}`.as('assignment_count'))
    .where('c.tenant_id', '=', agent.tenantId)
    .where('c.principal_id', '=', agent.principalId)
    .where((eb) => eb.and([...libraryConditions(db, query), ...assignmentConditions(db, agent, query)]))
}

const COLUMNS = [
  ...(['tenant_id', 'principal_id', 'account_id', 'creative_id', 'name', 'name_folded', 'format_agent', 'format_id'] as const),
  ...(['format_width', 'format_height', 'format_duration', 'concept_id', 'has_variables', 'status', 'status_reason'] as const),
  ...(['approved_at', 'document', 'revision', 'created_at', 'updated_at'] as const),
] as const

/** The creatives, with the tombstones that are still shown where they are asked for. */
function library(db: Db, { includePurged, now }: CreativeQuery) {
  const present = db
    .selectFrom('creatives')
    .select(COLUMNS)
    .select([sql<string | null>`null`.as('purged_at'), sql<PurgeReason | null>`null`.as('purge_reason')])
  if (includePurged !== true) return present
  return present.unionAll(
    db
      .selectFrom('creative_tombstones')
      .select(COLUMNS)
      .select(['purged_at', 'purge_reason'])
      .where('purged_at', '>', tombstonesSince(now)),
  )
}

function assignmentConditions(
  db: Db,
  agent: ActingPrincipal,
  { packageIds, mediaBuyIds, unassigned, now }: CreativeQuery,
): Condition[] {
  const own = () => assignments(db, agent).select('a.package_id').where(sql<SqlBool>`a.creative_id = c.creative_id`)
  const live = liveAssignmentsOfC(db, agent, now).select('a.package_id')
  return [
    ...(packageIds ? [sql<SqlBool>`exists ${own().where('a.package_id', 'in', packageIds)}`] : []),
    ...(mediaBuyIds ? [sql<SqlBool>`exists ${own().where('p.media_buy_id', 'in', mediaBuyIds)}`] : []),
    ...(unassigned === undefined ? [] : [unassigned ? sql<SqlBool>`not exists ${live}` : sql<SqlBool>`exists ${live}`]),
  ]
}
