import type { Selectable } from 'kysely'
import type { AccountScope } from '../../domain/account/account.ts'
import type { ResourceAction } from '../../domain/account/account-change.ts'
import type { Catalog } from '../../domain/catalog/catalog.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { noteChange } from '../account/account-changes.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import type { CatalogTables } from './rows.ts'

/** A catalog with its owner, for work that no call started. */
export interface OwnedCatalog extends PrincipalRef {
  readonly catalog: Catalog
}

/** Catalogs within reach by their ids, in order of creation. */
export async function findCatalogs(db: Db, reach: AccountScope, catalogIds: readonly string[]): Promise<Catalog[]> {
  if (catalogIds.length === 0) return []
  const rows = await reachable(db, reach)
    .where('catalog_id', 'in', catalogIds)
    .orderBy('created_at')
    .orderBy('catalog_id')
    .execute()
  return rows.map(catalogOf)
}

/** Catalogs of one read. */
const PAGE = 500

/** All catalogs within reach, in order of creation; read in pages, between which others are served. */
export async function findAllCatalogs(db: Db, reach: AccountScope): Promise<Catalog[]> {
  const found: Catalog[] = []
  const inOrder = reachable(db, reach).orderBy('created_at').orderBy('catalog_id').orderBy('platform_id')
  for (let last: Catalog | undefined; ; last = found.at(-1)) {
    const { createdAt, catalogId, platformId } = last ?? { createdAt: '', catalogId: '', platformId: '' }
    const page = inOrder.where((eb) =>
      eb(eb.refTuple('created_at', 'catalog_id', 'platform_id'), '>', eb.tuple(createdAt, catalogId, platformId)),
    )
    const { rows, isCut } = await pageOfSize(page, ['document'], PAGE)
    found.push(...rows.map(catalogOf))
    if (!isCut) return found
    await giveWay()
  }
}

/** Ids of all catalogs within reach, the buyer's and ours, without what they declare. */
export async function listCatalogIds(db: Db, reach: AccountScope): Promise<Pick<Catalog, 'catalogId' | 'platformId'>[]> {
  const rows = await reachable(db, reach).clearSelect().select(['catalog_id', 'platform_id']).orderBy('catalog_id').execute()
  return rows.map(({ catalog_id: catalogId, platform_id: platformId }) => ({ catalogId, platformId }))
}

/** Which of these ids are catalogs within reach. */
export async function findCatalogIds(db: Db, reach: AccountScope, catalogIds: readonly string[]): Promise<string[]> {
  const rows = await reachable(db, reach).clearSelect().select('catalog_id').where('catalog_id', 'in', catalogIds).execute()
  return rows.map(({ catalog_id }) => catalog_id)
}

/** As {@link findCatalogs}, `limit` at most and without what they declare, with how many there are. */
export async function listCatalogs(
  db: Db,
  reach: AccountScope,
  catalogIds: readonly string[] | undefined,
  limit: number,
): Promise<{ readonly catalogs: readonly Omit<Catalog, 'document'>[]; readonly total: number }> {
  const asked = reachable(db, reach).$if(catalogIds !== undefined, (q) => q.where('catalog_id', 'in', catalogIds ?? []))
  const counted = await asked
    .clearSelect()
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await asked.clearSelect().select(LISTED).orderBy('created_at').orderBy('catalog_id').limit(limit).execute()
  return { catalogs: rows.map(listedOf), total: Number(counted.total) }
}

/**
 * The catalog of that id within reach; of several (a sandbox agent's accounts) the one that was synced last. Throws REFERENCE_NOT_FOUND, naming
 * `field`, for an absent one and for another's alike.
 */
export async function getCatalog(db: Db, reach: AccountScope, catalogId: string, field = 'catalog_id'): Promise<Catalog> {
  const row = await reachable(db, reach)
    .where('catalog_id', '=', catalogId)
    .orderBy('last_synced_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such catalog on the account', { field })
  return catalogOf(row)
}

/** Writes a new catalog. Throws CONFLICT when its id was taken at the same moment. */
export async function insertCatalog(tx: Db, owner: PrincipalRef, catalog: Catalog): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('catalogs')
    .values({ ...keyOf(owner, catalog), ...columnsOf(catalog), revision: catalog.revision, created_at: catalog.createdAt })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(owner.tenantId, catalog, 'created'))
}

/** Saves a changed catalog by compare-and-set on the revision it was read at. Throws CONFLICT when another sync came first. */
export async function saveCatalog(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, catalog: Catalog): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('catalogs')
    .set({ ...columnsOf(catalog), revision: catalog.revision + 1 })
    .where('tenant_id', '=', tenantId)
    .where('platform_id', '=', catalog.platformId)
    .where('revision', '=', catalog.revision)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw conflict()
  await noteChange(tx, changeOf(tenantId, catalog, 'updated'))
}

