import { type Selectable, sql } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { ResourceAction } from '../../domain/account/account-change.ts'
import type { Creative, CreativeContent, CreativeStatus } from '../../domain/creative/creative.ts'
import { canonicalAgentUrl } from '../../domain/creative/formats/format-id.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { noteChange, noteChangeOfAll } from '../account/account-changes.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import { sortRows } from '../sort-rows.ts'
import { scheduleCreativeCheck } from '../webhook/scheduled-events.ts'
import type { CreativeTables } from './rows.ts'

export type CreativeRow = Selectable<CreativeTables['creatives']>

/** The creative of a row. */
export function creativeOf(row: CreativeRow): Creative {
  const content: CreativeContent = JSON.parse(row.document)
  return {
    creativeId: row.creative_id,
    accountId: row.account_id,
    content,
    status: row.status,
    ...(row.status_reason !== null && { statusReason: row.status_reason }),
    ...(row.approved_at !== null && { approvedAt: row.approved_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  }
}

/** Creatives of one account by id, those that every account of the agent has included. */
export async function findCreatives(
  db: Db,
  owner: PrincipalRef,
  accountId: string,
  creativeIds: readonly string[],
): Promise<ReadonlyMap<string, Creative>> {
  const rows = await db
    .selectFrom('creatives')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', 'in', [accountId, ''])
    .where('creative_id', 'in', creativeIds.length > 0 ? creativeIds : [''])
    .orderBy('account_id')
    .execute()
  // The account's own creative comes after one of the same id that every account has, and replaces it here.
  return new Map(rows.map((row) => [row.creative_id, creativeOf(row)]))
}

/** The creative of that id within reach; of several (one for each account) the one that changed last. */
export async function findCreative(db: Db, reach: AccountScope, creativeId: string): Promise<Creative | undefined> {
  const rows = await db
    .selectFrom('creatives')
    .selectAll()
    .where('tenant_id', '=', reach.tenantId)
    .where('principal_id', '=', reach.principalId)
    .where('creative_id', '=', creativeId)
    .$if(reach.accountId !== undefined, (q) => q.where('account_id', 'in', [reach.accountId ?? '', '']))
    .execute()
  const [row] = sortRows(rows, ['updated_at', 'desc'], ['account_id', 'desc'])
  return row && creativeOf(row)
}

/** Writes a new creative. Throws CONFLICT when its id was taken at the same moment. */
export async function insertCreative(tx: Db, owner: PrincipalRef, creative: Creative): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('creatives')
    .values({ ...keyOf(owner, creative), ...columnsOf(creative), revision: creative.revision, created_at: creative.createdAt })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw conflict()
  await saveTags(tx, owner, creative)
  await scheduleCreativeCheck(tx, owner, creative.creativeId, new Date(creative.updatedAt))
  await noteCreative(tx, owner, creative, 'created')
}

/** Saves a changed creative by compare-and-set on the revision it was read at. Throws CONFLICT when another change came first. */
export async function saveCreative(tx: Db, owner: PrincipalRef, creative: Creative): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('creatives')
    .set({ ...columnsOf(creative), revision: creative.revision + 1 })
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', '=', creative.accountId)
    .where('creative_id', '=', creative.creativeId)
    .where('revision', '=', creative.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw conflict()
  await saveTags(tx, owner, creative)
  await scheduleCreativeCheck(tx, owner, creative.creativeId, new Date(creative.updatedAt))
  await noteCreative(tx, owner, creative, 'updated')
}

/** Notes the change for the creative's account; for all accounts of the agent where every one has it. */
async function noteCreative(
  tx: Db,
  owner: PrincipalRef,
  { accountId, creativeId: resourceId }: Creative,
  action: ResourceAction,
): Promise<void> {
  const change = { resource: 'creative', resourceId, action } as const
  if (accountId === '') return noteChangeOfAll(tx, owner, change)
  return noteChange(tx, { ...change, tenantId: owner.tenantId, accountId })
}

/** Removes a creative from the library. Its assignments stay and wait for a creative of that id. */
export async function deleteCreative(tx: Db, owner: PrincipalRef, creative: Creative): Promise<void> {
  const own = keyOf(owner, creative)
  await noteCreative(tx, owner, creative, 'deleted')
  for (const table of ['creative_tags', 'creatives'] as const) {
    await tx
      .deleteFrom(table)
      .where('tenant_id', '=', own.tenant_id)
      .where('principal_id', '=', own.principal_id)
      .where('account_id', '=', own.account_id)
      .where('creative_id', '=', own.creative_id)
      .execute()
  }
}

/** A creative, and the buyer whose it is. */
export interface OwnedCreative {
  readonly principalId: string
  readonly creative: Creative
}

/** Where a list of creatives in one status goes on: the last row of the page before. */
export type CreativePosition = readonly [updatedAt: string, creativeId: string, principalId: string, accountId: string]

/** Creatives of a publisher's buyers in one status, those that were changed longest ago first; `limit` at most, fewer where they are large, after a position. */
export async function listCreativesInStatus(
  db: Db,
  tenantId: string,
  status: CreativeStatus,
  { after, limit }: { readonly after?: CreativePosition | undefined; readonly limit: number },
): Promise<{ readonly creatives: readonly OwnedCreative[]; readonly isCut: boolean }> {
  let query = db.selectFrom('creatives').selectAll().where('tenant_id', '=', tenantId).where('status', '=', status)
  if (after) query = query.where(sql<boolean>`(updated_at, creative_id, principal_id, account_id) > (${sql.join(after)})`)
  const ordered = query.orderBy('updated_at').orderBy('creative_id').orderBy('principal_id').orderBy('account_id')
  const { rows, isCut } = await pageOfSize(ordered, ['document'], limit)
  return { creatives: rows.map((row) => ({ principalId: row.principal_id, creative: creativeOf(row) })), isCut }
}

/** What a list says of the creatives in review, those that were changed longest ago first; `limit` at most. Their assets may be megabytes each, and are not read. */
export function listWaitingCreatives(db: Db, tenantId: string, limit: number) {
  return db
    .selectFrom('creatives')
    .select(['principal_id', 'account_id', 'creative_id', 'name', 'format_id', 'status_reason', 'updated_at'])
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'pending_review')
    .orderBy('updated_at')
    .orderBy('creative_id')
    .limit(limit)
    .execute()
}

