import { type Selectable, sql } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { InventoryList, ListDocument, ListKind } from '../../domain/inventory-list.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { createdAfter, endOfPage } from '../creation-order.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import { scheduleListCheck } from '../webhook/scheduled-events.ts'
import type { InventoryListTables } from './rows.ts'

/** Whose lists a call can reach: an agent's own, in one account or in all; or the one list that a token is for. */
export interface ListScope extends AccountScope {
  /** The caller came with the token of this list, so ownership is settled. */
  readonly confinedTo?: string | undefined
}

/** Stores a new list of an agent. */
export async function insertList(tx: Db, tenantId: string, list: InventoryList<ListDocument>, tokenHash: string): Promise<void> {
  await tx
    .insertInto('inventory_lists')
    .values({
      tenant_id: tenantId,
      kind: list.kind,
      list_id: list.listId,
      principal_id: list.principalId,
      account_id: list.accountId,
      ...contentOf(list),
      token_hash: tokenHash,
      revision: list.revision,
      created_at: list.createdAt,
      updated_at: list.updatedAt,
    })
    .execute()
}

/** Saves a changed list by compare-and-set on its revision. Throws CONFLICT when another write came first. */
export async function saveList<D extends ListDocument>(
  tx: Db,
  tenantId: string,
  list: InventoryList<D>,
  now: Date,
): Promise<InventoryList<D>> {
  const updated = { revision: list.revision + 1, updated_at: now.toISOString() }
  const { numUpdatedRows } = await tx
    .updateTable('inventory_lists')
    .set({ ...contentOf(list), ...updated })
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', list.kind)
    .where('list_id', '=', list.listId)
    .where('revision', '=', list.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new AdcpError('CONFLICT', 'the list was changed at the same time; read it again', { field: 'list_id' })
  await scheduleListCheck(tx, tenantId, list.listId, now)
  return { ...list, revision: updated.revision, updatedAt: updated.updated_at }
}

/** Deletes a list; its token dies with it. */
export async function deleteList(
  tx: Db,
  tenantId: string,
  { kind, listId }: Pick<InventoryList<ListDocument>, 'kind' | 'listId'>,
) {
  await tx
    .deleteFrom('inventory_lists')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('list_id', '=', listId)
    .execute()
}

/** A list within reach; undefined for an absent one and for another's alike. */
export async function findList<D extends ListDocument>(
  db: Db,
  reach: ListScope,
  kind: ListKind,
  listId: string,
): Promise<InventoryList<D> | undefined> {
  const row = await reachable(db, reach, kind).where('list_id', '=', listId).executeTakeFirst()
  return row && listOf<D>(row)
}

/** A list within reach. Throws REFERENCE_NOT_FOUND, naming `field`, for an absent one and for another's alike. */
export async function getList<D extends ListDocument>(
  db: Db,
  reach: ListScope,
  kind: ListKind,
  listId: string,
  field = 'list_id',
): Promise<InventoryList<D>> {
  const list = await findList<D>(db, reach, kind, listId)
  if (!list) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no such ${kind} list`, { field })
  return list
}

export interface ListPage<D extends ListDocument> {
  readonly lists: readonly InventoryList<D>[]
  /** Keyset position of the next page. */
  readonly after: string | undefined
  readonly total: number
}

/** Lists within reach in order of creation, `limit` at most, fewer where they are large, after a position. */
export async function listLists<D extends ListDocument>(
  db: Db,
  reach: ListScope,
  kind: ListKind,
  filter: { readonly nameContains?: string | undefined },
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ListPage<D>> {
  const { nameContains } = filter
  let matching = reachable(db, reach, kind)
  if (nameContains !== undefined) matching = matching.where(containing(nameContains))
  const { total } = await matching
    .clearSelect()
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const { after } = page
  const ordered = matching
    .$if(after !== undefined, (q) => q.where(createdAfter({ createdAt: 'created_at', id: 'list_id' }, after ?? '')))
    .orderBy('created_at')
    .orderBy('list_id')
  const listed = await pageOfSize(ordered, ['document'], page.limit)
  const end = endOfPage(listed, ({ list_id: id }) => id)
  return { lists: listed.rows.map((row) => listOf<D>(row)), after: end, total: Number(total) }
}

/** SQLite folds case in LIKE and PostgreSQL does not, so both sides are folded before. */
function containing(part: string) {
  const pattern = `%${part.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`name_folded like ${pattern} escape '\\'`
}

function reachable(db: Db, { tenantId, principalId, accountId, confinedTo }: ListScope, kind: ListKind) {
  const ofTenant = db.selectFrom('inventory_lists').selectAll().where('tenant_id', '=', tenantId).where('kind', '=', kind)
  if (confinedTo !== undefined) return ofTenant.where('list_id', '=', confinedTo)
  const own = ofTenant.where('principal_id', '=', principalId)
  return accountId === undefined ? own : own.where('account_id', '=', accountId)
}

function contentOf({ document, memberCount }: InventoryList<ListDocument>) {
  return { name_folded: document.name.toLowerCase(), document: JSON.stringify(document), member_count: memberCount }
}

function listOf<D extends ListDocument>(row: Selectable<InventoryListTables['inventory_lists']>): InventoryList<D> {
  const document: D = JSON.parse(row.document)
  return {
    kind: row.kind,
    listId: row.list_id,
    principalId: row.principal_id,
    accountId: row.account_id,
    document,
    memberCount: row.member_count,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