/** Items that one statement deletes: some milliseconds. A feed may have a hundred thousand. */
const ITEMS = 1_000

/** Deletes the items of a catalog. */
export async function deleteItems(tx: Db, tenantId: string, platformId: string): Promise<void> {
  const own = { tenant_id: tenantId, platform_id: platformId }
  for (;;) {
    const { numDeletedRows } = await tx
      .deleteFrom('catalog_items')
      .where((eb) => eb.and(own))
      .where('item_id', 'in', (eb) =>
        eb
          .selectFrom('catalog_items')
          .select('item_id')
          .where((of) => of.and(own))
          .limit(ITEMS),
      )
      .executeTakeFirstOrThrow()
    if (numDeletedRows < BigInt(ITEMS)) return
  }
}

/** Deletes a catalog with its items. */
export async function deleteCatalog(tx: Db, { tenantId }: Pick<PrincipalRef, 'tenantId'>, platformId: string): Promise<void> {
  await deleteItems(tx, tenantId, platformId)
  const gone = await tx
    .deleteFrom('catalogs')
    .where('tenant_id', '=', tenantId)
    .where('platform_id', '=', platformId)
    .returning(['account_id', 'catalog_id'])
    .execute()
  for (const { account_id: accountId, catalog_id: catalogId } of gone)
    await noteChange(tx, changeOf(tenantId, { accountId, catalogId }, 'deleted'))
}

function changeOf(
  tenantId: string,
  { accountId, catalogId: resourceId }: Pick<Catalog, 'accountId' | 'catalogId'>,
  action: ResourceAction,
) {
  return { tenantId, accountId, resource: 'catalog', resourceId, action } as const
}

/** Feeds that are due to be fetched again, the longest overdue first. */
export async function dueFeeds(db: Db, now: Date, limit: number): Promise<OwnedCatalog[]> {
  const rows = await db
    .selectFrom('catalogs')
    .selectAll()
    .where('next_fetch_at', '<=', now.toISOString())
    .orderBy('next_fetch_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ tenantId: row.tenant_id, principalId: row.principal_id, catalog: catalogOf(row) }))
}

function reachable(db: Db, { tenantId, principalId, accountId }: AccountScope) {
  const own = db.selectFrom('catalogs').selectAll().where('tenant_id', '=', tenantId).where('principal_id', '=', principalId)
  return accountId === undefined ? own : own.where('account_id', '=', accountId)
}

function keyOf(owner: PrincipalRef, { accountId, catalogId, platformId }: Catalog) {
  return {
    tenant_id: owner.tenantId,
    principal_id: owner.principalId,
    account_id: accountId,
    catalog_id: catalogId,
    platform_id: platformId,
  }
}

function columnsOf(catalog: Catalog) {
  return {
    document: JSON.stringify(catalog.document),
    items_digest: catalog.itemsDigest,
    item_count: catalog.itemCount,
    pending_count: catalog.pendingCount,
    rejected_count: catalog.rejectedCount,
    feed: catalog.feed ? JSON.stringify(catalog.feed) : null,
    next_fetch_at: catalog.feed?.nextFetchAt ?? null,
    last_synced_at: catalog.lastSyncedAt,
  }
}

type CatalogRow = Selectable<CatalogTables['catalogs']>

const LISTED = [
  ...(['catalog_id', 'account_id', 'platform_id', 'items_digest', 'item_count', 'pending_count', 'rejected_count'] as const),
  ...(['feed', 'last_synced_at', 'created_at', 'revision'] as const),
] as const

function catalogOf(row: CatalogRow): Catalog {
  return { ...listedOf(row), document: JSON.parse(row.document) }
}

function listedOf(row: Pick<CatalogRow, (typeof LISTED)[number]>): Omit<Catalog, 'document'> {
  return {
    catalogId: row.catalog_id,
    accountId: row.account_id,
    platformId: row.platform_id,
    itemsDigest: row.items_digest,
    itemCount: row.item_count,
    pendingCount: row.pending_count,
    rejectedCount: row.rejected_count,
    ...(row.feed !== null && { feed: JSON.parse(row.feed) }),
    lastSyncedAt: row.last_synced_at,
    createdAt: row.created_at,
    revision: row.revision,
  }
}

function conflict(): AdcpError {
  return new AdcpError('CONFLICT', 'the catalog was changed at the same time; sync it again', { field: 'catalogs' })
}