/** One creative of a publisher's buyers by its whole key. */
export async function findTenantCreative(
  db: Db,
  key: { readonly tenantId: string; readonly principalId: string; readonly accountId: string; readonly creativeId: string },
): Promise<Creative | undefined> {
  const row = await db
    .selectFrom('creatives')
    .selectAll()
    .where('tenant_id', '=', key.tenantId)
    .where('principal_id', '=', key.principalId)
    .where('account_id', '=', key.accountId)
    .where('creative_id', '=', key.creativeId)
    .executeTakeFirst()
  return row && creativeOf(row)
}

/** Creatives of an account that are not archived and not among the given ids. */
export async function listOtherCreatives(
  db: Db,
  owner: PrincipalRef,
  accountId: string,
  creativeIds: readonly string[],
): Promise<Creative[]> {
  const rows = await db
    .selectFrom('creatives')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', '=', accountId)
    .where('status', '!=', 'archived')
    .where('creative_id', 'not in', creativeIds)
    .orderBy('creative_id')
    .execute()
  return rows.map(creativeOf)
}

async function saveTags(tx: Db, owner: PrincipalRef, creative: Creative): Promise<void> {
  const key = keyOf(owner, creative)
  await tx
    .deleteFrom('creative_tags')
    .where('tenant_id', '=', key.tenant_id)
    .where('principal_id', '=', key.principal_id)
    .where('account_id', '=', key.account_id)
    .where('creative_id', '=', key.creative_id)
    .execute()
  const { tags } = creative.content
  if (tags.length > 0)
    await tx
      .insertInto('creative_tags')
      .values(tags.map((tag) => ({ ...key, tag })))
      .execute()
}

/** The key of a creative's row. */
export function keyOf(owner: PrincipalRef, { accountId, creativeId }: Creative) {
  return { tenant_id: owner.tenantId, principal_id: owner.principalId, account_id: accountId, creative_id: creativeId }
}

/** The columns of a creative's row beside its key, its revision and the time that it was made. */
export function columnsOf({ content, status, statusReason, approvedAt, updatedAt }: Creative) {
  const { name, formatId, conceptId, variables } = content
  return {
    name,
    name_folded: name.toLowerCase(),
    format_agent: canonicalAgentUrl(formatId.agent_url),
    format_id: formatId.id,
    format_width: formatId.width ?? null,
    format_height: formatId.height ?? null,
    format_duration: formatId.duration_ms ?? null,
    concept_id: conceptId ?? null,
    has_variables: variables ? 1 : 0,
    status,
    status_reason: statusReason ?? null,
    approved_at: approvedAt ?? null,
    document: JSON.stringify(content),
    updated_at: updatedAt,
  }
}

function conflict(): AdcpError {
  return new AdcpError('CONFLICT', 'the creative was changed by another request; try again', { field: 'creatives' })
}
