import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Creative, CreativeStatus } from '../../domain/creative/creative.ts'
import { canonicalAgentUrl, type FormatKey } from '../../domain/creative/formats/format-id.ts'
import type { PurgeReason } from '../../domain/creative/purge.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { tombstonesSince } from './creative-tombstones.ts'
import { type CreativeTables, creativeOf } from './creatives.ts'

export type CreativeSortField = 'created_date' | 'updated_date' | 'name' | 'status' | 'assignment_count'

/** What a listing asks for; every condition is one of the query, none is checked afterwards. */
export interface CreativeQuery {
  /** Accounts whose creatives are wanted; undefined means all of the agent's. Creatives that every account has always count. */
  readonly accountIds: readonly string[] | undefined
  readonly statuses?: readonly CreativeStatus[] | undefined
  readonly creativeIds?: readonly string[] | undefined
  /** Left out whatever else matches. */
  readonly exceptIds?: readonly string[] | undefined
  readonly nameContains?: string | undefined
  readonly allTags?: readonly string[] | undefined
  readonly anyTag?: readonly string[] | undefined
  readonly conceptIds?: readonly string[] | undefined
  readonly formatIds?: readonly FormatKey[] | undefined
  readonly hasVariables?: boolean | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly packageIds?: readonly string[] | undefined
  readonly mediaBuyIds?: readonly string[] | undefined
  readonly unassigned?: boolean | undefined
  /** Whether tombstones of destroyed creatives are listed too. */
  readonly includePurged?: boolean | undefined
  readonly now: Date
}

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
    .selectFrom(matching(db, agent, query).as('c'))
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

type Condition = Expression<SqlBool>
type LibraryRow = CreativeTables['creatives'] & { purged_at: string | null }
const builder = () => expressionBuilder<Tables & { c: LibraryRow }, 'c'>()

function libraryConditions(db: Db, query: CreativeQuery): Condition[] {
  const eb = builder()
  const { accountIds, statuses, creativeIds, exceptIds, conceptIds, hasVariables, nameContains, anyTag, formatIds } = query
  return [
    // core/creative-filters.json: archived creatives show only to those who ask for them.
    statuses ? eb('c.status', 'in', statuses) : eb.or([eb('c.status', '!=', 'archived'), eb('c.purged_at', 'is not', null)]),
    ...(accountIds ? [eb('c.account_id', 'in', ['', ...accountIds])] : []),
    ...(creativeIds ? [eb('c.creative_id', 'in', creativeIds.length > 0 ? creativeIds : [''])] : []),
    ...(exceptIds && exceptIds.length > 0 ? [eb('c.creative_id', 'not in', exceptIds)] : []),
    ...(conceptIds ? [eb('c.concept_id', 'in', conceptIds)] : []),
    ...(hasVariables === undefined ? [] : [eb('c.has_variables', '=', hasVariables ? 1 : 0)]),
    ...(nameContains === undefined ? [] : [sql<SqlBool>`c.name_folded like ${containing(nameContains)} escape '\\'`]),
    ...(query.createdAfter === undefined ? [] : [eb('c.created_at', '>', query.createdAfter)]),
    ...(query.createdBefore === undefined ? [] : [eb('c.created_at', '<', query.createdBefore)]),
    ...(query.updatedAfter === undefined ? [] : [eb('c.updated_at', '>', query.updatedAfter)]),
    ...(query.updatedBefore === undefined ? [] : [eb('c.updated_at', '<', query.updatedBefore)]),
    ...(query.allTags ? [hasTags(db, query.allTags, 'all')] : []),
    ...(anyTag ? [hasTags(db, anyTag, 'any')] : []),
    ...(formatIds ? [eb.or(formatIds.map(isOfFormat))] : []),
  ]
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

/** A parameter of the format counts only where both sides state it, as everywhere (`sameFormat`). */
function isOfFormat({ agent_url, id, width, height, duration_ms }: FormatKey): Condition {
  const eb = builder()
  const agrees = (column: 'format_width' | 'format_height' | 'format_duration', wanted: number | undefined) =>
    wanted === undefined ? [] : [eb.or([eb(`c.${column}`, 'is', null), eb(`c.${column}`, '=', wanted)])]
  return eb.and([
    eb('c.format_agent', '=', canonicalAgentUrl(agent_url)),
    eb('c.format_id', '=', id),
    ...agrees('format_width', width),
    ...agrees('format_height', height),
    ...agrees('format_duration', duration_ms),
  ])
}

/** Counted, since a condition for each of a hundred tags takes the planner of SQLite seconds. */
function hasTags(db: Db, tags: readonly string[], wanted: 'all' | 'any'): Condition {
  const distinct = [...new Set(tags)]
  const count = db
    .selectFrom('creative_tags as t')
    .select((e) => e.fn.countAll<number | string>().as('count'))
    .where(sql<SqlBool>`t.tenant_id = c.tenant_id and t.principal_id = c.principal_id`)
    .where(sql<SqlBool>`t.account_id = c.account_id and t.creative_id = c.creative_id`)
    .where('t.tag', 'in', distinct)
  return wanted === 'all' ? sql<SqlBool>`${count} = ${distinct.length}` : sql<SqlBool>`${count} > 0`
}

function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}
