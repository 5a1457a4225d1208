import type { Insertable, SelectQueryBuilder } from 'kysely'
import type { AccountChange } from '../../domain/account/account-change.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { chargedFees } from '../../domain/media-buy/cancellation-fee.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { creditedMakeGoods } from '../../domain/media-buy/make-good.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { mediaBuyNotFound } from '../../domain/media-buy/not-found.ts'
import { searchText } from '../../domain/media-buy/search-text.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type NotedChange, noteChange } from '../account/account-changes.ts'
import { reopenDelivery } from '../ad-serving/delivery-sources.ts'
import type { DeliverySource } from '../ad-serving/rows.ts'
import { insertCharge } from '../billing/charges.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { settleAll } from '../settle-all.ts'
import type { Tables } from '../tables.ts'
import { scheduleStatusCheck } from '../webhook/scheduled-events.ts'
import type { MediaBuyTables } from './rows.ts'
import { type Header, withPackages } from './with-packages.ts'

/** Writes a new media buy and its packages. `source`: where its delivery is read from the beginning. */
export async function insertMediaBuy(tx: Db, owner: PrincipalRef, buy: MediaBuy, source: DeliverySource = 'live'): Promise<void> {
  const { principalId: principal_id } = owner
  await settleAll([
    addBuy(tx, {
      ...columnsOf(owner, buy),
      ...keyOf(owner, buy),
      principal_id,
      account_id: buy.accountId,
      created_at: buy.createdAt,
      delivery_source: source,
    }),
    ...buy.packages.map((pkg, index) => addPackage(tx, packageRow(owner, buy, pkg, index))),
    noteChange(tx, changeOf(owner, buy, 'created')),
  ])
}

const addBuy = hotQuery(
  [
    'tenant_id',
    'media_buy_id',
    'principal_id',
    'account_id',
    'decision',
    'paused',
    'starts_at',
    'ends_at',
    'revision',
    'created_at',
    'budget_micros',
    'currency',
    'search',
    'advertiser',
    'document',
    'delivery_source',
  ],
  (tx, value) =>
    tx.insertInto('media_buys').values({
      tenant_id: value('tenant_id'),
      media_buy_id: value('media_buy_id'),
      principal_id: value('principal_id'),
      account_id: value('account_id'),
      decision: value.of<MediaBuyTables['media_buys']['decision']>('decision'),
      paused: value.of<number>('paused'),
      starts_at: value('starts_at'),
      ends_at: value('ends_at'),
      revision: value.of<number>('revision'),
      created_at: value('created_at'),
      budget_micros: value.of<number>('budget_micros'),
      currency: value('currency'),
      search: value('search'),
      advertiser: value('advertiser'),
      document: value('document'),
      delivery_source: value.of<DeliverySource>('delivery_source'),
    }),
)

const addPackage = hotQuery(['tenant_id', 'package_id', 'media_buy_id', 'position', 'product_id', 'document'], (tx, value) =>
  tx.insertInto('packages').values({
    tenant_id: value('tenant_id'),
    package_id: value('package_id'),
    media_buy_id: value('media_buy_id'),
    position: value.of<number>('position'),
    product_id: value('product_id'),
    document: value('document'),
  }),
)

/**
 * Saves a changed media buy by compare-and-set on the revision it was read at. Throws CONFLICT when another change came first.
 * Packages are never deleted; those that did not change are not written. Fees of what it canceled, and credits that make good, become charges. Subscribers of the buy are notified when its status changed.
 */
export async function saveMediaBuy(tx: Db, owner: PrincipalRef, before: MediaBuy, after: MediaBuy): Promise<void> {
  const saved = await tx
    .updateTable('media_buys')
    .set(columnsOf(owner, after))
    .where('tenant_id', '=', owner.tenantId)
    .where('media_buy_id', '=', before.mediaBuyId)
    .where('revision', '=', before.revision)
    .returning('delivery_source')
    .executeTakeFirst()
  if (!saved) {
    throw new AdcpError('CONFLICT', 'the media buy was changed by another request; read it again', { field: 'media_buy_id' })
  }
  if (saved.delivery_source === 'settled') await reopenDelivery(tx, owner.tenantId, before.mediaBuyId)
  for (const [index, pkg] of after.packages.entries()) {
    if (JSON.stringify(pkg) === JSON.stringify(before.packages[index])) continue
    const row = packageRow(owner, after, pkg, index)
    await tx
      .insertInto('packages')
      .values(row)
      .onConflict((c) => c.columns(['tenant_id', 'package_id']).doUpdateSet({ document: row.document }))
      .execute()
  }
  for (const charge of [...chargedFees(before, after), ...creditedMakeGoods(before, after)])
    await insertCharge(tx, owner.tenantId, charge)
  await scheduleStatusCheck(tx, owner.tenantId, [before.mediaBuyId], new Date(after.updatedAt))
  const isStatus = decisionOf(before) !== decisionOf(after) || before.paused !== after.paused
  await noteChange(tx, changeOf(owner, after, isStatus ? 'status_changed' : 'updated'))
}

