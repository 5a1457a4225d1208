import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { canonicalAgentUrl, type FormatKey } from '../../domain/creative/formats/format-id.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import type { CreativeQuery } from './creative-query.ts'
import type { CreativeTables } from './rows.ts'

/** One condition of a query. */
export type Condition = Expression<SqlBool>
type LibraryRow = CreativeTables['creatives'] & { purged_at: string | null }
const builder = () => expressionBuilder<Tables & { c: LibraryRow }, 'c'>()

/** Conditions on the creatives themselves, of the query with the creatives as `c`. */
export function libraryConditions(db: Db, query: CreativeQuery): Condition[] {
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
