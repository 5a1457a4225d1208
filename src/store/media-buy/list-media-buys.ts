import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { fittingRows, pageOfSize } from '../page-size.ts'
import type { Tables } from '../tables.ts'
import { ownMediaBuys } from './media-buys.ts'
import { BYTES_OF_BUY, type Header, readWithPackages } from './with-packages.ts'

export interface MediaBuyFilter {
  readonly accountId?: string | undefined
  /** Only these: as many as fit one statement. */
  readonly ids?: readonly string[] | undefined
  /** Narrows as far as columns can tell; the caller checks the derived status too. */
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  readonly now: Date
}

/** Keyset position in the order of creation. */
export interface MediaBuyPosition {
  readonly createdAt: string
  readonly mediaBuyId: string
}

/** A page of media buys. */
export interface MediaBuyPage {
  readonly buys: readonly MediaBuy[]
  /** Where the next page begins; undefined: there is none. */
  readonly next: MediaBuyPosition | undefined
  /** Of their documents. */
  readonly bytes: number
}

/** The agent's media buys in order of creation, `limit` at most, fewer where they are large, after a position. */
export async function listMediaBuys(
  db: Db,
  owner: PrincipalRef,
  filter: MediaBuyFilter,
  page: { readonly after: MediaBuyPosition | undefined; readonly limit: number },
): Promise<MediaBuyPage> {
  const ordered = orderedMediaBuys(db, owner, filter, page.after)
  const sizes = await ordered
    .clearSelect()
    .select(['created_at', 'media_buy_id', BYTES_OF_BUY.as('bytes')])
    .limit(page.limit + 1)
    .execute()
  const fitting = Math.min(page.limit, fittingRows(sizes.map(({ bytes }) => bytes)))
  const shown = sizes.slice(0, fitting)
  const last = sizes.length > fitting ? shown.at(-1) : undefined
  return {
    buys: fitting === 0 ? [] : await readWithPackages(db, owner, await ordered.limit(fitting).execute()),
    next: last && { createdAt: last.created_at, mediaBuyId: last.media_buy_id },
    bytes: shown.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  }
}

/** What the agent's first media buys are booked as, in order of creation, `limit` at most: without their packages. */
export async function listBookings(
  db: Db,
  owner: PrincipalRef,
  filter: MediaBuyFilter,
  limit: number,
): Promise<Pick<MediaBuy, 'mediaBuyId' | 'orderId'>[]> {
  const bookings: Pick<MediaBuy, 'mediaBuyId' | 'orderId'>[] = []
  let after: MediaBuyPosition | undefined
  do {
    const ordered = orderedMediaBuys(db, owner, filter, after).select('created_at')
    const { rows, isCut } = await pageOfSize(ordered, ['document'], limit - bookings.length)
    for (const row of rows) {
      const { orderId }: Header = JSON.parse(row.document)
      bookings.push({ mediaBuyId: row.media_buy_id, orderId })
    }
    const last = rows.at(-1)
    after = isCut && last ? { createdAt: last.created_at, mediaBuyId: last.media_buy_id } : undefined
    if (after) await yieldToEventLoop()
  } while (after && bookings.length < limit)
  return bookings
}

function orderedMediaBuys(db: Db, owner: PrincipalRef, filter: MediaBuyFilter, after: MediaBuyPosition | undefined) {
  let query = ownMediaBuys(db, owner)
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId)
  if (filter.ids) query = query.where('media_buy_id', 'in', filter.ids)
  if (filter.statuses) query = query.where(statusCondition(filter.statuses, filter.now.toISOString()))
  if (after) {
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '>', after.createdAt),
        eb.and([eb('created_at', '=', after.createdAt), eb('media_buy_id', '>', after.mediaBuyId)]),
      ]),
    )
  }
  return query.orderBy('created_at').orderBy('media_buy_id')
}

/** So many are read at once. */
const AT_ONCE = 100

/** All media buys of an agent's account, in order of creation. */
export async function accountMediaBuys(db: Db, owner: PrincipalRef, accountId: string, now: Date): Promise<readonly MediaBuy[]> {
  const buys: MediaBuy[] = []
  let after: MediaBuyPosition | undefined
  do {
    const page = await listMediaBuys(db, owner, { accountId, now }, { after, limit: AT_ONCE })
    buys.push(...page.buys)
    after = page.next
  } while (after)
  return buys
}

/** Ids of the agent's newest media buys that run or will run, `limit` at most, each with the words that it is found by (see `searchText`). */
export async function listLiveNames(
  db: Db,
  owner: PrincipalRef,
  now: Date,
  limit: number,
): Promise<readonly { readonly id: string; readonly names: readonly string[] }[]> {
  const rows = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'search'])
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where(statusCondition(LIVE_STATUSES, now.toISOString()))
    .orderBy('created_at', 'desc')
    .orderBy('media_buy_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ media_buy_id: id, search }) => ({ id, names: [search] }))
}

/** What columns of `media_buys` can say of derived statuses: whether creatives were supplied is not among it. `now` is ISO 8601 UTC. */
export function statusCondition(statuses: readonly MediaBuyStatus[], now: string): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'media_buys'>()
  const live = eb.and([eb('decision', 'is', null), eb('ends_at', '>', now)])
  const begun = eb('starts_at', '<=', now)
  const conditions = {
    canceled: eb('decision', '=', 'canceled'),
    rejected: eb('decision', '=', 'rejected'),
    completed: eb.and([eb('decision', 'is', null), eb('ends_at', '<=', now)]),
    pending_creatives: live,
    // A buy that is not confirmed has this status after its start too.
    pending_start: live,
    active: eb.and([live, begun, eb('paused', '=', 0)]),
    paused: eb.and([live, begun, eb('paused', '=', 1)]),
  } satisfies Record<MediaBuyStatus, unknown>
  const any = eb.or(statuses.map((status) => conditions[status]))
  // Said once for all of them where it holds for all: the index of live buys serves no condition inside an OR.
  return statuses.every((status) => LIVE_STATUSES.includes(status)) ? eb.and([live, any]) : any
}
