import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { ContentStandards, StandardsScope } from '../../domain/content-standards/content-standards.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { createdAfter, endOfPage } from '../creation-order.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import type { Tables } from '../tables.ts'
import type { Dimension } from './rows.ts'

/** Stores new standards of an agent as their first version. */
export async function insertContentStandards(tx: Db, owner: PrincipalRef, standards: ContentStandards): Promise<void> {
  await tx
    .insertInto('content_standards')
    .values({
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      standards_id: standards.standardsId,
      version: standards.version,
      created_at: standards.createdAt,
      updated_at: standards.updatedAt,
    })
    .execute()
  await writeVersion(tx, owner, standards)
}

/** Adds the next version of standards and puts it in force. Throws CONFLICT when another change came first. */
export async function saveContentStandards(tx: Db, owner: PrincipalRef, next: ContentStandards): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('content_standards')
    .set({ version: next.version, updated_at: next.updatedAt })
    .where('tenant_id', '=', owner.tenantId)
    .where('standards_id', '=', next.standardsId)
    .where('version', '=', next.version - 1)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new AdcpError('CONFLICT', 'the standards were changed at the same time; read them again', { field: 'standards_id' })
  await writeVersion(tx, owner, next)
}

/** The version in force of an agent's standards. Throws REFERENCE_NOT_FOUND for absent ones and for another agent's alike. */
export async function getContentStandards(db: Db, owner: PrincipalRef, standardsId: string): Promise<ContentStandards> {
  const row = await owned(db, owner).where('s.standards_id', '=', standardsId).executeTakeFirst()
  if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', 'there are no such content standards', { field: 'standards_id' })
  return standardsOf(row)
}

/** Standards that may apply somewhere in the named places: an unrestricted dimension applies everywhere. */
export interface StandardsFilter {
  readonly channels?: readonly string[] | undefined
  readonly languages?: readonly string[] | undefined
  readonly countries?: readonly string[] | undefined
}

export interface StandardsPage {
  readonly standards: readonly ContentStandards[]
  /** Keyset position of the next page. */
  readonly after: string | undefined
  readonly total: number
}

/** An agent's standards in order of creation, `limit` at most, fewer where they are large, after a position. */
export async function listContentStandards(
  db: Db,
  owner: PrincipalRef,
  filter: StandardsFilter,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<StandardsPage> {
  const dimensions = Object.entries({ channel: filter.channels, language: filter.languages, country: filter.countries })
  const matching = dimensions.reduce(
    (query, [dimension, values]) => (values ? query.where((eb) => applies(eb, dimension, values)) : query),
    owned(db, owner),
  )
  const { total } = await matching
    .clearSelect()
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const { after } = page
  const ordered = matching
    .$if(after !== undefined, (q) => q.where(createdAfter({ createdAt: 's.created_at', id: 's.standards_id' }, after ?? '')))
    .orderBy('s.created_at')
    .orderBy('s.standards_id')
  const listed = await pageOfSize(ordered, ['v.document'], page.limit)
  const end = endOfPage(listed, ({ standards_id: id }) => id)
  return { standards: listed.rows.map(standardsOf), after: end, total: Number(total) }
}

type Joined = Pick<Tables, 'content_standards_scopes'> & {
  s: Tables['content_standards']
  v: Tables['content_standards_versions']
}

function applies(eb: ExpressionBuilder<Joined, 's' | 'v'>, dimension: string, values: readonly string[]): Expression<SqlBool> {
  const scoped = eb
    .selectFrom('content_standards_scopes as c')
    .select('c.value')
    .whereRef('c.tenant_id', '=', 's.tenant_id')
    .whereRef('c.standards_id', '=', 's.standards_id')
    .where('c.dimension', '=', dimension as Dimension)
  const folded = values.map((value) => value.toLowerCase())
  // The few values of the standards are looked up among those that were asked for, which may be hundreds, and not the other way round.
  const own = sql<string>`c.value || ''`
  return eb.or([eb.not(eb.exists(scoped)), eb.exists(scoped.where(own, 'in', folded))])
}

function owned(db: Db, owner: PrincipalRef) {
  return db
    .selectFrom('content_standards as s')
    .innerJoin('content_standards_versions as v', (join) =>
      join
        .onRef('v.tenant_id', '=', 's.tenant_id')
        .onRef('v.standards_id', '=', 's.standards_id')
        .onRef('v.version', '=', 's.version'),
    )
    .select(['s.standards_id', 's.version', 's.created_at', 's.updated_at', 'v.document'])
    .where('s.tenant_id', '=', owner.tenantId)
    .where('s.principal_id', '=', owner.principalId)
}

async function writeVersion(tx: Db, owner: PrincipalRef, standards: ContentStandards): Promise<void> {
  const key = { tenant_id: owner.tenantId, standards_id: standards.standardsId }
  await tx
    .insertInto('content_standards_versions')
    .values({
      ...key,
      version: standards.version,
      document: JSON.stringify(standards.document),
      created_at: standards.updatedAt,
    })
    .execute()
  await tx
    .deleteFrom('content_standards_scopes')
    .where('tenant_id', '=', key.tenant_id)
    .where('standards_id', '=', key.standards_id)
    .execute()
  const rows = scopeRows(standards.document.scope).map((row) => ({ ...key, ...row }))
  if (rows.length > 0) {
    await tx
      .insertInto('content_standards_scopes')
      .values(rows)
      .onConflict((c) => c.doNothing())
      .execute()
  }
}

function scopeRows(scope: StandardsScope): { dimension: Dimension; value: string }[] {
  const rows = (dimension: Dimension, values: readonly string[] = []) =>
    values.map((value) => ({ dimension, value: value.toLowerCase() }))
  return [
    ...rows('channel', scope.channels_any),
    ...rows('country', scope.countries_all),
    ...rows('language', scope.languages_any),
  ]
}

type Row = Pick<Selectable<Tables['content_standards']>, 'standards_id' | 'version' | 'created_at' | 'updated_at'> & {
  document: string
}

function standardsOf(row: Row): ContentStandards {
  return {
    standardsId: row.standards_id,
    version: row.version,
    document: JSON.parse(row.document),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