function changeOf({ tenantId }: PrincipalRef, buy: MediaBuy, action: AccountChange['action']): NotedChange {
  const { accountId, mediaBuyId: resourceId, revision } = buy
  return { tenantId, accountId, resource: 'media_buy', resourceId, action, revision }
}

/** One of the agent's media buys. Throws MEDIA_BUY_NOT_FOUND naming `media_buy_id` for an absent one and another agent's alike. */
export async function getMediaBuy(db: Db, owner: PrincipalRef, mediaBuyId: string): Promise<MediaBuy> {
  const [buy] = await findMediaBuys(db, owner, [mediaBuyId])
  if (!buy) throw mediaBuyNotFound(mediaBuyId, await newestMediaBuyIds(db, owner))
  return buy
}

/** Ids among which one that was meant is looked for. */
const NEWEST = 50

/** Ids of the agent's newest media buys, newest first; of one account, where it is named. */
export async function newestMediaBuyIds(db: Db, owner: PrincipalRef, accountId?: string): Promise<string[]> {
  let query = ownMediaBuys(db, owner)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  const rows = await query.orderBy('created_at', 'desc').orderBy('media_buy_id', 'desc').limit(NEWEST).execute()
  return rows.map((row) => row.media_buy_id)
}

/** Those of the ids that are media buys of the agent; of one account, where it is named. */
export async function ownMediaBuyIds(
  db: Db,
  owner: PrincipalRef,
  ids: readonly string[],
  accountId?: string,
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const own = ownMediaBuys(db, owner).where('media_buy_id', 'in', ids)
  const rows = await (accountId === undefined ? own : own.where('account_id', '=', accountId))
    .clearSelect()
    .select('media_buy_id')
    .execute()
  return rows.map(({ media_buy_id: id }) => id)
}

/** Those of the named media buys that are the agent's own, in order of creation. */
export async function findMediaBuys(db: Db, owner: PrincipalRef, mediaBuyIds: readonly string[]): Promise<MediaBuy[]> {
  if (mediaBuyIds.length === 0) return []
  return withPackages(
    db,
    owner,
    await ownMediaBuys(db, owner)
      .where('media_buy_id', 'in', mediaBuyIds)
      .orderBy('created_at')
      .orderBy('media_buy_id')
      .execute(),
  )
}

/** The media buy that a package belongs to, or undefined when it is not the agent's. */
export async function findMediaBuyOfPackage(db: Db, owner: PrincipalRef, packageId: string): Promise<MediaBuy | undefined> {
  const row = await db
    .selectFrom('packages')
    .select('media_buy_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('package_id', '=', packageId)
    .executeTakeFirst()
  return row && (await findMediaBuys(db, owner, [row.media_buy_id]))[0]
}

/** Headers of media buys, to be narrowed. */
export type MediaBuyRows = SelectQueryBuilder<Tables, 'media_buys', { document: string; media_buy_id: string }>

/** Headers of the agent's media buys. */
export function ownMediaBuys(db: Db, owner: PrincipalRef): MediaBuyRows {
  return db
    .selectFrom('media_buys')
    .select(['document', 'media_buy_id'])
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
}

function keyOf(owner: PrincipalRef, buy: MediaBuy) {
  return { tenant_id: owner.tenantId, media_buy_id: buy.mediaBuyId }
}

function decisionOf({ rejection, cancellation }: MediaBuy): MediaBuyTables['media_buys']['decision'] {
  if (rejection) return 'rejected'
  return cancellation ? 'canceled' : null
}

function columnsOf({ principalId }: PrincipalRef, buy: MediaBuy) {
  const { packages: _packages, ...header } = buy
  return {
    decision: decisionOf(buy),
    paused: buy.paused ? 1 : 0,
    starts_at: buy.startsAt,
    ends_at: buy.endsAt,
    revision: buy.revision,
    budget_micros: totalBudgetMicros(buy),
    currency: buy.currency,
    search: searchText(principalId, buy),
    advertiser: buy.brand?.domain ?? '',
    document: JSON.stringify(header satisfies Header),
  }
}

function packageRow(owner: PrincipalRef, buy: MediaBuy, pkg: Package, position: number): Insertable<MediaBuyTables['packages']> {
  return { ...keyOf(owner, buy), package_id: pkg.packageId, position, product_id: pkg.productId, document: JSON.stringify(pkg) }
}
